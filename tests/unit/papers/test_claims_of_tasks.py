"""Claims about fine-tuned models on made-up tables, counted by hand."""

import made_up_tasks as made
import pandas as pd
import pytest
from headwork.papers.claims.judging import FAILS, HOLDS, UNTESTABLE, judge
from headwork.papers.study import read_study
from headwork.papers.views.tasks import over_seeds


def tables(**others):
    return {
        "tasks": made.of(made.statistics),
        "disabling": made.of(made.disabling, seeds=(1, 2, 3)),
        "glue": made.all_scores(),
        "words": made.roles(),
    } | others


def verdict(test, given=None, select=None, **parameters):
    claim = {
        "claim": "It is so.",
        "published": None,
        "source": "",
        "test": test,
        "select": {"pair": "EN"} | (select or {}),
        "parameters": parameters,
    }
    return judge("made-up", [claim], tables() if given is None else given).iloc[0]


def test_patterns():
    row = verdict("regular_patterns_at_least", at_least=0.6)
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(0.7), 400, HOLDS)
    assert verdict("regular_patterns_at_least", at_least=0.75)["verdict"] == FAILS
    row = verdict("most_frequent_regular_pattern", pattern="vertical")
    assert (row["ours"], row["n"], row["verdict"]) == (7, 7, HOLDS)
    assert verdict("most_frequent_regular_pattern", pattern="diagonal")["verdict"] == FAILS


def test_changes_by_fine_tuning():
    row = verdict("last_layers_change_most", layers=1, tasks=6)
    assert (row["ours"], row["verdict"]) == (6, HOLDS)
    assert verdict("last_layers_change_most", layers=1, tasks=7)["verdict"] == FAILS
    assert verdict("last_layers_change_most", layers=2, tasks=6)["verdict"] == UNTESTABLE


def test_features():
    row = verdict("highest_layer_over", feature="sep", above=0.25, tasks=7)
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.3), HOLDS)
    assert verdict("highest_layer_over", feature="cls", above=0.25, tasks=7)["verdict"] == FAILS
    assert verdict("highest_layer_over", feature="colour", above=0, tasks=1)["verdict"] == UNTESTABLE


def test_a_scale_without_some_of_the_tasks():
    """Of four tasks of seven the claim wants as many as of seven, in proportion; of a plain list it wants all."""
    there = ["MRPC", "QQP", "RTE", "MNLI"]
    rows = made.of(made.statistics)
    given = tables(tasks=rows[rows["domain"].isin(there)])
    asked = sorted(set(rows["domain"]))
    some = {"domain": {"any_of": asked}}
    row = verdict("highest_layer_over", given, some, feature="sep", above=0.25, tasks=7)
    assert (row["n"], row["verdict"]) == (4, HOLDS)
    assert row["note"].endswith("; without QNLI, SST-2, STS-B")
    row = verdict("last_layers_change_most", given, some, layers=1, tasks=6)
    assert (row["ours"], row["verdict"]) == (3, FAILS), "6 of 7 are more than 3 of 4"
    assert verdict("last_layers_change_most", given, some, layers=1, tasks=5)["verdict"] == HOLDS
    for absent in {"domain": asked}, {"domain": {"any_of": ["SST-2"]}}:
        row = verdict("highest_layer_over", given, absent, feature="sep", above=0.25, tasks=7)
        assert row["verdict"] == UNTESTABLE
    assert (
        "without" not in verdict("highest_layer_over", None, some, feature="sep", above=0.25, tasks=7)["note"]
    )


def test_role_heads():
    row = verdict("role_heads_stand_out", times=2)
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(0.2), 400, HOLDS)
    assert row["note"] == "encoder 2-1, 10.0 times the median at 0.020"
    assert verdict("role_heads_stand_out", times=11)["verdict"] == FAILS
    control = verdict("no_role_head_stands_out", times=2)
    assert (control["ours"], control["verdict"]) == (pytest.approx(0.2), FAILS)
    assert verdict("no_role_head_stands_out", times=11)["verdict"] == HOLDS


def test_seeds_add_to_what_the_choice_of_examples_adds():
    rows = made.of(made.disabling, domains=["RTE"], seeds=(1, 2, 3))
    table = over_seeds(rows).set_index(["layer", "head", "method"])
    steady, shaky = table.loc[(1, 2, "uniform")], table.loc[(1, 1, "uniform")]
    assert (steady["change"], steady["low"], steady["high"]) == pytest.approx((-0.01, -0.015, -0.005))
    assert shaky["change"] == pytest.approx(0.02 / 3)
    # Student's t of two degrees of freedom, 4.303, times .02 / 3
    assert shaky["high"] - shaky["change"] == pytest.approx(
        (0.005**2 + (4.303 * 0.02 / 3) ** 2) ** 0.5, rel=1e-3
    )


def test_a_head_is_chosen_on_other_seeds_than_it_is_judged_on():
    row = verdict("best_removal_helps", what="head", method="uniform", tasks=6)
    assert (row["ours"], row["n"], row["verdict"]) == (6, 7, HOLDS)
    assert "MRPC 1-1 +2.0" in row["note"]
    # on the first seed 1-1 is not what the others chose, and on them it is no use
    assert "RTE" in row["note"]
    assert verdict("best_removal_helps", what="head", method="zero", tasks=7)["verdict"] == FAILS
    assert verdict("best_removal_helps", what="layer", method="uniform", tasks=1)["verdict"] == FAILS
    single = tables(disabling=made.of(made.disabling))
    assert (
        verdict("best_removal_helps", single, what="head", method="uniform", tasks=1)["verdict"] == UNTESTABLE
    )
    assert verdict("best_removal_helps", what="head", method="mask", tasks=1)["verdict"] == UNTESTABLE


def test_heads_that_can_go():
    # of four heads of each task one costs a point for certain
    row = verdict("removals_that_do_not_hurt", what="head", method="uniform", at_least=0.7)
    assert (row["ours"], row["n"], row["verdict"]) == (0.75, 28, HOLDS)
    assert verdict("removals_that_do_not_hurt", what="layer", method="uniform", at_least=0.6)["ours"] == 0.5


def test_pretraining():
    both = {"trained": [True, False]}
    row = verdict("pretraining_beats_random", select=both, tasks=6)
    assert (row["ours"], row["n"], row["verdict"]) == (6, 7, HOLDS)
    assert verdict("pretraining_beats_random", select=both, tasks=7)["verdict"] == FAILS
    alone = tables(glue=made.of(made.scores))
    assert verdict("pretraining_beats_random", alone, tasks=1)["verdict"] == UNTESTABLE


def test_every_claim_of_the_study_can_be_judged(root):
    study = read_study(root / "config/papers/kovaleva2019.yaml")
    untrained = made.roles().assign(trained=False, run="bert-untrained", value=0.02)
    found = judge(study.key, study.claims, tables(words=pd.concat([made.roles(), untrained])))
    untestable = found[found["verdict"] == UNTESTABLE]
    assert untestable["note"].tolist() == ["the model has no more than 2 layers"]
