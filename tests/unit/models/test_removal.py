"""Heads folded to nothing, and heads cut out: the same outputs as under the gates."""

import copy
import json

import pytest
import torch
from toy_corpus import ARCHITECTURE, tokenizer_of, write_corpus
from transformers import AutoModelForSeq2SeqLM

from headwork.errors import InputError
from headwork.lens.anatomy import anatomy
from headwork.lens.lens import Lens
from headwork.models.architectures.build import build
from headwork.models.gates.hard_concrete import FixedGates
from headwork.models.gates.removal import fold, read_kept, remove_heads
from headwork.models.jobs.remove_heads import remove_closed_heads
from headwork.models.loading.checkpoints import FILES, load, save, start_from
from headwork.models.scoring.beam_search import translate
from headwork.sites import Site

SHAPE = {**ARCHITECTURE, "encoder_layers": 2, "decoder_layers": 2, "heads": 4}
IDS = torch.tensor([[5, 6, 7, 8, 9, 1], [9, 10, 11, 1, 0, 0]])
INPUTS = {"input_ids": IDS, "attention_mask": (IDS > 0).long()}
TARGETS = {"decoder_input_ids": torch.tensor([[0, 4, 5], [0, 6, 7]])}

SOME = {("encoder", 1): [0, 1, 1, 0], ("decoder", 2): [1, 1, 0, 1], ("cross", 1): [0, 0, 0, 1]}
WHOLE_SITES = {(kind, layer): [0] * 4 for kind, layer in (("encoder", 2), ("decoder", 1), ("cross", 1))}
WHOLE_SITES[("cross", 2)] = [1, 0, 1, 1]
EVERYTHING = {(kind, layer): [0] * 4 for kind in ("encoder", "decoder", "cross") for layer in (1, 2)}


def gates_of(kept):
    return {Site(*site): torch.tensor(heads, dtype=torch.float32) for site, heads in kept.items()}


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    return tokenizer_of(write_corpus(tmp_path_factory.mktemp("removal"), {"train": 5}))


@pytest.fixture(params=["pegasus", "marian"])
def model(request, tokenizer):
    return small(request.param, tokenizer)


def small(family, tokenizer):
    model = build({**SHAPE, "family": family}, tokenizer, 1)
    torch.manual_seed(1)
    for name, weight in model.named_parameters():
        if name.endswith("bias"):  # zero at the start, which would hide one that is lost
            torch.nn.init.normal_(weight, std=0.3)
    return model


@torch.no_grad()
def logits(model):
    return model(**INPUTS, **TARGETS).logits


def said_by_both_engines(model, tokenizer):
    lines, how = ["ba be bi", "bo", "bu ba bo be"], {"longest_factor": 1.0}
    for engine in ("ctranslate2", "transformers"):
        yield translate(model, lines, how | {"engine": engine}, tokenizer=tokenizer)


@pytest.mark.parametrize("kept", [SOME, WHOLE_SITES, EVERYTHING])
def test_all_three_compute_the_same(model, kept):
    before = logits(model)
    with Lens(model) as lens, lens.gating(gates_of(kept)):
        gated = logits(model)
    assert (gated - before).abs().max() > 0.1
    smaller = remove_heads(model, gates_of(kept))
    assert torch.equal(logits(model), before), "the model itself is left as it was"
    fold(model, gates_of(kept))
    torch.testing.assert_close(logits(model), gated, rtol=0, atol=1e-5)
    torch.testing.assert_close(logits(smaller), gated, rtol=0, atol=1e-5)


@pytest.mark.parametrize("kept", [SOME, WHOLE_SITES, EVERYTHING])
def test_beam_search_with_its_caches_is_the_same(model, kept):
    smaller = remove_heads(model, gates_of(kept))
    fold(model, gates_of(kept))
    search = {"num_beams": 3, "min_new_tokens": 8, "max_new_tokens": 8}
    assert torch.equal(smaller.generate(**INPUTS, **search), model.generate(**INPUTS, **search))


