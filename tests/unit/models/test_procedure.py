"""The training procedure is the recorded one: twenty steps of each objective give the losses of `procedure.json`.

Where the losses change, models that were trained before are no longer what the code would train: `make verify` raises
the versions of the rules that train (workflow/jobs.lock), and `RECORD_LOSSES=1 pytest
tests/unit/models/test_procedure.py` records the losses anew, with these versions.
"""

import json
import os
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
import toy_corpus
import toy_text

from headwork.corpora.subwords import learning as subwords
from headwork.models.jobs.finetune import finetune
from headwork.models.jobs.language_model import train_language_model
from headwork.models.jobs.pretrain import pretrain
from headwork.models.jobs.train import run_training
from headwork.run.versions import LOCK, read_lock

RECORD = Path(__file__).with_name("procedure.json")
# Relative. AVX2 and AVX-512 differ by at most 3e-6; a beta2 of 0.99 for Adam moves the losses by 1e-5 to 3e-4.
TOLERANCE = 1e-5
COLUMNS = ["loss", "dev_loss"]
TRAININGS = ("train", "train_watched", "train_gated", "language_model", "pretrain", "finetune")

DROPPING = {"dropout": {"residual": 0.1, "attention": 0.1, "activation": 0.1}}
SHORT = {"evaluate_every": 20, "checkpoint_every": 20}
GATES = {"gates": {"rate": 0.1, "multiplier_rate": 0.05}}


def _row(objective: str, gates: str = "none", **more) -> dict:
    return {"run": "toy", "objective": objective, "seed": 3, "gates": gates, **more}


def _translate(folder: Path, out: Path, row: dict, shape: dict, recipe: dict, **more) -> None:
    shape = toy_corpus.ARCHITECTURE | {"decoder_layers": 2} | DROPPING | shape
    recipe = toy_corpus.RECIPE | SHORT | recipe
    run_training(row, shape, recipe, folder / "pairs", out, out / "work", device="cpu", **more)


def _gated_from(folder: Path, out: Path, row: dict, recipe: dict) -> None:
    """From weights that another training left."""
    _translate(folder, folder / "whole", _row("translation"), {}, {"steps": 10})
    _translate(folder, out, row, {}, recipe, init_folder=folder / "whole")


def _speak(folder: Path, out: Path, objective: str, recipe: dict) -> None:
    shape, recipe = toy_corpus.ARCHITECTURE | DROPPING, toy_corpus.RECIPE | SHORT | recipe
    train_language_model(_row(objective), shape, recipe, folder / "pairs", out, out / "work", device="cpu")


def _read(folder: Path, out: Path) -> None:
    shape = toy_text.ARCHITECTURE | {"layers": 2, "dropout": 0.1, "attention_dropout": 0.1}
    pretrain(_row("mlm"), shape, toy_text.RECIPE | SHORT, folder / "text", out, out / "work", device="cpu")


def _classify(folder: Path, out: Path, task: str) -> None:
    _read(folder, folder / f"{task}-encoder")
    recipe = {"epochs": 2, "batch": 16, "peak_rate": 5e-3, "longest": 32, "precision": "fp32"}
    settings = {"task": task, "scoring": {"resamples": 10}}
    encoder = folder / f"{task}-encoder"
    finetune(
        _row("classification"), recipe, settings, encoder, folder / task, out, out / "work", device="cpu"
    )


OBJECTIVES = {
    "translation, pre-norm": partial(_translate, row=_row("translation"), shape={}, recipe={}),
    "translation, post-norm, noise": partial(
        _translate,
        row=_row("translation"),
        shape={"family": "marian"},
        recipe={"noise": 0.1, "accumulation": 2},
    ),
    "translation, Muon": partial(_translate, row=_row("translation"), shape={}, recipe={"optimizer": "muon"}),
    "gates in the encoder": partial(_gated_from, row=_row("translation", "encoder", target=1), recipe=GATES),
    "gates in all attentions": partial(
        _gated_from, row=_row("translation", "all", penalty=0.02), recipe=GATES
    ),
    "encoder of another run, frozen": partial(
        _gated_from, row=_row("translation"), recipe={"start": "encoder", "frozen": "encoder"}
    ),
    "language model": partial(_speak, objective="lm", recipe={"label_smoothing": 0.0}),
    "masked language model": partial(_speak, objective="mlm", recipe={"masking": {"share": 0.2}}),
    "BERT": _read,
    "classification": partial(_classify, task="SST-2"),
    "regression": partial(_classify, task="STS-B"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Fixed data for all objectives."""
    found = tmp_path_factory.mktemp("procedure")
    pairs = toy_corpus.write_corpus(found / "pairs", {"train": 300, "dev": 40})
    sides = [pairs / f"train.{side}.txt" for side in ("source", "target")]
    subwords.save(subwords.learn(sides, subwords.Subwords(vocabulary=90)), pairs / "tokenizer.json")
    toy_text.write_paragraphs(found / "text", {"train": 200, "dev": 30})
    toy_text.write_sentiment(found / "SST-2", {"train": 160, "dev": 40})
    toy_text.write_similarity(found / "STS-B", {"train": 160, "dev": 40})
    return found


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_losses_are_the_recorded_ones(folder: Path, tmp_path: Path, root: Path, objective: str) -> None:
    OBJECTIVES[objective](folder, tmp_path)
    history = pd.read_csv(tmp_path / "history.csv")
    found = {name: float(history[name].iloc[-1]) for name in COLUMNS}
    versions = versions_of_trainings(root)
    recorded = json.loads(RECORD.read_text()) if RECORD.is_file() else {"losses": {}}
    if os.environ.get("RECORD_LOSSES"):
        losses = recorded["losses"] | {objective: {name: round(value, 6) for name, value in found.items()}}
        RECORD.write_text(json.dumps({"versions": versions, "losses": losses}, indent=1) + "\n")
        return
    message = (
        f"training by '{objective}' gives other losses than those recorded with versions {recorded['versions']} of the "
        f"trainings ({LOCK} says {versions}): if that is meant, run `make verify against=COMMIT`, which raises the "
        "versions, and RECORD_LOSSES=1 pytest tests/unit/models/test_procedure.py; else correct the code"
    )
    assert recorded["versions"] == versions, message
    assert found == pytest.approx(recorded["losses"][objective], rel=TOLERANCE), message


def versions_of_trainings(root: Path) -> dict[str, int]:
    """The versions of the rules that train."""
    lock = read_lock(root / LOCK)
    return {job: lock[job].version for job in TRAININGS}


def test_the_losses_of_every_objective_are_recorded() -> None:
    recorded = json.loads(RECORD.read_text())
    assert set(recorded["losses"]) == set(OBJECTIVES)
    assert len({json.dumps(losses) for losses in recorded["losses"].values()}) == len(OBJECTIVES)
