"""A run of attribution on a task: what is written, on which examples, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer
from transformers import BertForSequenceClassification

from headwork.errors import InputError
from headwork.models.loading.checkpoints import save
from headwork.relevance.jobs.attribution import attribute_run
from headwork.run.frame import Files
from headwork.settings.models import TaskSettings
from headwork.settings.relevance import AttributionRun

WORDS = ["good", "bad", "film", "plot", "very", "is"]
SETTINGS = {
    "examples": 8,
    "longest": 16,
    "tokens": 40,
    "shown": 2,
    "readable": [3, 16],
    "nodes": [1, 10],
    "tree": {"threshold": 0.1},
    "triggers": {"examples": 6, "shortest": 1, "tried": 2, "least": 0.0, "texts": 8, "near": 2},
}


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    tokenizer = word_tokenizer(WORDS)
    config = tiny_bert(tokenizer, initializer_range=0.4).config
    config.num_labels = 2
    torch.manual_seed(4)
    folder = tmp_path_factory.mktemp("model")
    save(folder, BertForSequenceClassification(config).eval(), tokenizer)
    return folder


@pytest.fixture(scope="module")
def task_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("SST-2")
    chance = np.random.default_rng(0)
    for split, size in (("train", 20), ("dev", 10)):
        rows = [f"{' '.join(chance.choice(WORDS, 3 + n % 4))}\t{n % 2}" for n in range(size)]
        (folder / f"{split}.tsv").write_text("\n".join(["sentence\tlabel", *rows]) + "\n")
    return folder


FILES = "importance.parquet completeness.parquet quadrature.csv edges.csv kept.csv triggers.csv trees.json maps.json"


def run(folders, tmp_path, task="SST-2", **changes):
    model, data = folders
    outputs = Files(**{name.split(".")[0]: tmp_path / "new" / name for name in FILES.split()})
    settings = AttributionRun.read(SETTINGS | changes, "attribution")
    attribute_run(Files(model=model, task=data), outputs, TaskSettings(task=task), settings)
    return outputs


@pytest.fixture(scope="module")
def outputs(model_folder, task_folder, tmp_path_factory):
    return run((model_folder, task_folder), tmp_path_factory.mktemp("outputs"))


@pytest.fixture(scope="module")
def predicted(model_folder, task_folder, tmp_path_factory):
    return run((model_folder, task_folder), tmp_path_factory.mktemp("predicted"), answer="predicted")


def test_sums_are_complete_and_gauss_is_nearest(outputs):
    complete = pd.read_parquet(outputs.completeness)
    bound = (0.02 * complete["change"].abs()).clip(lower=1e-4)
    assert (complete["missing"].abs() <= bound).all()
    kept, edges = pd.read_csv(outputs.kept), pd.read_csv(outputs.edges)
    grown = kept[kept["edges"] > 1].set_index("example")["edges"]
    assert (edges.groupby("example").size() + 1).to_dict() == grown.to_dict()
    assert not edges["between"].any()  # a single sentence has one part
    quadrature = pd.read_csv(outputs.quadrature)
    mean = quadrature["missing"].abs().groupby([quadrature["rule"], quadrature["steps"]]).mean()
    assert (mean.xs(10, level="steps") <= mean.xs(1, level="steps")).all()
    assert mean["gauss", 10] == mean.min()
    importance = pd.read_parquet(outputs.importance).query("measure == 'attribution'")
    highest = importance.groupby(["layer", "head"])["value"].mean().idxmax()
    shown = json.loads(outputs.maps.read_text())
    assert {(each["layer"], each["head"]) for each in shown} == {highest}


def test_triggers_are_tried_on_both_halves_of_dev(outputs):
    table = pd.read_csv(outputs.triggers)
    assert set(table["source"]) == {"none", "attribution", "attention", "random"}
    none = table[table["source"] == "none"]
    assert none["accuracy"].eq(none["clean"]).all()
    one = table[(table["source"] == "random") & (table["trigger"] == 1)]
    assert one["n"].sum() == 8
    assert set(table["gold"]) == {"negative", "positive"}
    assert table.groupby(["gold", "half"])["clean"].nunique().eq(1).all()


def test_examples_are_held_out_unless_asked_otherwise(
    model_folder, task_folder, outputs, predicted, tmp_path
):
    leaked = run((model_folder, task_folder), tmp_path, leak=True)
    own, leaked, predicted = (
        pd.read_parquet(each.importance)["value"] for each in (outputs, leaked, predicted)
    )
    assert not np.allclose(own, leaked)
    assert not np.allclose(own, predicted)


def test_trees_are_of_what_the_model_says(outputs, predicted):
    for name, within in (("edges", 1e-3), ("kept", 0)):
        tables = (pd.read_csv(getattr(each, name)) for each in (outputs, predicted))
        pd.testing.assert_frame_equal(*tables, rtol=within)


def test_what_is_refused(model_folder, task_folder, tmp_path):
    for changes, message in (
        ({"readable": [8]}, r"attribution: readable is \[8\]; give the least and the most pieces"),
        ({"longest": 64}, "examples of 64 pieces for a model of 32 positions; lower `longest`"),
    ):
        with pytest.raises(InputError, match=message):
            run((model_folder, task_folder), tmp_path, **changes)
    with pytest.raises(InputError, match="attribution: STS-B is a regression task"):
        run((model_folder, task_folder), tmp_path, task="STS-B")
    assert not (tmp_path / "new").exists()
