"""Claims of coenen2019, counted by hand."""

import claims_by_hand
import made_up_geometry as made
import numpy as np
import pandas as pd
import pytest
from scipy.stats import f_oneway

from headwork.studies.judging import FAILS, HOLDS


def verdict(test, table, **parameters):
    return claims_by_hand.verdict("coenen2019", test, table, {"trained": True}, **parameters)


def joining(**parameters):
    return verdict("joining_misleads", {"concatenation": made.concatenation()}, **parameters)


def test_the_analysis_of_variance_is_that_of_scipy():
    chance = np.random.default_rng(0)
    groups = {
        name: chance.normal(shift, 1, size)
        for name, shift, size in (("a", 0, 40), ("b", 0.3, 25), ("c", 0.1, 60))
    }
    rows = [(name, each.mean() + 2, each.std(ddof=1), len(each)) for name, each in groups.items()]
    table = pd.DataFrame(rows, columns=["relation", "mean", "sd", "n"]).assign(**made.TREES)
    p = f_oneway(*groups.values()).pvalue
    note = verdict("relations_differ_in_length", {"arcs": table}, at_most=p + 1e-9)
    assert note["verdict"] == HOLDS
    assert f"p = {p:.2g}" in note["note"]
    assert verdict("relations_differ_in_length", {"arcs": table}, at_most=p - 1e-9)["verdict"] == FAILS


def test_words_that_are_joined():
    row = joining()
    half = 1.96 * ((0.2 + 0.05 - 0.15**2) / 1000) ** 0.5
    assert row["ours"] == pytest.approx(0.15)
    assert row["high"] - row["ours"] == pytest.approx(half)
    assert row["verdict"] == HOLDS
    assert joining(beside_random=True)["verdict"] == FAILS
    won = {"concatenation": made.concatenation(0.05, 0.2)}
    assert verdict("joining_misleads", won)["verdict"] == FAILS
