"""One row of the run sheet, end to end."""

import json

import pandas as pd
import pytest
from safetensors.torch import load_file
from toy_corpus import ARCHITECTURE, RECIPE, write_corpus

from headwork.errors import InputError
from headwork.models.checkpoints import FILES
from headwork.models.training_run import run_training
from headwork.models.translation_run import translate_run

ROW = {"run": "toy-s1", "objective": "translation", "recipe": "toy", "seed": 1, "gates": "none"}


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
    settings = {"beam": 2, "scoring": {"resamples": 20}}
    translate_run(out, corpus, out, description, settings, splits=["dev", "test"])
    scores = json.loads((out / "scores.json").read_text())
    assert list(scores) == ["dev", "test"]
    assert scores["test"]["sentences"] == 30
    assert "bs:20|" in scores["test"]["signature"]
    assert len((out / "translations.test.txt").read_text().splitlines()) == 30


def test_a_run_that_starts_from_another(corpus, tmp_path):
    run_training(ROW, ARCHITECTURE, RECIPE, corpus, tmp_path / "first", tmp_path / "work")
    still = {**RECIPE, "steps": 0}
    row = {**ROW, "run": "second", "seed": 2}
    second = tmp_path / "second"
    run_training(row, ARCHITECTURE, still, corpus, second, tmp_path / "work", init_folder=tmp_path / "first")
    theirs, ours = (load_file(tmp_path / run / "model.safetensors") for run in ("first", "second"))
    assert all((theirs[name] == weight).all() for name, weight in ours.items())
    assert pd.read_csv(second / "history.csv")["step"].tolist() == [0]


def test_positions_bound_the_sentences(corpus, tmp_path):
    run_training(
        ROW, {**ARCHITECTURE, "max_positions": 5}, RECIPE, corpus, tmp_path / "out", tmp_path / "work"
    )
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    assert run["data"]["train_dropped"] > 0
    assert run["data"]["train_pairs"] + run["data"]["train_dropped"] == 300


def test_what_cannot_be_trained_writes_nothing(corpus, tmp_path):
    def run(row=ROW, recipe=RECIPE, folder=corpus):
        run_training(row, ARCHITECTURE, recipe, folder, tmp_path / "out", tmp_path / "work")

    with pytest.raises(InputError, match="run 'toy-s1': unknown objective 'chess'"):
        run(row={**ROW, "objective": "chess"})
    with pytest.raises(InputError, match="recipe 'toy': unknown key 'step'"):
        run(recipe={**RECIPE, "step": 3})
    with pytest.raises(InputError, match="no such tokenizer"):
        run(folder=tmp_path)
    assert not (tmp_path / "out").exists()


def test_case_does_not_count_where_the_tokenizer_knows_none(corpus, tmp_path):
    tokenizer = json.loads((corpus / "tokenizer.json").read_text()) | {"normalizer": {"type": "Lowercase"}}
    lower = write_corpus(tmp_path / "lower", {"train": 50, "dev": 10, "test": 10})
    (lower / "tokenizer.json").write_text(json.dumps(tokenizer))
    run_training(ROW, ARCHITECTURE, RECIPE, lower, tmp_path / "out", tmp_path / "work")
    translate_run(tmp_path / "out", lower, tmp_path / "out", {"target": "toyish"})
    assert "case:lc" in json.loads((tmp_path / "out" / "scores.json").read_text())["test"]["signature"]
