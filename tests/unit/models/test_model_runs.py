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
    read = Files(
        corpus=[corpus / f"test.{side}.txt" for side in ("source", "target", "reference")],
        model=[model / "model.safetensors"],
    )
    return read, Files(translations=model / "translations.test.txt", scores=model / "scores.json")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("runs"), {"train": 300, "dev": 30, "test": 30})


def test_from_corpus_to_scores(corpus, tmp_path):
    out, work = tmp_path / "toy-s1", tmp_path / "work"
    run_training(ROW, ARCHITECTURE, RECIPE, corpus, out, work)
    assert sorted(path.name for path in out.iterdir()) == sorted([*FILES, "history.csv", "run.json"])
    assert not work.exists()
    history = pd.read_csv(out / "history.csv")
    assert history["step"].tolist() == [0, 10, 20]
    run = json.loads((out / "run.json").read_text())
    assert run["settings"]["recipe"] == RECIPE
    assert run["settings"]["run"]["seed"] == 1
    assert run["data"]["train_pairs"] == 300
    assert run["data"]["target_tokens_trained_on"] == history["target_tokens"].iloc[-1]
    assert set(run["inputs"]) == {
        "tokenizer.json",
        *(f"{split}.{side}.txt" for split in ("train", "dev") for side in ("source", "target")),
    }

    description = {"target": "toyish", "tokenisation": "none"}
    settings = Translation.read({"beam": 2, "scoring": {"resamples": 20}}, "translation")
    translate_run(*translating(out, corpus), description, settings)
    scores = json.loads((out / "scores.json").read_text())
    assert scores["test"]["sentences"] == 30
    assert "bs:20|" in scores["test"]["signature"]
    assert len((out / "translations.test.txt").read_text().splitlines()) == 30


def test_snapshots_are_the_weights_at_that_update(corpus, tmp_path):
    """With a constant rate, a training that is stopped there ends with the same weights."""
    constant = {**RECIPE, "schedule": "constant_with_warmup", "average_checkpoints": 1}
    run_training(
        ROW, ARCHITECTURE, {**constant, "snapshots": [10]}, corpus, tmp_path / "long", tmp_path / "work"
    )
    run_training(ROW, ARCHITECTURE, {**constant, "steps": 10}, corpus, tmp_path / "short", tmp_path / "work")
    kept = load_file(tmp_path / "long" / "snapshots" / "10" / "model.safetensors")
    stopped = build(ARCHITECTURE, read_tokenizer(corpus / "tokenizer.json"), 7)
    start_from(stopped, tmp_path / "short")
    assert {name for name, _ in stopped.named_parameters()} == set(kept)
    for name, weight in stopped.named_parameters():
        torch.testing.assert_close(weight.detach(), kept[name], msg=name)
    with pytest.raises(InputError, match="choose updates from 1 to 19"):
        run_training(
            ROW, ARCHITECTURE, {**RECIPE, "snapshots": [20]}, corpus, tmp_path / "x", tmp_path / "work"
        )


def test_a_run_that_starts_from_another(corpus, tmp_path):
    run_training(ROW, ARCHITECTURE, RECIPE, corpus, tmp_path / "first", tmp_path / "work")
    still = {**RECIPE, "steps": 0}
    row = {**ROW, "run": "second", "seed": 2}
    second = tmp_path / "second"
    run_training(row, ARCHITECTURE, still, corpus, second, tmp_path / "work", init_folder=tmp_path / "first")
    theirs, ours = (load_file(tmp_path / run / "model.safetensors") for run in ("first", "second"))
    assert all((theirs[name] == weight).all() for name, weight in ours.items())
    assert pd.read_csv(second / "history.csv")["step"].tolist() == [0]


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
    assert sorted(path.name for path in gated.iterdir()) == sorted(
        [*FILES, "gates.csv", "history.csv", "run.json"]
    )
    table = pd.read_csv(gated / "gates.csv")
    assert table[["kind", "layer", "head"]].to_numpy().tolist() == [
        ["encoder", 1, head] for head in (1, 2, 3, 4)
    ]
    assert (table["kept"] == (table["log_a"] > 0)).all()
    kept = table["kept"].tolist()
    assert 0 < sum(kept) < 4, "the toy's gates fall on both sides"
    history = pd.read_csv(gated / "history.csv")
    assert history["kept_heads"].iloc[-1] == sum(kept)
    run = json.loads((gated / "run.json").read_text())
    assert run["gates"]["encoder"] == {"heads": 4, "kept": sum(kept)}
    before, after = (load_file(folder / "model.safetensors") for folder in (whole, gated))
    assert run["parameters"] > run["training"]["trained_parameters"]
    for name in before:
        assert torch.equal(before[name], after[name]) == ("encoder.lay" not in name), name
    columns = (
        after["model.encoder.layers.0.self_attn.out_proj.weight"].unflatten(1, (4, 8)).abs().amax(dim=(0, 2))
    )
    assert [int(column > 0) for column in columns] == kept


def test_a_gated_run_that_starts_from_a_gated_one_keeps_its_heads_closed(runs, corpus, tmp_path):
    _, gated, _ = runs
    before = pd.read_csv(gated / "gates.csv")["kept"]
    row = {**GATED, "penalty": 0, "target": int(before.sum()) - 1}
    recipe = {**GATED_RECIPE, "gates": {"rate": 0.01, "initial": 2.0}}
    shape = {**ARCHITECTURE, "heads": 4}
    run_training(row, shape, recipe, corpus, tmp_path / "next", tmp_path / "work", init_folder=gated)
    after = pd.read_csv(tmp_path / "next" / "gates.csv")["kept"]
    assert after.sum() == before.sum() - 1
    assert (after <= before).all()
    weight = load_file(tmp_path / "next" / "model.safetensors")[
        "model.encoder.layers.0.self_attn.out_proj.weight"
    ]
    columns = weight.unflatten(1, (4, 8)).abs().amax(dim=(0, 2))
    assert [int(column > 0) for column in columns] == after.tolist()


