"""One row of the run sheet, end to end."""

import json

import pandas as pd
import pytest
import torch
from huggingface_hub import ModelCard
from safetensors.torch import load_file
from toy_corpus import ARCHITECTURE, RECIPE, write_corpus

from headwork.errors import InputError
from headwork.models.architectures.build import build
from headwork.models.jobs.publish import publish_weights
from headwork.models.jobs.remove_heads import remove_closed_heads
from headwork.models.jobs.train import run_training
from headwork.models.jobs.translate import translate_run
from headwork.models.loading.checkpoints import FILES, read_tokenizer, start_from
from headwork.models.scoring.beam_search import translate
from headwork.run.frame import Files
from headwork.settings.models import Translation

ROW = {"run": "toy-s1", "objective": "translation", "recipe": "toy", "seed": 1, "gates": "none"}


def translating(model, corpus):
    """What is read and written when a model translates the test set of a corpus."""
    text = [corpus / f"test.{side}.txt" for side in ("source", "target", "reference")]
    read = Files(corpus=text, model=[model / "model.safetensors"])
    return read, Files(translations=model / "translations.test.txt", scores=model / "scores.json")


def open_heads(model):
    """For each head of the first layer of the encoder, whether its columns of W_O hold anything."""
    weight = load_file(model / "model.safetensors")["model.encoder.layers.0.self_attn.out_proj.weight"]
    return [int(column > 0) for column in weight.unflatten(1, (4, 8)).abs().amax(dim=(0, 2))]


def kept_heads(model):
    return pd.read_csv(model / "gates.csv")["kept"].tolist()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("runs"), {"train": 300, "dev": 30, "test": 30})


def test_snapshots_are_the_weights_at_that_update(corpus, tmp_path):
    """With a constant rate, a training that is stopped there ends with the same weights."""

    def run(name, **change):
        constant = {**RECIPE, "schedule": "constant_with_warmup", "average_checkpoints": 1}
        run_training(ROW, ARCHITECTURE, constant | change, corpus, tmp_path / name, tmp_path / "work")

    run("long", snapshots=[10])
    run("short", steps=10)
    kept = load_file(tmp_path / "long" / "snapshots" / "10" / "model.safetensors")
    stopped = build(ARCHITECTURE, read_tokenizer(corpus / "tokenizer.json"), 7)
    start_from(stopped, tmp_path / "short")
    assert {name for name, _ in stopped.named_parameters()} == set(kept)
    for name, weight in stopped.named_parameters():
        torch.testing.assert_close(weight.detach(), kept[name], msg=name)
    with pytest.raises(InputError, match="choose updates from 1 to 19"):
        run("none", snapshots=[20])


GATED = {**ROW, "gates": "encoder", "penalty": 0.02}
GATED_RECIPE = {**RECIPE, "gates": {"rate": 0.01}}


@pytest.fixture(scope="module")
def runs(corpus, tmp_path_factory):
    """A trained run, one with gates in its encoder that starts from it, and one that has the other's heads only."""
    folder = tmp_path_factory.mktemp("gated")
    shape = {**ARCHITECTURE, "heads": 4}
    whole, gated, masked = (folder / name for name in ("whole", "gated", "masked"))
    run_training(ROW, shape, RECIPE, corpus, whole, folder / "work")
    run_training(GATED, shape, GATED_RECIPE, corpus, gated, folder / "work", init_folder=whole)
    row = {**ROW, "gates": "mask:gated", "seed": 3}
    run_training(row, shape, RECIPE, corpus, masked, folder / "work", mask_folder=gated)
    return whole, gated, masked


def test_a_gated_run(runs):
    whole, gated, _ = runs
    table = pd.read_csv(gated / "gates.csv")
    assert table[["kind", "layer", "head"]].to_numpy().tolist() == [["encoder", 1, n] for n in (1, 2, 3, 4)]
    assert (table["kept"] == (table["log_a"] > 0)).all()
    kept = table["kept"].tolist()
    assert 0 < sum(kept) < 4, "the toy's gates fall on both sides"
    assert pd.read_csv(gated / "history.csv")["kept_heads"].iloc[-1] == sum(kept)
    run = json.loads((gated / "run.json").read_text())
    assert run["gates"]["encoder"] == {"heads": 4, "kept": sum(kept)}
    before, after = (load_file(folder / "model.safetensors") for folder in (whole, gated))
    assert run["parameters"] > run["training"]["trained_parameters"]
    for name in before:
        assert torch.equal(before[name], after[name]) == ("encoder.lay" not in name), name
    assert open_heads(gated) == kept


