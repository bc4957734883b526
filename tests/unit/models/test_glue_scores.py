"""GLUE's scores: by hand, against their formulas, and their intervals."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import bootstrap

from headwork.corpora.annotated.glue import TASKS
from headwork.errors import InputError
from headwork.models.scoring.glue import LABELLED, OF_TABLES, SCORED, f1, matthews, scores

FEW = {"resamples": 50}


def test_by_hand():
    gold = np.array([1, 1, 1, 0, 0, 0, 0, 1])
    said = np.array([1, 1, 0, 0, 0, 1, 0, 0])  # 2 hits, 1 false alarm, 2 misses, 3 rightly not
    found = scores(TASKS["MRPC"], gold, said, FEW)
    assert list(found) == ["n", "f1", "accuracy"]
    assert found["n"] == 8
    assert found["accuracy"]["value"] == 5 / 8
    assert found["f1"]["value"] == pytest.approx(2 * 2 / (2 * 2 + 1 + 2))
    matthews = scores(TASKS["CoLA"], gold, said, FEW)["matthews_correlation"]["value"]
    assert matthews == pytest.approx((2 * 3 - 1 * 2) / math.sqrt(3 * 4 * 4 * 5))


def test_tables_give_what_scikit_learn_gives():
    """The formulas the interval is made with, on the examples as they are."""
    chance = np.random.default_rng(0)
    for size, labels in (500, 2), (40, 2), (300, 3):
        gold, said = chance.integers(0, labels, (2, size))
        table = np.zeros((1, labels, labels), dtype=int)
        np.add.at(table[0], (gold, said), 1)
        for metric, formula in OF_TABLES.items():
            if labels == 2 or metric == "accuracy":
                assert formula(table) == pytest.approx([LABELLED[metric](gold, said)]), metric
    nothing = np.array([[[3, 0], [2, 0]]])
    assert [f1(nothing)[0], matthews(nothing)[0]] == [0, 0]


@pytest.mark.parametrize("metric", ["f1", "matthews_correlation", "pearson", "spearman"])
def test_the_interval_is_that_of_drawing_examples(metric):
    """Against scipy's bootstrap, which draws examples one by one; bounds of 2000 draws differ by their own noise."""
    chance = np.random.default_rng(2)
    gold = chance.integers(0, 2, 60) if metric in LABELLED else chance.normal(size=60)
    noise = chance.random(60) < 0.2 if metric in LABELLED else chance.normal(size=60)
    said = np.where(noise, 1 - gold, gold) if metric in LABELLED else gold + noise
    task = replace(TASKS["MRPC" if metric in LABELLED else "STS-B"], metrics=(metric,))
    ours = scores(task, gold, said, {"resamples": 2000})[metric]

    def statistic(gold, said):
        return LABELLED[metric](gold, said) if metric in LABELLED else SCORED[metric](gold, said).statistic

    theirs = bootstrap(
        (gold, said),
        statistic,
        n_resamples=300,
        vectorized=False,
        paired=True,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    assert ours["value"] == pytest.approx(statistic(gold, said))
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours["low"] == pytest.approx(theirs.confidence_interval.low, abs=0.2 * width)
    assert ours["high"] == pytest.approx(theirs.confidence_interval.high, abs=0.2 * width)


def test_the_interval_is_that_of_the_binomial():
    """600 of 1000 right: the bootstrap's bounds are p ± 1.96 sqrt(p (1 - p) / n), within its own noise."""
    gold, said = np.ones(1000, dtype=int), np.repeat([1, 0], [600, 400])
    found = scores(TASKS["RTE"], gold, said)["accuracy"]
    half = 1.96 * math.sqrt(0.6 * 0.4 / 1000)
    assert found["low"] == pytest.approx(0.6 - half, abs=0.004)
    assert found["high"] == pytest.approx(0.6 + half, abs=0.004)
    assert found == scores(TASKS["RTE"], gold, said)["accuracy"]
    assert found != scores(TASKS["RTE"], gold, said, {"seed": 1})["accuracy"]
    narrower = scores(TASKS["RTE"], gold, said, {"confidence": 0.5})["accuracy"]
    assert found["low"] < narrower["low"] < narrower["high"] < found["high"]


def test_order_does_not_matter_and_pairs_stay_together():
    chance = np.random.default_rng(1)
    gold = chance.normal(size=80).astype(np.float32)
    found = scores(TASKS["STS-B"], gold, 2 * gold + 1, FEW)
    assert list(found) == ["n", "pearson", "spearman"]
    for metric in "pearson", "spearman":
        assert [found[metric][bound] for bound in ("value", "low", "high")] == pytest.approx(
            [1, 1, 1], abs=1e-5
        )


def test_a_constant_goes_together_with_nothing():
    gold = np.linspace(0, 5, 20, dtype=np.float32)
    assert scores(TASKS["STS-B"], gold, np.full(20, 2.5, np.float32), FEW)["pearson"]["value"] == 0
    assert scores(TASKS["QQP"], np.array([0, 1, 1]), np.zeros(3, int), FEW)["f1"]["value"] == 0


def test_errors():
    with pytest.raises(InputError, match="2 predictions cannot be scored against 3 labels"):
        scores(TASKS["RTE"], np.array([0, 1, 1]), np.array([0, 1]))
    with pytest.raises(InputError, match="0 predictions cannot"):
        scores(TASKS["RTE"], np.array([], dtype=int), np.array([], dtype=int))