def test_a_published_model(runs, corpus, tmp_path):
    """A folder that transformers loads, with a card that says what it is."""
    _, gated, _ = runs
    description = {"target": "toyish", "tokenisation": "none"}
    translate_run(*translating(gated, corpus), description, Translation(beam=1))
    (tmp_path / "gated").mkdir()
    published = Files(published=[tmp_path / "gated/model.safetensors"])
    publish_weights(Files(model=[gated / "run.json"]), published, ["en", "de"], "toy text")
    assert sorted(path.name for path in (tmp_path / "gated").iterdir()) == sorted(
        [*FILES, "README.md", "gates.csv", "history.csv", "run.json", "scores.json"]
    )
    assert (tmp_path / "gated" / "model.safetensors").read_bytes() == (
        gated / "model.safetensors"
    ).read_bytes()
    card = ModelCard.load(tmp_path / "gated" / "README.md")
    assert card.data.language == ["en", "de"]
    kept = int(pd.read_csv(gated / "gates.csv")["kept"].sum())
    score = json.loads((gated / "scores.json").read_text())["test"]["bleu"]
    for words in ("| trained on | toy text: 300 sentence pairs |", f"| heads kept | {kept} of 4 encoder |"):
        assert words in card.text
    assert f"| BLEU on held-out text | {score:.1f} [" in card.text
    assert "nrefs:1\\|bs:" in card.text  # a bare bar would end the table's cell


def test_a_run_with_the_heads_of_another(runs):
    _, gated, masked = runs
    theirs, ours = (pd.read_csv(folder / "gates.csv") for folder in (gated, masked))
    assert ours["kept"].tolist() == theirs["kept"].tolist()
    weight = load_file(masked / "model.safetensors")["model.encoder.layers.0.self_attn.out_proj.weight"]
    columns = weight.unflatten(1, (4, 8)).abs().amax(dim=(0, 2))
    assert [int(column > 0) for column in columns] == theirs["kept"].tolist()


def test_a_gated_run_is_made_smaller_and_translates(runs, corpus, tmp_path):
    _, gated, _ = runs
    remove_closed_heads(gated, tmp_path / "smaller")
    source = (corpus / "test.source.txt").read_text().splitlines()
    search = {"engine": "transformers", "beam": 2}
    assert translate(tmp_path / "smaller", source, search) == translate(gated, source, search)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"penalty": -1}, "the penalty is -1.0; it must be 0 or more"),
        ({"penalty": 0, "target": 3}, "3 heads are to be kept, but 2 have gates"),
    ],
)
def test_gates_that_are_none_write_nothing(corpus, tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        run_training({**GATED, **change}, ARCHITECTURE, RECIPE, corpus, tmp_path / "out", tmp_path / "work")
    assert not any(tmp_path.iterdir())


def test_a_mask_of_another_architecture_writes_nothing(runs, corpus, tmp_path):
    row = {**ROW, "gates": "mask:gated"}
    with pytest.raises(InputError, match="gates of 4 heads for encoder 1, which has 2 heads"):
        run_training(
            row, ARCHITECTURE, RECIPE, corpus, tmp_path / "out", tmp_path / "work", mask_folder=runs[1]
        )
    recipe = {**RECIPE, "gates": {"temprature": 0.5}}
    with pytest.raises(
        InputError, match=r"the recipe of run '[\w-]+': `gates`: unknown key 'temprature'; did you mean"
    ):
        run_training(GATED, ARCHITECTURE, recipe, corpus, tmp_path / "out", tmp_path / "work")
    assert not any(tmp_path.iterdir())


def test_positions_bound_the_sentences(corpus, tmp_path):
    run_training(
        ROW, {**ARCHITECTURE, "max_positions": 5}, RECIPE, corpus, tmp_path / "out", tmp_path / "work"
    )
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    assert run["data"]["train_dropped"] > 0
    assert run["data"]["train_pairs"] + run["data"]["train_dropped"] == 300


def test_what_cannot_be_trained_writes_nothing(corpus, tmp_path):
    def run(recipe=RECIPE, folder=corpus):
        run_training(ROW, ARCHITECTURE, recipe, folder, tmp_path / "out", tmp_path / "work")

    with pytest.raises(InputError, match=r"the recipe of run '[a-z0-9-]+': unknown key 'step'"):
        run(recipe={**RECIPE, "step": 3})
    with pytest.raises(InputError, match="`segments` and `masking` are for masked language models"):
        run(recipe={**RECIPE, "masking": {"share": 0.2}})
    with pytest.raises(InputError, match="the tokenizer does not exist"):
        run(folder=tmp_path)
    assert not (tmp_path / "out").exists()


def test_case_does_not_count_where_the_tokenizer_knows_none(corpus, tmp_path):
    tokenizer = json.loads((corpus / "tokenizer.json").read_text()) | {"normalizer": {"type": "Lowercase"}}
    lower = write_corpus(tmp_path / "lower", {"train": 50, "dev": 10, "test": 10})
    (lower / "tokenizer.json").write_text(json.dumps(tokenizer))
    run_training(ROW, ARCHITECTURE, RECIPE, lower, tmp_path / "out", tmp_path / "work")
    translate_run(*translating(tmp_path / "out", lower), {"target": "toyish"}, Translation())
    assert "case:lc" in json.loads((tmp_path / "out" / "scores.json").read_text())["test"]["signature"]
