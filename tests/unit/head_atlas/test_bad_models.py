"""Models that cannot be measured are refused in a sentence that names the cause, and is no bug of headwork."""

import json
import math

import pytest
import torch
from small_atlas import SENTENCES, planted, tokenizer
from tiny_bert import tiny_bert
from transformers import BertForMaskedLM

import headwork
from headwork.errors import InputError
from headwork.head_atlas.functions import LEAST, functions
from headwork.head_atlas.job import write_atlas
from headwork.heads.measure import HEAD
from headwork.measures import MEASURES
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import save
from headwork.plan.asked import atlas_name, check_page
from headwork.run.frame import BUG, Files, call, cause_of
from headwork.settings.atlas import AtlasRequest, AtlasSettings

SMALL = AtlasSettings(sentences=80, gradients=4, removed=4, shown=2)


@pytest.fixture(scope="module")
def words():
    return tokenizer()


@pytest.fixture
def folder(words, tmp_path):
    """A saved encoder."""
    save(tmp_path / "bert", tiny_bert(words, max_position_embeddings=64), words)
    return tmp_path / "bert"


def change_config(folder, **keys):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | keys))


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_weights_that_are_not_finite(folder, words, value):
    model, _ = hub.load(folder)
    weight = model.base_model.encoder.layer[1].output.dense.weight
    with torch.no_grad():
        weight[0, 0] = value
    with pytest.raises(
        InputError, match="outputs are not finite at encoder 2: its weights are damaged, or too large"
    ):
        headwork.atlas(model, SENTENCES.lines, tokenizer=words, settings=SMALL)
    save(folder, model, words)
    with pytest.raises(InputError, match=r"the weights .*layer\.1\.output\.dense\.weight are not finite"):
        hub.load(folder)


def test_outputs_that_overflow(folder, words):
    model, _ = hub.load(folder)
    with torch.no_grad():
        model.base_model.encoder.layer[0].output.LayerNorm.weight.fill_(3e38)
    with pytest.raises(InputError, match="outputs are not finite at encoder 1"):
        headwork.atlas(model, SENTENCES.lines, tokenizer=words, settings=SMALL)


def test_quantised_weights(folder):
    change_config(folder, quantization_config={"quant_method": "gptq", "bits": 4})
    with pytest.raises(InputError, match="bert: quantised weights cannot be read; take the model in single"):
        hub.load(folder)


def test_pickled_weights_alone(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(
        InputError, match=r"weights are in pytorch_model\.bin, .* may hold code; .* convert it by tr"
    ):
        hub.load(folder)


def test_ids_beyond_the_model(folder, words):
    words.add_tokens("beyond")
    words.save_pretrained(folder)
    rows = len(words) - 1
    with pytest.raises(
        InputError, match=f"has ids up to {rows}, the model {rows} rows; take both from one run"
    ):
        hub.load(folder)


def test_a_head_without_weights_is_left_out_with_a_note(words, tmp_path):
    """all-mpnet-base-v2 has an encoder's weights, and the config of a masked language model."""
    encoder = tiny_bert(words, max_position_embeddings=64)
    save(tmp_path, encoder.base_model, words)
    change_config(tmp_path, architectures=["BertForMaskedLM"])
    found = headwork.atlas(tmp_path, SENTENCES.lines, settings=SMALL)
    assert "The file has no weights of the head of BertForMaskedLM" in " ".join(found.models[0].notes)
    assert found.models[0].kind == "BertModel"
    with pytest.raises(InputError, match="lacks weights"):
        hub.load(tmp_path)
    with pytest.raises(InputError, match="lacks weights"):
        hub.load(tmp_path, BertForMaskedLM)


def test_a_missing_gpu(words):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(InputError, match="device is cuda, but torch finds no GPU"):
        call(lambda input, output, device: None, Files(), Files(), {"device": "cuda"})
    with pytest.raises(InputError, match="device is cuda, but torch finds no GPU"):
        headwork.atlas(planted(words), SENTENCES.lines, tokenizer=words, settings=SMALL, device="cuda")


def test_an_error_in_the_code_of_a_model_is_no_bug_of_headwork(folder):
    model, _ = hub.load(folder)
    with pytest.raises(IndexError) as of_model:
        model(input_ids=torch.tensor([[10_000]]))
    assert cause_of(of_model.value).startswith(
        "the model cannot be run (IndexError: index out of range in self); its"
    )
    with pytest.raises(ZeroDivisionError) as of_ours:
        _ = 1 // 0
    assert cause_of(of_ours.value) == BUG


@pytest.mark.parametrize("sentences", [1, 2, 5, LEAST])
def test_few_sentences_give_random_weights_no_function(words, sentences):
    for seed in range(3):
        torch.manual_seed(seed)
        model = tiny_bert(words, max_position_embeddings=64, num_attention_heads=4)
        found = headwork.atlas(model, SENTENCES.lines[:sentences], tokenizer=words, settings=SMALL)
        assert found.functions.empty
    if sentences < LEAST:
        assert f"No functions are named: they need {LEAST} sentences." in found.models[0].notes


def test_enough_sentences_name_the_planted_head(words):
    found = headwork.atlas(planted(words), SENTENCES.lines[:LEAST], tokenizer=words, settings=SMALL)
    assert list(found.functions["does"]) == ["attends to the previous token"]


def test_a_function_needs_an_interval_above_the_baseline(words):
    """3 of 3 have the Wilson interval .44 to 1, with a baseline of .5 in it, 30 of 30 that from .89; many tokens of few
    sentences are no more trials than there are sentences.
    """
    measured = headwork.atlas(planted(words), SENTENCES.lines[:LEAST], tokenizer=words, settings=SMALL)
    table = measured.table[measured.table["measure"] == "previous"].iloc[:1].assign(value=1.0, baseline=0.5)
    table = table[[*HEAD, "measure", "value", "baseline"]]
    for count, sentences, named in ((3, 100, 0), (30, 100, 1), (3000, 30, 1), (3000, LEAST - 1, 0)):
        assert len(functions(table.assign(count=count), MEASURES, sentences)) == named


def test_a_page_is_not_replaced_by_that_of_another_model(folder, tmp_path):
    for place in ("one", "other"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "checkpoint-500").symlink_to(folder)
    (tmp_path / "other/checkpoint-500").unlink()
    save(tmp_path / "other/checkpoint-500", *hub.load(folder))
    one, other = (AtlasRequest(model=str(tmp_path / place / "checkpoint-500")) for place in ("one", "other"))
    text = tmp_path / "my.txt"
    text.write_text("\n".join(SENTENCES.lines))
    page = tmp_path / "atlas/checkpoint-500/atlas.html"
    write_atlas(Files(), Files(page=page), one.model_copy(update={"text": str(text)}), SMALL)
    check_page(one, page.parent)
    with pytest.raises(
        InputError, match=r"has the page of another model, .*/bert; give this one a name of its own"
    ):
        check_page(other, page.parent)


@pytest.mark.parametrize("name", ["..", ".", "-x", "a/b", "a b", ""])
def test_names_that_would_be_other_paths(name):
    with pytest.raises(InputError, match="write a letter or digit"):
        AtlasRequest.read({"model": "x", "name": name}, "command line")


def test_a_folder_by_dots_has_its_own_name(tmp_path, monkeypatch):
    (tmp_path / "mine/inner").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "mine/inner")
    assert [atlas_name(AtlasRequest(model=model)) for model in (".", "..")] == ["inner", "mine"]
