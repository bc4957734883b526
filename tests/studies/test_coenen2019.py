"""Claims of coenen2019, counted by hand."""

import claims_by_hand
import made_up_geometry as made
import numpy as np
import pandas as pd
import pytest
from scipy.stats import f_oneway

from headwork.studies.judging import FAILS, HOLDS, UNTESTABLE


def tables(**others):
    names = ("attention_probe", "structural", "embeddings", "senses", "semantic", "concatenation")
    return {name: getattr(made, name)() for name in names} | {"arcs": made.edges()} | others


def verdict(test, given=None, domain="Penn Treebank", trained=True, **parameters):
    select = {"domain": domain, "trained": trained}
    return claims_by_hand.verdict(
        "coenen2019", test, tables() if given is None else given, select, **parameters
    )


def test_attention_beside_distance_and_controls():
    row = verdict("attention_tells", task="exists", features="attention", than="distance")
    assert (row["ours"], row["n"], row["verdict"]) == (0.8, 2000, HOLDS)
    row = verdict("attention_tells", task="exists", features="random-labels", than="majority")
    assert row["verdict"] == FAILS
    control = {"task": "exists", "features": "attention", "than": "distance", "at_most": 0}
    assert verdict("attention_tells_no_more", trained=False, **control)["verdict"] == HOLDS
    leaky = tables(attention_probe=made.attention_probe(untrained=0.9))
    assert verdict("attention_tells_no_more", leaky, trained=False, **control)["verdict"] == FAILS
    split = {"task": "relation", "features": "attention", "at_most": 0.02}
    assert verdict("split_matters_little", **split)["verdict"] == HOLDS
    leaky = tables(attention_probe=made.attention_probe(by_pair=0.1))
    row = verdict("split_matters_little", leaky, **split)
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.1), FAILS)
    few = tables(attention_probe=made.attention_probe().assign(n=50))
    assert verdict("split_matters_little", few, **split)["verdict"] == UNTESTABLE


def test_trees_in_states():
    row = verdict("states_keep_trees", than="adjacent")
    assert (row["ours"], row["verdict"]) == (0.8, HOLDS)
    assert "layer 1" in row["note"]
    assert (
        verdict("states_keep_trees", tables(structural=made.structural(0.4)), than="adjacent")["verdict"]
        == FAILS
    )
    row = verdict("relations_differ_in_length", at_most=0.001)
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(3), 200, HOLDS)
    same = tables(arcs=made.edges(0.01))
    assert verdict("relations_differ_in_length", same, at_most=0.001)["verdict"] == FAILS
    assert verdict("nearly_a_tree", embedding="exact", at_least=1)["verdict"] == HOLDS
    assert verdict("nearly_a_tree", embedding="random-points", at_least=0.9)["verdict"] == FAILS


def test_the_analysis_of_variance_is_that_of_scipy():
    chance = np.random.default_rng(0)
    groups = {
        name: chance.normal(shift, 1, size)
        for name, shift, size in (("a", 0, 40), ("b", 0.3, 25), ("c", 0.1, 60))
    }
    rows = [(name, each.mean() + 2, each.std(ddof=1), len(each)) for name, each in groups.items()]
    table = pd.DataFrame(rows, columns=["relation", "mean", "sd", "n"]).assign(**made.TREES)
    p = f_oneway(*groups.values()).pvalue
    note = verdict("relations_differ_in_length", tables(arcs=table), at_most=p + 1e-9)
    assert note["verdict"] == HOLDS
    assert f"p = {p:.2g}" in note["note"]
    assert verdict("relations_differ_in_length", tables(arcs=table), at_most=p - 1e-9)["verdict"] == FAILS


def test_senses_in_states():
    def own(test, given=None, **parameters):
        return verdict(test, given, domain="SemCor", **parameters)

    row = own("centroids_beat_most_frequent", words="ambiguous")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.2), HOLDS)
    assert (
        own("centroids_beat_most_frequent", tables(senses=made.senses((0.5, 0.6))), words="ambiguous")[
            "verdict"
        ]
        == FAILS
    )
    assert own("probe_beats_centroids", words="ambiguous")["ours"] == pytest.approx(0.1)
    row = own("senses_rise_over_layers", words="ambiguous")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.1), HOLDS)
    fallen = tables(senses=made.senses((0.5, 0.8, 0.7)))
    assert own("senses_rise_over_layers", fallen, words="ambiguous")["verdict"] == FAILS
    row = own("trained_beats_random", words="all")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.05 + 1 / 128), HOLDS)
    assert own("trained_beats_random", tables(semantic=made.semantic(-0.1)), words="all")["verdict"] == FAILS


def test_words_that_are_joined():
    row = verdict("joining_misleads", domain="SemCor")
    half = 1.96 * ((0.2 + 0.05 - 0.15**2) / 1000) ** 0.5
    assert row["ours"] == pytest.approx(0.15)
    assert row["high"] - row["ours"] == pytest.approx(half)
    assert row["verdict"] == HOLDS
    assert verdict("joining_misleads", domain="SemCor", beside_random=True)["verdict"] == FAILS
    assert (
        verdict("joining_misleads", tables(concatenation=made.concatenation(0.05, 0.2)), domain="SemCor")[
            "verdict"
        ]
        == FAILS
    )
