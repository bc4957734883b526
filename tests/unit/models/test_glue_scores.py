"""GLUE's scores and their changes: by hand, against their formulas, and their intervals."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import bootstrap

from headwork.corpora.annotated.glue import TASKS
from headwork.errors import InputError
from headwork.models.scoring.glue import LABELLED, OF_TABLES, SCORED, changes, f1, matthews, scores

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


GOLD = np.array([1, 1, 1, 0, 0, 0, 0, 1])


def test_changes_by_hand():
    before = np.array([1, 1, 0, 0, 0, 1, 0, 0])  # 5 of 8 right; 2 hits, 1 false alarm, 2 misses
    after = {"better": GOLD, "same": before, "none": np.zeros(8, dtype=int)}
    found = changes(TASKS["RTE"], GOLD, before, after)
    assert found["value"].tolist() == [1, 5 / 8, 4 / 8]
    assert found["change"].tolist() == [3 / 8, 0, -1 / 8]
    assert found.loc["same", ["low", "high"]].tolist() == [0, 0]
    assert found.loc["better", "low"] >= 0
    assert (found["n"] == 8).all()
    of_f1 = changes(TASKS["MRPC"], GOLD, before, after)
    assert of_f1.loc["better", "change"] == pytest.approx(1 - 4 / 7)
    assert of_f1.loc["none", "value"] == 0


@pytest.mark.parametrize("metric", ["accuracy", "f1", "matthews_correlation", "pearson"])
def test_the_interval_of_a_change_is_that_of_drawing_examples(metric):
    chance = np.random.default_rng(3)
    if metric == "pearson":
        gold = chance.normal(size=80)
        before, after = (gold + chance.normal(size=80) * noise for noise in (1.0, 0.7))
        score = lambda gold, said: SCORED[metric](gold, said).statistic  # noqa: E731
    else:
        gold = chance.integers(0, 2, 80)
        before, after = (np.where(chance.random(80) < noise, 1 - gold, gold) for noise in (0.3, 0.2))
        score = LABELLED[metric]
    task = replace(TASKS["STS-B" if metric == "pearson" else "MRPC"], metrics=(metric,))
    ours = changes(task, gold, before, {"after": after}, {"resamples": 2000}).loc["after"]
    drawn = []
    for _ in range(500):
        examples = chance.integers(0, 80, 80)
        drawn.append(score(gold[examples], after[examples]) - score(gold[examples], before[examples]))
    assert ours["change"] == pytest.approx(score(gold, after) - score(gold, before))
    spread = np.std(drawn)
    assert ours[["low", "high"]].tolist() == pytest.approx(
        np.quantile(drawn, [0.025, 0.975]), abs=0.3 * spread
    )


def test_the_interval_of_a_paired_change_covers_it_as_often_as_it_says():
    """Two models that are right in 70 and in 75 % of cases, mostly the same ones: the true change is .05."""
    covered = 0
    for seed in range(100):
        chance = np.random.default_rng(seed)
        gold = np.zeros(300, dtype=int)
        draw = chance.random(300)
        before, after = (draw > 0.70).astype(int), (draw > 0.75).astype(int)
        found = changes(TASKS["RTE"], gold, before, {"after": after}, {"resamples": 200}).loc["after"]
        covered += found["low"] <= 0.05 <= found["high"]
    assert covered >= 88


def test_constant_scores_have_no_correlation():
    gold = np.array([0.0, 2.0, 5.0])
    found = changes(TASKS["STS-B"], gold, gold, {"constant": np.ones(3)}, {"resamples": 20})
    assert found.loc["constant", ["value", "change"]].tolist() == [0, -1]


def test_what_cannot_be_compared():
    with pytest.raises(InputError, match="RTE: answers to be compared must be to the same 8 examples"):
        changes(TASKS["RTE"], GOLD, GOLD, {"after": GOLD[:4]})
    with pytest.raises(InputError, match="no interval for changes of spearman"):
        changes(replace(TASKS["STS-B"], metrics=("spearman",)), GOLD, GOLD, {})