def test_only_what_belongs_to_closed_heads_is_gone(model):
    smaller = remove_heads(model, gates_of(SOME))
    before, after = (sum(weight.numel() for weight in each.parameters()) for each in (model, smaller))
    # a head: 8 of the 32 columns of W_O, 8 rows of each of the three others and 8 of their biases
    assert before - after == 6 * (8 * 32 + 3 * (8 * 32 + 8))
    assert smaller.config.kept_heads == {
        "encoder": [[2, 3], [1, 2, 3, 4]],
        "decoder": [[1, 2, 3, 4], [1, 2, 4]],
        "cross": [[4], [1, 2, 3, 4]],
    }
    left = {tuple(site): part.heads for site, part in anatomy(smaller).sites.items()}
    assert left == dict.fromkeys(EVERYTHING, 4) | {site: sum(gates) for site, gates in SOME.items()}
    assert smaller.get_output_embeddings().weight is smaller.get_input_embeddings().weight


def test_the_lens_sees_the_heads_that_are_left(model):
    site, seen = Site("encoder", 1), []
    for each in (model, remove_heads(model, gates_of(SOME))):
        with Lens(each) as lens, lens.observing(lambda attended: seen.append(attended.weights), sites=[site]):
            logits(each)
    whole, left = seen
    torch.testing.assert_close(left, whole[:, [1, 2]])


def test_the_lens_passes_over_a_site_without_heads(model):
    smaller = remove_heads(model, gates_of(WHOLE_SITES))
    assert {tuple(site) for site in anatomy(smaller).sites} == {("encoder", 1), ("decoder", 2), ("cross", 2)}
    plain = logits(smaller)
    with Lens(smaller) as lens, lens.observing(lambda _: None):
        torch.testing.assert_close(logits(smaller), plain)


@pytest.mark.parametrize("kept", [SOME, WHOLE_SITES, EVERYTHING])
def test_both_engines_translate_the_same(model, tokenizer, kept):
    one, other = said_by_both_engines(remove_heads(model, gates_of(kept)), tokenizer)
    assert one == other


def test_sides_with_heads_of_their_own_size(tokenizer):
    """Encoder heads of 8 dimensions, decoder heads of 16."""
    model = build({**SHAPE, "family": "pegasus", "decoder_heads": 2}, tokenizer, 1)
    kept = gates_of({("encoder", 1): [0, 1, 1, 0], ("decoder", 1): [0, 0], ("cross", 2): [0, 1]})
    smaller = remove_heads(model, kept)
    fold(model, kept)
    torch.testing.assert_close(logits(smaller), logits(model), rtol=0, atol=1e-5)
    found = [*said_by_both_engines(model, tokenizer), *said_by_both_engines(smaller, tokenizer)]
    assert found == found[:1] * 4


@pytest.mark.parametrize("kept", [SOME, WHOLE_SITES, EVERYTHING])
def test_on_disk(model, tokenizer, tmp_path, kept):
    smaller = remove_heads(model, gates_of(kept))
    save(tmp_path, smaller, tokenizer)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)
    loaded, _ = load(tmp_path)
    assert type(loaded) is type(smaller)
    assert torch.equal(logits(loaded), logits(smaller))
    assert loaded.generation_config.bad_words_ids == [[tokenizer.pad_token_id]]
    with pytest.raises(RuntimeError):
        AutoModelForSeq2SeqLM.from_pretrained(tmp_path)
    with pytest.raises(InputError, match="init_run must have the same architecture"):
        start_from(copy.deepcopy(model), tmp_path)


