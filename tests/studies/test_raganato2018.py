"""Claims of raganato2018, counted by hand, and the runs of its items."""

import claims_by_hand
import made_up_layers as made
import pytest
from studies.raganato2018 import tables as views

from headwork.studies.judging import FAILS, HOLDS, UNTESTABLE


def tables(**others):
    return {"trees": made.trees(), "branching": made.branching(), "scores": made.scores()} | others


def verdict(test, select, given=None, **parameters):
    return claims_by_hand.verdict("raganato2018", test, given or tables(), select, **parameters)


def test_trees():
    row = verdict("best_trees_like", {"domain": "news"}, baseline="right-branching", within=0.1)
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.05), HOLDS)
    assert "encoder 2-2" in row["note"]
    # to heads all have 0.2, left-branching 0.1
    row = verdict("mean_trees_like", {"domain": "news"}, baseline="left-branching", within=0.05)
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.1), FAILS)
    control = {"domain": "news", "trained": False}
    assert verdict("no_trees_above", control, baseline="right-branching")["verdict"] == FAILS
    worse = tables(trees=made.trees(best=0.41))
    assert verdict("no_trees_above", control, worse, baseline="right-branching")["verdict"] == HOLDS


PROBING = {"domain": "probing", "pair": "EN-RU"}


def test_depth():
    def depth(task, lowest, highest):
        return verdict(
            "known_best_at",
            PROBING,
            {"tags": made.tags()},
            task=task,
            probe="linear",
            lowest=lowest,
            highest=highest,
        )

    assert (depth("pos", 0, 0.5)["ours"], depth("pos", 0, 0.5)["verdict"]) == (1, HOLDS)
    assert depth("semantic", 0, 0.5)["verdict"] == FAILS
    assert depth("semantic", 0.5, 1)["verdict"] == HOLDS
    assert depth("pos", 0, 0.5 / 3)["verdict"] == FAILS  # layer 1 of 3 lies at the very bound
    assert depth("chunks", 0, 1)["verdict"] == UNTESTABLE


def test_transfer():
    row = verdict("transfer_gains", {"pair": "EN-TR"}, better="fine-tuned", worse="scratch")
    assert (row["ours"], row["n"], row["verdict"]) == (10, 500, HOLDS)
    assert row["low"] == pytest.approx(10 - 2**0.5)
    assert verdict("transfer_gains", {"pair": "EN-TR"}, better="scratch", worse="frozen")["verdict"] == FAILS


def test_table2_has_means_best_heads_and_baselines():
    table = views.induced_trees(made.trees(), made.branching())
    own = table[(table["run"] == "news-karvan-s1") & (table["words"] == "all")]
    own = own.set_index(["system", "direction"])
    best = own.loc[("best head", "head-to-dependent")]
    assert (best["layer"], best["head"], best["ours"], best["n"]) == (2, 2, 0.45, 4000)
    assert own.loc[("all heads, mean", "head-to-dependent"), "ours"] == pytest.approx((3 * 0.2 + 0.45) / 4)
    assert own.loc[("layer 1", "head-to-dependent"), "ours"] == 0.2
    assert own[own.index.get_level_values("system") == "right-branching"]["ours"].tolist() == [0.4]
    # the same head without punctuation
    without = table[(table["words"] == "all but punct") & (table["system"] == "best head")]
    assert without["ours"].max() == pytest.approx(0.225)
