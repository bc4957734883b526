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


def drawn(metric, size, seed):
    """A task with that metric alone, how it scores, gold labels, and a function of answers with so much noise."""
    chance = np.random.default_rng(seed)
    if metric in LABELLED:
        score, gold = LABELLED[metric], chance.integers(0, 2, size)
        said = lambda noise: np.where(chance.random(size) < noise, 1 - gold, gold)  # noqa: E731
    else:
        score, gold = (lambda gold, said: SCORED[metric](gold, said).statistic), chance.normal(size=size)
        said = lambda noise: gold + chance.normal(size=size) * noise  # noqa: E731
    return replace(TASKS["MRPC" if metric in LABELLED else "STS-B"], metrics=(metric,)), score, gold, said


@pytest.mark.parametrize("metric", ["f1", "matthews_correlation", "pearson", "spearman"])
def test_the_interval_is_that_of_drawing_examples(metric):
    """Against scipy's bootstrap, which draws examples one by one; bounds of 2000 draws differ by their own noise."""
    task, score, gold, answers = drawn(metric, 60, seed=2)
    said = answers(0.2 if metric in LABELLED else 1.0)
    ours = scores(task, gold, said, {"resamples": 2000})[metric]
    how = {"n_resamples": 300, "vectorized": False, "paired": True, "method": "percentile"}
    theirs = bootstrap((gold, said), score, **how, rng=np.random.default_rng(0)).confidence_interval
    assert ours["value"] == pytest.approx(score(gold, said))
    for bound in ("low", "high"):
        assert ours[bound] == pytest.approx(getattr(theirs, bound), abs=0.2 * (theirs.high - theirs.low))


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
    gold = np.random.default_rng(1).normal(size=80).astype(np.float32)
    found = scores(TASKS["STS-B"], gold, 2 * gold + 1, FEW)
    for metric in "pearson", "spearman":
        assert [found[metric][bound] for bound in ("value", "low", "high")] == pytest.approx(
            [1] * 3, abs=1e-5
        )


def test_a_constant_goes_together_with_nothing():
    gold = np.linspace(0, 5, 20, dtype=np.float32)
    assert scores(TASKS["STS-B"], gold, np.full(20, 2.5, np.float32), FEW)["pearson"]["value"] == 0
    assert scores(TASKS["QQP"], np.array([0, 1, 1]), np.zeros(3, int), FEW)["f1"]["value"] == 0


@pytest.mark.parametrize(("labels", "answers"), [([0, 1, 1], [0, 1]), ([], [])])
def test_what_cannot_be_scored(labels, answers):
    message = f"{len(answers)} predictions cannot be scored against {len(labels)} labels"
    with pytest.raises(InputError, match=message):
        scores(TASKS["RTE"], np.array(labels, dtype=int), np.array(answers, dtype=int))


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
    task, score, gold, answers = drawn(metric, 80, seed=3)
    before, after = map(answers, (0.3, 0.2) if metric in LABELLED else (1.0, 0.7))
    ours = changes(task, gold, before, {"after": after}, {"resamples": 2000}).loc["after"]
    samples = np.random.default_rng(4).integers(0, 80, (500, 80))
    differences = [score(gold[each], after[each]) - score(gold[each], before[each]) for each in samples]
    assert ours["change"] == pytest.approx(score(gold, after) - score(gold, before))
    bounds = np.quantile(differences, [0.025, 0.975])
    assert ours[["low", "high"]].tolist() == pytest.approx(bounds, abs=0.3 * np.std(differences))


def test_the_interval_of_a_paired_change_covers_it_as_often_as_it_says():
    """Two models that are right in 70 and in 75 % of cases, mostly the same ones: the true change is .05."""
    covered, gold = 0, np.zeros(300, dtype=int)
    for seed in range(100):
        draw = np.random.default_rng(seed).random(300)
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
