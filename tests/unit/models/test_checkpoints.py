"""Models on disk."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from toy_corpus import ARCHITECTURE, tokenizer_of, write_corpus
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from headwork.errors import InputError
from headwork.models.architectures.build import build
from headwork.models.loading.checkpoints import FILES, load, read_tokenizer, save, start_from, store_as


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("checkpoints"), {"train": 10})


@pytest.fixture
def saved(corpus, tmp_path):
    tokenizer = tokenizer_of(corpus)
    model = build(ARCHITECTURE, tokenizer, 1)
    save(tmp_path / "model", model, tokenizer)
    return model, tmp_path / "model"


@pytest.mark.parametrize("family", ["marian", "pegasus"])
def test_plain_transformers_load_it(corpus, tmp_path, family):
    tokenizer = tokenizer_of(corpus)
    model = build({**ARCHITECTURE, "family": family}, tokenizer, 1)
    save(tmp_path, model, tokenizer)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)
    inputs = AutoTokenizer.from_pretrained(tmp_path)(["ba be", "bi"], padding=True, return_tensors="pt")
    inputs = {name: inputs[name] for name in ("input_ids", "attention_mask")}
    inputs["decoder_input_ids"] = torch.zeros(2, 1, dtype=torch.long)
    for loaded in (AutoModelForSeq2SeqLM.from_pretrained(tmp_path).eval(), load(tmp_path)[0]):
        assert type(loaded) is type(model)
        assert torch.equal(loaded(**inputs).logits, model(**inputs).logits)


def test_stored_in_half_precision_and_read_in_single(saved):
    model, folder = saved
    before = (folder / "model.safetensors").stat()
    store_as(folder, "float32")
    assert (folder / "model.safetensors").stat().st_mtime_ns == before.st_mtime_ns  # nothing to do
    store_as(folder, "float16")
    stored = load_file(folder / "model.safetensors")
    assert {weight.dtype for weight in stored.values()} == {torch.float16}
    assert (folder / "model.safetensors").stat().st_size < 0.6 * before.st_size
    loaded, _ = load(folder)
    for name, weight in loaded.state_dict().items():
        assert weight.dtype == torch.float32
        # rounded to the nearest of numbers with 11 significant bits
        torch.testing.assert_close(weight, model.state_dict()[name], rtol=2**-11, atol=2**-25)


def test_a_weight_that_half_precision_cannot_hold(saved):
    _, folder = saved
    path = folder / "model.safetensors"
    large = load_file(path) | {"final_logits_bias": torch.tensor([[70000.0]])}
    save_file(large, path, metadata={"format": "pt"})
    before = path.read_bytes()
    with pytest.raises(InputError, match="final_logits_bias is too large for float16; store this model as"):
        store_as(folder, "float16")
    assert path.read_bytes() == before
    assert sorted(each.name for each in folder.iterdir()) == sorted(FILES)


def test_weights_of_another_shape_are_refused(saved, corpus):
    _, folder = saved
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "encoder_ffn_dim": 128}))
    with pytest.raises(InputError, match=r"another shape than its config says, .*encoder.*fc1"):
        load(folder)


def test_missing_weights_are_refused(saved):
    _, folder = saved
    path, name = folder / "model.safetensors", "model.encoder.layers.0.fc2.weight"
    weights = load_file(path)
    save_file({key: weight for key, weight in weights.items() if key != name}, path, {"format": "pt"})
    with pytest.raises(InputError, match=f"lacks weights, {name}"):
        load(folder)
    save_file({**weights, "model.more": torch.ones(2)}, path, {"format": "pt"})
    with pytest.raises(InputError, match=r"its config knows nothing of, model\.more"):
        load(folder)


def test_damaged_and_absent_files_are_named(saved, tmp_path):
    _, folder = saved
    (folder / "model.safetensors").write_bytes(b"\x10\x00")
    with pytest.raises(InputError, match=r"model\.safetensors: these are no whole weights .*header"):
        load(folder)
    with pytest.raises(InputError, match="nowhere"):
        load(tmp_path / "nowhere")


def test_a_tokenizer_of_another_run_is_refused(saved, tmp_path):
    _, folder = saved
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["more"])
    tokenizer.save_pretrained(folder)
    with pytest.raises(InputError, match="the tokenizer has ids up to 90, the model 90 rows"):
        load(folder)


def test_starting_from_another_run(saved, corpus):
    model, folder = saved
    other = build(ARCHITECTURE, tokenizer_of(corpus), 2)
    start_from(other, folder)
    for (name, weight), same in zip(other.named_parameters(), model.parameters(), strict=True):
        assert torch.equal(weight, same), name
    assert other.get_output_embeddings().weight is other.get_input_embeddings().weight


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"encoder_layers": 2}, r"lacks the weights model\.encoder\.layers\.1"),
        ({"width": 64}, r"shared\.weight is \(90, 32\) there and \(90, 64\) here"),
        ({"decoder_layers": 0}, r"has weights that the model lacks, model\.decoder\.layers\.0"),
    ],
)
def test_starting_from_another_architecture_or_nothing(saved, corpus, change, message):
    _, folder = saved
    model = build({**ARCHITECTURE, **change}, tokenizer_of(corpus), 1)
    with pytest.raises(InputError, match=message):
        start_from(model, folder)
    with pytest.raises(InputError, match="cannot be read"):
        start_from(model, folder / "nowhere")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda whole: None, "the tokenizer does not exist"),
        (lambda whole: {}, "the file is not a tokenizer"),
        (lambda whole: json.loads(json.dumps(whole).replace("<pad>", "<gap>")), "has no token <pad>"),
        (lambda whole: {**whole, "post_processor": None}, "does not end a sentence with </s>"),
    ],
)
def test_tokenizers_that_will_not_do(corpus, tmp_path, change, message):
    found = change(json.loads((corpus / "tokenizer.json").read_text()))
    if found is not None:
        (tmp_path / "tokenizer.json").write_text(json.dumps(found))
    with pytest.raises(InputError, match=message):
        read_tokenizer(tmp_path / "tokenizer.json")
