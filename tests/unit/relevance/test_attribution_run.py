"""A run of attribution on a task: what is written, on which examples, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer
from transformers import BertForSequenceClassification

from headwork.errors import InputError
from headwork.models.checkpoints import save
from headwork.relevance.attribution_run import attribute_run, receptive_field
from headwork.relevance.trees import AttributionTree, Edge

WORDS = ["good", "bad", "film", "plot", "very", "is"]
SETTINGS = {"examples": 8, "longest": 16, "tokens": 40, "shown": 2, "tree": {"threshold": 0.1}}


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


def run(folders, tmp_path, **changes):
    names = {
        "importance": "parquet",
        "completeness": "parquet",
        "edges": "csv",
        "kept": "csv",
        "trees": "json",
    }
    outputs = {name: tmp_path / "new" / f"{name}.{ending}" for name, ending in names.items()}
    attribute_run(*folders, {"task": "SST-2"}, SETTINGS | changes, outputs)
    return outputs


def test_a_run(model_folder, task_folder, tmp_path):
    outputs = run((model_folder, task_folder), tmp_path)
    importance = pd.read_parquet(outputs["importance"])
    assert set(importance["measure"]) == {"attribution", "taylor", "taylor-context", "attention"}
    assert len(importance) == 4 * 8 * 4  # measures, examples, heads
    assert importance.groupby("measure")["example"].nunique().eq(8).all()
    complete = pd.read_parquet(outputs["completeness"])
    assert len(complete) == 8 * 2
    bound = (0.02 * complete["change"].abs()).clip(lower=1e-4)
    assert (complete["missing"].abs() <= bound).all()
    kept = pd.read_csv(outputs["kept"]).set_index("edges")
    assert kept["n"].eq(8).all()
    assert kept["share"].between(0, 1).all()
    trees = json.loads(outputs["trees"].read_text())
    assert len(trees) == 2
    for tree in trees:
        assert tree["pieces"][0] == "[CLS]"
        assert tree["nodes"][0] == 0
        assert tree["edges"][0]["layer"] == 2


def test_batches_do_not_matter(model_folder, task_folder, tmp_path):
    tables = [
        pd.read_parquet(run((model_folder, task_folder), tmp_path, tokens=tokens)["importance"])
        .sort_values(["measure", "example", "layer", "head"])
        .reset_index(drop=True)
        for tokens in (16, 400)
    ]
    pd.testing.assert_frame_equal(*tables, rtol=1e-3, atol=1e-6)


def test_examples_are_held_out_unless_asked_otherwise(model_folder, task_folder, tmp_path):
    own, leaked, predicted = (
        pd.read_parquet(run((model_folder, task_folder), tmp_path, **changes)["importance"])["value"]
        for changes in ({}, {"leak": True}, {"answer": "predicted"})
    )
    assert not np.allclose(own, leaked)
    assert not np.allclose(own, predicted)


def test_the_receptive_field():
    trees = [
        AttributionTree([Edge(3, 0, 4, 1.0), Edge(2, 4, 1, 1.0), Edge(1, 1, 2, 1.0)]),
        AttributionTree([Edge(3, 0, 2, 1.0), Edge(2, 2, 3, 1.0)]),
    ]
    found = receptive_field(trees)
    assert found.to_dict("records") == [
        {"layer": 1, "distance": 1.0, "sd": 0.0, "edges": 1},
        {"layer": 2, "distance": 2.0, "sd": 1.0, "edges": 2},
    ]
    assert receptive_field([AttributionTree([Edge(3, 0, 2, 1.0)])]).empty


def test_what_is_refused(model_folder, task_folder, tmp_path):
    for changes, message in (
        ({"answer": "likely"}, "attribution: answer is 'likely'; it must be gold or predicted"),
        ({"attribution": {"steps": 0}}, "attribution: steps is 0; it must be 1 or more"),
        ({"example": 2}, "attribution: unknown key 'example'; did you mean 'examples'"),
    ):
        with pytest.raises(InputError, match=message):
            run((model_folder, task_folder), tmp_path, **changes)
    with pytest.raises(InputError, match="attribution: STS-B has scores, not classes"):
        attribute_run(model_folder, task_folder, {"task": "STS-B"}, SETTINGS, {})
    assert not (tmp_path / "new").exists()
