"""Changes of a task's score: by hand, their intervals against drawing examples one by one, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from headwork.corpora.annotated.glue import TASKS
from headwork.errors import InputError
from headwork.models.scoring.glue import LABELLED, SCORED, changes

GOLD = np.array([1, 1, 1, 0, 0, 0, 0, 1])


def test_by_hand():
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
def test_the_interval_is_that_of_drawing_examples(metric):
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


def test_what_is_refused():
    with pytest.raises(InputError, match="RTE: answers to be compared must be to the same 8 examples"):
        changes(TASKS["RTE"], GOLD, GOLD, {"after": GOLD[:4]})
    with pytest.raises(InputError, match="no interval for changes of spearman"):
        changes(replace(TASKS["STS-B"], metrics=("spearman",)), GOLD, GOLD, {})