def test_a_gated_run_that_starts_from_a_gated_one_keeps_its_heads_closed(runs, corpus, tmp_path):
    _, gated, _ = runs
    before, after = kept_heads(gated), tmp_path / "next"
    row = {**GATED, "penalty": 0, "target": sum(before) - 1}
    recipe = {**GATED_RECIPE, "gates": {"rate": 0.01, "initial": 2.0}}
    shape = {**ARCHITECTURE, "heads": 4}
    run_training(row, shape, recipe, corpus, after, tmp_path / "work", init_folder=gated)
    assert sum(kept_heads(after)) == sum(before) - 1
    assert all(now <= then for now, then in zip(kept_heads(after), before, strict=True))
    assert open_heads(after) == kept_heads(after)


def test_a_published_model(runs, corpus, tmp_path):
    """A folder that transformers loads, with a card that says what it is."""
    _, gated, _ = runs
    translate_run(
        *translating(gated, corpus), {"target": "toyish", "tokenisation": "none"}, Translation(beam=1)
    )
    out = tmp_path / "gated"
    out.mkdir()
    published = Files(published=[out / "model.safetensors"])
    publish_weights(Files(model=[gated / "run.json"]), published, ["en", "de"], "toy text")
    files = {*FILES, "README.md", "gates.csv", "history.csv", "run.json", "scores.json"}
    assert {path.name for path in out.iterdir()} == files
    assert (out / "model.safetensors").read_bytes() == (gated / "model.safetensors").read_bytes()
    card = ModelCard.load(out / "README.md")
    assert card.data.language == ["en", "de"]
    score = json.loads((gated / "scores.json").read_text())["test"]["bleu"]
    assert "| trained on | toy text: 300 sentence pairs |" in card.text
    assert f"| heads kept | {sum(kept_heads(gated))} of 4 encoder |" in card.text
    assert f"| BLEU on held-out text | {score:.1f} [" in card.text
    assert "nrefs:1\\|bs:" in card.text  # a bare bar would end the table's cell


def test_a_run_with_the_heads_of_another(runs):
    _, gated, masked = runs
    assert kept_heads(masked) == open_heads(masked) == kept_heads(gated)


def test_a_gated_run_is_made_smaller_and_translates(runs, corpus, tmp_path):
    _, gated, _ = runs
    remove_closed_heads(gated, tmp_path / "smaller")
    source = (corpus / "test.source.txt").read_text().splitlines()
    search = {"engine": "transformers", "beam": 2}
    assert translate(tmp_path / "smaller", source, search) == translate(gated, source, search)


def test_what_cannot_be_trained_writes_nothing(runs, corpus, tmp_path):
    def refused(message, row=ROW, recipe=RECIPE, folder=corpus, **more):
        with pytest.raises(InputError, match=message):
            run_training(row, ARCHITECTURE, recipe, folder, tmp_path / "out", tmp_path / "work", **more)
        assert not any(tmp_path.iterdir())

    refused("the penalty is -1.0; it must be 0 or more", GATED | {"penalty": -1})
    mask = {"row": ROW | {"gates": "mask:gated"}, "mask_folder": runs[1]}
    refused("gates of 4 heads for encoder 1, which has 2 heads", **mask)
    misspelt = RECIPE | {"gates": {"temprature": 0.5}}
    refused(r"the recipe of run '[\w-]+': `gates`: unknown key 'temprature'; did you mean", GATED, misspelt)
    refused(r"the recipe of run '[a-z0-9-]+': unknown key 'step'", recipe=RECIPE | {"step": 3})
    masking = RECIPE | {"masking": {"share": 0.2}}
    refused("`segments` and `masking` are for masked language models", recipe=masking)
    refused("the tokenizer does not exist", folder=tmp_path)


def test_positions_bound_the_sentences(corpus, tmp_path):
    shape = {**ARCHITECTURE, "max_positions": 5}
    run_training(ROW, shape, RECIPE, corpus, tmp_path / "out", tmp_path / "work")
    data = json.loads((tmp_path / "out" / "run.json").read_text())["data"]
    assert data["train_dropped"] > 0
    assert data["train_pairs"] + data["train_dropped"] == 300


def test_case_does_not_count_where_the_tokenizer_knows_none(corpus, tmp_path):
    tokenizer = json.loads((corpus / "tokenizer.json").read_text()) | {"normalizer": {"type": "Lowercase"}}
    lower = write_corpus(tmp_path / "lower", {"train": 50, "dev": 10, "test": 10})
    (lower / "tokenizer.json").write_text(json.dumps(tokenizer))
    run_training(ROW, ARCHITECTURE, RECIPE, lower, tmp_path / "out", tmp_path / "work")
    translate_run(*translating(tmp_path / "out", lower), {"target": "toyish"}, Translation())
    assert "case:lc" in json.loads((tmp_path / "out" / "scores.json").read_text())["test"]["signature"]
