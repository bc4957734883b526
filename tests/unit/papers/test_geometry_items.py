"""The items of coenen2019 on made-up tables: their numbers, and that no text is cut; and its claims, by hand."""

import made_up_geometry as made
import pytest
from headwork.papers.claims.judging import FAILS, HOLDS, UNTESTABLE, judge
from headwork.papers.study import read_study
from made_up import check_text, words


@pytest.fixture
def coenen(item):
    return lambda name, *tables, **more: item(name, *tables, study="coenen2019", **more)


def test_table0_has_controls_and_the_published_beside_attention(coenen):
    figure, table = coenen("table0", made.attention_probe(), published="table0")
    own = table.set_index(["task", "features", "split"])
    assert own.loc[("exists", "attention", "sentence"), ["ours", "published"]].tolist() == [0.8, 0.858]
    assert own.loc[("exists", "untrained", "pair"), "ours"] == 0.55
    assert set(own.index.get_level_values("features")) == {
        *("majority", "distance", "random-labels", "untrained", "attention", "both-directions")
    }
    assert "0.800 ± 0.010" in words(figure)
    check_text(figure)


def test_table2_has_most_frequent_relations_first(coenen):
    figure, table = coenen("table2", made.relations())
    assert table["relation"].tolist() == ["det", "obj", "cc"]
    assert table["recall_low"].iloc[0] < 0.8 < table["recall_high"].iloc[0]
    text = words(figure)
    assert "Never predicted (F1 0), with n: cc (" in text
    assert [cell.get_text() for cell in figure.axes[0].texts].count("0.000") == 0
    assert "published: not available as numbers" in text.replace("\n", " ")
    check_text(figure)


def test_figure2_has_all_pairs_of_words(coenen):
    figure, table = coenen("figure2", [made.tree(), made.tree()], made.embeddings())
    assert len(table) == 2 * 10
    own = table[table["sentence"] == 1].set_index(["word", "other_word"])
    assert own.loc[("the", "old"), "relation"] == "det"
    assert own.loc[("painter", "."), ["relation", "squared_distance"]].tolist() == ["", 0.5]
    # of the chain's other pairs none is closer than its arcs
    panel = figure.axes[2]
    dotted = [line for line in panel.lines if line.get_linestyle() == ":"]
    assert [line.get_xdata().tolist() for line in dotted] == [[2, 4]]
    check_text(figure)


def test_figure3_has_relations_by_length_and_their_stanford_labels(coenen):
    figure, table = coenen("figure3", made.edges(), published="figure3")
    own = table.dropna(subset="mean").set_index("relation")
    assert own.index.tolist() == ["obj", "aux:pass", "advcl"]
    assert own.loc["aux:pass", ["stanford", "published"]].tolist() == ["auxpass", 2.5]
    assert own.loc["advcl", "published"] == 1.2
    assert own.loc["obj", "high"] == pytest.approx(1 + 1.96 * 0.3 / 10)
    assert len(table) == 3 + 3  # what was published of relations that are not there
    check_text(figure)


def test_figure4_has_a_panel_for_the_untrained_model(coenen):
    figure, table = coenen("figure4", made.contexts())
    assert len(table) == 80
    assert "bank, layer 2, untrained" in words(figure)
    assert "bank%1 (20)" in words(figure)
    check_text(figure)


def test_figure5_has_ratios_and_shares_with_their_intervals(coenen):
    figure, table = coenen("figure5", made.concatenation())
    own = table.set_index(["vectors", "kind", "quantity", "layer"])
    joined = own.loc[("states", "joined", "misclassified", 1)]
    assert joined["ours"] == pytest.approx(0.25)
    assert joined["low"] < 0.25 < joined["high"]
    # the ratio of no difference is on the axis, and so is what the probe makes of it
    low, high = figure.axes[0].get_ylim()
    ratios = table.loc[table["quantity"] == "ratio", "ours"]
    assert low < 1
    assert low < ratios.min() <= ratios.max() < high
    check_text(figure)


def test_table1_has_the_last_layer_beside_the_published(coenen):
    figure, table = coenen("table1", made.senses(), made.semantic(), published="table1")
    own = table[table["trained"]].set_index(["system", "key", "words"])
    assert own.loc[("centroid", "2", "all"), "published"] == 0.711
    assert own.loc[("most-frequent", "", "all"), "published"] == 0.648
    assert own.loc[("trained", "128", "all"), "published"] == 0.7121
    assert (
        own.loc[("centroid", "1", "ambiguous"), "published"] != own.loc[("centroid", "2", "all"), "published"]
    )
    assert "nearest centroid, layer 2" in words(figure)
    assert "0.800 [0.774, 0.824]" in words(figure)
    check_text(figure)


def tables(**others):
    names = ("attention_probe", "structural", "embeddings", "senses", "semantic", "concatenation")
    return {name: getattr(made, name)() for name in names} | {"arcs": made.edges()} | others


def verdict(test, given=None, domain="Penn Treebank", trained=True, **parameters):
    claim = {
        "claim": "It is so.",
        "published": None,
        "source": "",
        "test": test,
        "select": {"domain": domain, "trained": trained},
        "parameters": parameters,
    }
    return judge("made-up", [claim], tables() if given is None else given).iloc[0]


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
    import numpy as np
    import pandas as pd
    from scipy.stats import f_oneway

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


def test_every_claim_of_the_study_can_be_judged(root):
    study = read_study(root / "config/papers/coenen2019.yaml")
    given = tables(attention_probe=made.attention_probe().assign(pair="EN"))
    found = judge(study.key, study.claims, given)
    assert (found["verdict"] != UNTESTABLE).all()