def test_plain_transformers_load_what_is_folded(model, tokenizer, tmp_path):
    fold(model, gates_of(SOME))
    save(tmp_path, model, tokenizer)
    theirs = AutoModelForSeq2SeqLM.from_pretrained(tmp_path).eval()
    assert torch.equal(logits(theirs), logits(model))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda kept: kept["encoder"][0].append(1), "another shape than its config says, .*encoder.layers.0"),
        (lambda kept: kept["encoder"].pop(), "lacks encoder 2"),
        (lambda kept: kept["cross"][1].append(5), "names heads beyond the 4 of cross 2"),
    ],
)
def test_a_config_of_other_heads_than_the_weights(model, tokenizer, tmp_path, change, message):
    save(tmp_path, remove_heads(model, gates_of(SOME)), tokenizer)
    config = json.loads((tmp_path / "config.json").read_text())
    change(config["kept_heads"])
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match=message):
        load(tmp_path)


def test_gates_of_another_model(model):
    for changed in fold, remove_heads:
        with pytest.raises(InputError, match="gates of 3 heads for encoder 1, which has 4 heads"):
            changed(model, gates_of({("encoder", 1): [0, 1, 1]}))
        with pytest.raises(InputError, match="the model has no attention encoder 3"):
            changed(model, gates_of({("encoder", 3): [0, 1, 1, 1]}))
    with pytest.raises(InputError, match=r"cannot remove heads from a .*WithFewerHeads"):
        remove_heads(remove_heads(model, gates_of(SOME)), gates_of({("encoder", 2): [0, 1, 1, 1]}))


def gated_folder(folder, tokenizer, kept, said=None):
    model = small("pegasus", tokenizer)
    fold(model, gates_of(kept))
    save(folder, model, tokenizer)
    FixedGates(gates_of(said or kept)).table().to_csv(folder / "gates.csv", index=False)
    return model


def test_from_folder_to_folder(tokenizer, tmp_path):
    model = gated_folder(tmp_path / "gated", tokenizer, SOME)
    remove_closed_heads(tmp_path / "gated", tmp_path / "smaller")
    smaller, _ = load(tmp_path / "smaller")
    torch.testing.assert_close(logits(smaller), logits(model), rtol=0, atol=1e-5)
    facts = json.loads((tmp_path / "smaller" / "removal.json").read_text())
    left = {"encoder": 6, "decoder": 7, "cross": 5}
    assert facts["heads"] == {kind: {"before": 8, "after": after} for kind, after in left.items()}
    assert facts["parameters"]["before"] - facts["parameters"]["after"] == 6 * (8 * 32 + 3 * (8 * 32 + 8))


def test_gates_that_are_not_those_of_the_weights(tokenizer, tmp_path):
    gated_folder(tmp_path / "gated", tokenizer, SOME, said={**SOME, ("encoder", 2): [1, 0, 1, 1]})
    with pytest.raises(InputError, match=r"gates\.csv: says that encoder 2-2 is closed"):
        remove_closed_heads(tmp_path / "gated", tmp_path / "smaller")
    assert not (tmp_path / "smaller").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind,layer,head\nencoder,1,1\n", "has no column 'kept'"),
        ("kind,layer,head,kept\nencoder,1,1,0.5\n", "other numbers than 0 and 1"),
        ("kind,layer,head,kept\nencoder,1,1,0\nencoder,1,3,1\n", "does not number the heads of encoder 1"),
        ("", "the file is not a table of gates"),
    ],
)
def test_tables_that_are_none(tmp_path, text, message):
    (tmp_path / "gates.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_kept(tmp_path / "gates.csv")
    with pytest.raises(InputError, match="the file is not a table of gates"):
        read_kept(tmp_path / "nowhere.csv")


def test_order_of_rows_does_not_matter(tmp_path):
    (tmp_path / "gates.csv").write_text("kind,layer,head,kept\nencoder,1,2,0\nencoder,1,1,1\ncross,2,1,1\n")
    kept = {tuple(site): gate.tolist() for site, gate in read_kept(tmp_path / "gates.csv").items()}
    assert kept == {("encoder", 1): [1, 0], ("cross", 2): [1]}
