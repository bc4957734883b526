"""Ranking the heads of a fine-tuned run: a planted head is found, and removing it costs the accuracy."""

import numpy as np
import pandas as pd
import pytest
import torch
from planted import planted_model, planted_task

from headwork.pruning.effect import gates_of_each
from headwork.pruning.jobs.ranking import measured, rank_run
from headwork.relevance.jobs.attribution import attribute_run
from headwork.run.frame import Files
from headwork.settings.models import TaskSettings
from headwork.settings.pruning import RankingSettings
from headwork.settings.relevance import AttributionRun
from headwork.sites import Site

TASK = TaskSettings(task="SST-2")
ATTRIBUTION = {
    "examples": 20,
    "longest": 16,
    "tokens": 60,
    "shown": 1,
    "nodes": [2],
    "triggers": {"examples": 4, "shortest": 1, "tried": 1, "near": 2},
}
SETTINGS = {"shares": [0, 0.25, 0.75, 1], "orders": 6, "tokens": 60, "examples": 20}
PLANTED = ("encoder", 1, 2)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return planted_model(tmp_path_factory.mktemp("model")), planted_task(tmp_path_factory.mktemp("SST-2"))


@pytest.fixture(scope="module")
def found(folders, tmp_path_factory):
    folder, (model, task) = tmp_path_factory.mktemp("out"), folders
    files = {name: folder / f"{name}.parquet" for name in ("importance", "completeness")}
    others = ("quadrature", "edges", "kept", "triggers", "trees", "maps")
    attribution = AttributionRun.read(ATTRIBUTION, "attribution")
    attribute_run(
        Files(model=model, task=task),
        Files(**files, **{name: folder / f"{name}.csv" for name in others}),
        TASK,
        attribution,
    )
    outputs = {name: folder / f"{name}.csv" for name in ("heads", "curves", "effect")}
    given = Files(model=model, task=task, importance=files["importance"])
    rank_run(given, Files(**outputs), TASK, RankingSettings.read(SETTINGS, "ranking"), attribution)
    return {name: pd.read_csv(path) for name, path in outputs.items()}


def test_the_planted_head_is_the_most_important_by_every_measure_that_knows_the_answer(found):
    heads = found["heads"]
    for measure in ("attribution", "taylor", "taylor-context", "accuracy", "loss"):
        own = heads[heads["measure"] == measure].set_index(["kind", "layer", "head"])["value"]
        assert len(own) == 4
        assert own.idxmax() == PLANTED
        assert own[PLANTED] > 0
    alone = heads[heads["measure"] == "accuracy"].set_index(["kind", "layer", "head"])["value"]
    assert alone[PLANTED] == pytest.approx(0.5)  # without it the answer is always the same
    assert alone.drop(PLANTED).eq(0).all()


def test_accuracy_falls_when_the_planted_head_goes(found):
    curves = found["curves"]
    own = curves[curves["measure"] == "attribution"].set_index("share")
    assert own["accuracy"].to_dict() == {0.0: 1.0, 0.25: 1.0, 0.75: 1.0, 1.0: 0.5}
    # orders of no meaning lose it early as often as late
    chance = curves[(curves["measure"] == "random") & (curves["share"] == 0.75)]["accuracy"]
    assert chance.min() == 0.5


def test_the_most_important_heads_of_each_example(found):
    effect = found["effect"].groupby(["measure", "first"])["accuracy"].agg(list)
    assert effect["attribution", "least"] == [1.0, 1.0, 0.5]
    assert effect["attribution", "most"] == [1.0, 0.5, 0.5]


def test_gates_of_each_example():
    values = {Site("encoder", 1): torch.tensor([[0.3, 0.1, 0.2], [0.0, 0.0, 0.5]])}
    for first, removed, expected in (
        ("least", 1, [[1, 0, 1], [0, 1, 1]]),
        ("most", 2, [[0, 1, 0], [1, 0, 0]]),
        ("least", 3, [[0, 0, 0], [0, 0, 0]]),
        ("most", 0, [[1, 1, 1], [1, 1, 1]]),
        ("most", 4, [[0, 0, 0], [0, 0, 0]]),  # as many as the widest layer has
    ):
        (gates,) = gates_of_each(values, removed, first).values()
        assert gates.tolist() == expected


def test_measures_divided_by_the_length_of_their_layer():
    rows = [("attribution", "encoder", 1, head, example, 3.0 * head) for head in (1, 2) for example in (0, 1)]
    table = pd.DataFrame(rows, columns=["measure", "kind", "layer", "head", "example", "value"])
    found = measured(table).set_index(["measure", "head"])["value"]
    assert found["attribution"].tolist() == [3.0, 6.0]
    np.testing.assert_allclose(found["attribution-normalised"], [1 / 5**0.5, 2 / 5**0.5])
