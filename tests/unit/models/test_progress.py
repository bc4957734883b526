"""How far trainings are: of a finished run, one under way, one that waits, and one that trains nothing."""

import json
import os

import pandas as pd
import pytest

from headwork.models.jobs.progress import COLUMNS, progress, summary

RECIPES = {"base": {"steps": 100, "tokens_per_batch": 500}, "untrained": {"steps": 0}, "task": {"epochs": 3}}
ROW = {"objective": "translation", "architecture": "small", "recipe": "base"}


@pytest.fixture
def folders(tmp_path):
    """Models and checkpoints: `a` took 50 s for its last 80 steps, `b` 30 s for 20 steps between two checkpoints."""
    models, checkpoints = tmp_path / "models", tmp_path / "checkpoints"
    (models / "a").mkdir(parents=True)
    history = pd.DataFrame({"step": [0, 100], "dev_loss": [9.0, 2.0], "dev_accuracy": [0.0, 0.6]})
    history.to_csv(models / "a" / "history.csv", index=False)
    (models / "a" / "run.json").write_text(json.dumps({"training": {"seconds": 50.0, "resumed_from": 20}}))
    for step, clock in ((20, 1000.0), (40, 1030.0), (60, None)):
        folder = checkpoints / "b" / f"checkpoint-{step}"
        folder.mkdir(parents=True)
        log = [{"step": step, "eval_loss": 3.0, "eval_accuracy": 0.5}, {"step": step, "loss": 3.5}]
        state = {"global_step": step, "max_steps": 100, "log_history": log}
        (folder / "trainer_state.json").write_text(json.dumps(state))
        if clock is not None:  # the last one is half-written
            (folder / "complete").touch()
            os.utime(folder / "complete", (clock, clock))
    return models, checkpoints


def test_progress(folders):
    others = [
        ROW | {"run": "c"},
        ROW | {"run": "d", "architecture": "wide"},
        ROW | {"run": "e", "recipe": "untrained"},
    ]
    table = progress([ROW | {"run": "a"}, ROW | {"run": "b"}, *others], RECIPES, *folders)
    assert table.columns.tolist() == COLUMNS
    table = table.set_index("run")
    assert table.index.tolist() == ["a", "b", "c", "d"]
    assert table["state"].tolist() == ["done", "training", "waiting", "waiting"]
    assert table.loc["a", ["step", "dev_loss", "hours_left"]].tolist() == [100, 2.0, 0.0]
    assert table.loc["a", "tokens_per_second"] == 500 / (50 / 80)
    assert table.loc["b", ["step", "dev_loss", "dev_accuracy"]].tolist() == [40, 3.0, 0.5]
    assert table.loc["b", "hours_left"] == pytest.approx(60 * 1.5 / 3600, abs=0.0006)
    # as long a step as the mean of `a` and `b`
    assert table.loc["c", "hours_left"] == pytest.approx(100 * (0.625 + 1.5) / 2 / 3600, abs=0.0006)
    assert pd.isna(table.loc["d", "hours_left"])
    assert summary(table.reset_index()).endswith("1 of 4 done, 0.1 hours left, and 1 runs like none before")


def test_a_fine_tuning_counts_no_steps_before_it_begins(folders):
    table = progress([ROW | {"run": "c", "recipe": "task", "objective": "classification"}], RECIPES, *folders)
    assert table["state"].tolist() == ["waiting"]
    assert table["steps"].isna().all()
