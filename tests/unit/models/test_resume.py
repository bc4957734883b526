"""A training killed at any moment ends, run again, as if it had not been killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
import torch
from safetensors.torch import load_file
from toy_corpus import ARCHITECTURE, RECIPE, data_of, tokenizer_of, write_corpus

from headwork.corpora.sources.hashes import sha256
from headwork.models.architectures.build import build
from headwork.models.gates.hard_concrete import LearnedGates
from headwork.models.jobs.train import run_training
from headwork.models.training.train import train
from headwork.settings.models import GateSettings
from headwork.sites import Site

# 90 steps are more than one pass of the corpus, and 50 lies within the second
RECIPE_90 = {**RECIPE, "steps": 90, "checkpoint_every": 25, "average_checkpoints": 2, "snapshots": [30, 60]}
ROW = {"run": "toy", "objective": "translation", "recipe": "toy", "seed": 1, "gates": "none"}
GATED = {"gates": {"rate": 0.05}}
TRAININGS = {
    "plain": (ROW, ARCHITECTURE, RECIPE_90),
    "gated": ({**ROW, "gates": "encoder", "target": 1}, ARCHITECTURE, {**RECIPE_90, **GATED}),
}
SCRIPT = """
from headwork.models.jobs.train import run_training
run_training(*{training!r}, "../corpus", "killed", "work")
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("resume") / "corpus", {"train": 400, "dev": 40})


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        pytest.param("gated", "TERM", marks=pytest.mark.slow),
        pytest.param("plain", "TERM", marks=pytest.mark.long),
        pytest.param("gated", "KILL", marks=pytest.mark.long),
    ],
)
def test_a_killed_training_goes_on(corpus, name, sent):
    folder = corpus.parent / f"{name}-{sent}"
    folder.mkdir()
    training = TRAININGS[name]
    run_training(*training, corpus, folder / "whole", folder / "work")
    command = [sys.executable, "-c", SCRIPT.format(training=training)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    killed = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.DEVNULL)
    seal = folder / "work" / "checkpoint-50" / "complete"
    deadline = time.monotonic() + 300
    while not seal.exists() and killed.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    killed.send_signal(getattr(signal, f"SIG{sent}"))
    assert killed.wait() == (-signal.SIGKILL if sent == "KILL" else 1), "it was killed while it trained"
    assert not (folder / "killed").exists()
    reached = steps_of(folder / "work")
    subprocess.run(command, cwd=folder, env=environment, stderr=subprocess.DEVNULL, timeout=300, check=True)
    files = ["model.safetensors", "history.csv", "config.json", "tokenizer.json"]
    files += [f"snapshots/{step}/model.safetensors" for step in (30, 60)]
    if sent == "TERM":  # its checkpoint adds a row to the history
        files.remove("history.csv")
        assert 50 <= reached[-1] < 90
    for file in files + ["gates.csv"] * (name != "plain"):
        assert sha256(folder / "killed" / file) == sha256(folder / "whole" / file), file
    resumed = json.loads((folder / "killed" / "run.json").read_text())["training"]["resumed_from"]
    assert resumed in ((50, 75) if sent == "KILL" else reached[-1:])
    assert not (folder / "work").exists()


def steps_of(folder):
    return sorted(int(path.name.split("-")[1]) for path in folder.glob("checkpoint-*"))


def test_what_a_kill_left_half_written_does_not_count(corpus, tmp_path):
    def run(steps_seen=None):
        model = build(ARCHITECTURE, tokenizer_of(corpus), 1)
        found = train(model, data_of(corpus, "train"), data_of(corpus, "dev"), RECIPE, 1, tmp_path)
        assert found.facts["resumed_from"] == steps_seen
        return model.get_input_embeddings().weight, found.history

    weights, history = run()
    assert steps_of(tmp_path) == [10, 20]
    (tmp_path / "checkpoint-20" / "complete").unlink()
    (tmp_path / "checkpoint-20" / "optimizer.pt").write_bytes(b"half")
    again, history_again = run(steps_seen=10)
    assert torch.equal(weights, again)
    pd.testing.assert_frame_equal(history, history_again)
    finished, history_finished = run(steps_seen=20)
    assert torch.equal(weights, finished)
    pd.testing.assert_frame_equal(history, history_finished)


@pytest.mark.parametrize("change", ["recipe", "seed", "data", "weights", "gates"])
def test_checkpoints_of_another_training_are_removed(corpus, tmp_path, change):
    data, dev = data_of(corpus, "train"), data_of(corpus, "dev")
    train(build(ARCHITECTURE, tokenizer_of(corpus), 1), data, dev, RECIPE, 1, tmp_path)
    shutil.copytree(tmp_path / "checkpoint-20", tmp_path / "checkpoint-15")
    model = build(ARCHITECTURE, tokenizer_of(corpus), 2 if change == "weights" else 1)
    recipe = {**RECIPE, "label_smoothing": 0.2} if change == "recipe" else RECIPE
    gates = LearnedGates({Site("encoder", 1): 2}, GateSettings(), 1) if change == "gates" else None
    dev, seed = data if change == "data" else dev, 2 if change == "seed" else 1
    found = train(model, data, dev, recipe, seed, tmp_path, gates=gates)
    assert found.facts["resumed_from"] is None
    assert steps_of(tmp_path) == [10, 20]


def test_checkpoints_of_another_penalty_are_removed(corpus, tmp_path):
    def run(penalty):
        gates = LearnedGates({Site("encoder", 1): 2}, GateSettings(), 1, penalty)
        model = build(ARCHITECTURE, tokenizer_of(corpus), 1)
        data, dev = data_of(corpus, "train"), data_of(corpus, "dev")
        return train(model, data, dev, RECIPE, 1, tmp_path, gates=gates).facts["resumed_from"]

    assert [run(0.1), run(0.1), run(0.2)] == [None, 20, None]


def test_average_of_the_last_checkpoints(corpus, tmp_path):
    model = build(ARCHITECTURE, tokenizer_of(corpus), 1)
    recipe = {**RECIPE, "steps": 30, "average_checkpoints": 3}
    found = train(model, data_of(corpus, "train"), data_of(corpus, "dev"), recipe, 1, tmp_path)
    saved = [load_file(tmp_path / f"checkpoint-{step}" / "model.safetensors") for step in (10, 20, 30)]
    for name, weight in model.named_parameters():
        if name in saved[0]:
            mean = torch.stack([one[name] for one in saved]).mean(dim=0)
            torch.testing.assert_close(weight.data, mean, rtol=1e-5, atol=1e-6)
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight
    assert found.history["step"].iloc[-1] == 30
