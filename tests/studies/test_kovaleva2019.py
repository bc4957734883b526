"""Views and claims of kovaleva2019 about fine-tuned models, counted by hand."""

import claims_by_hand
import made_up_tasks as made
import pytest
from studies.kovaleva2019.tables import over_seeds

from headwork.studies.judging import FAILS, HOLDS, UNTESTABLE


def tables(**others):
    given = {"tasks": made.of(made.statistics), "disabling": made.of(made.disabling, seeds=(1, 2, 3))}
    return given | others


def verdict(test, given=None, select=None, **parameters):
    chosen = {"pair": "EN"} | (select or {})
    return claims_by_hand.verdict(
        "kovaleva2019", test, tables() if given is None else given, chosen, **parameters
    )


def test_changes_by_fine_tuning():
    row = verdict("last_layers_change_most", layers=1, tasks=6)
    assert (row["ours"], row["verdict"]) == (6, HOLDS)
    assert verdict("last_layers_change_most", layers=1, tasks=7)["verdict"] == FAILS
    assert verdict("last_layers_change_most", layers=2, tasks=6)["verdict"] == UNTESTABLE


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
    row = verdict("highest_layer_over", None, some, feature="sep", above=0.25, tasks=7)
    assert "without" not in row["note"]


def test_seeds_add_to_what_the_choice_of_examples_adds():
    rows = made.of(made.disabling, domains=["RTE"], seeds=(1, 2, 3))
    table = over_seeds(rows).set_index(["layer", "head", "method"])
    steady, shaky = table.loc[(1, 2, "uniform")], table.loc[(1, 1, "uniform")]
    assert (steady["change"], steady["low"], steady["high"]) == pytest.approx((-0.01, -0.015, -0.005))
    assert shaky["change"] == pytest.approx(0.02 / 3)
    # Student's t of two degrees of freedom, 4.303, times .02 / 3
    half = (0.005**2 + (4.303 * 0.02 / 3) ** 2) ** 0.5
    assert shaky["high"] - shaky["change"] == pytest.approx(half, rel=1e-3)


def test_a_head_is_chosen_on_other_seeds_than_it_is_judged_on():
    row = verdict("best_removal_helps", what="head", method="uniform", tasks=6)
    assert (row["ours"], row["n"], row["verdict"]) == (6, 7, HOLDS)
    assert "MRPC 1-1 +2.0" in row["note"]
    # on the first seed 1-1 is not what the others chose, and on them it is no use
    assert "RTE" in row["note"]
    assert verdict("best_removal_helps", what="head", method="zero", tasks=7)["verdict"] == FAILS
    assert verdict("best_removal_helps", what="layer", method="uniform", tasks=1)["verdict"] == FAILS
    single = tables(disabling=made.of(made.disabling))
    row = verdict("best_removal_helps", single, what="head", method="uniform", tasks=1)
    assert row["verdict"] == UNTESTABLE
    assert verdict("best_removal_helps", what="head", method="mask", tasks=1)["verdict"] == UNTESTABLE


def test_pretraining():
    glue = {"glue": made.all_scores()}
    both = {"trained": [True, False]}
    row = verdict("pretraining_beats_random", glue, both, tasks=6)
    assert (row["ours"], row["n"], row["verdict"]) == (6, 7, HOLDS)
    assert verdict("pretraining_beats_random", glue, both, tasks=7)["verdict"] == FAILS
    alone = {"glue": made.of(made.scores)}
    assert verdict("pretraining_beats_random", alone, tasks=1)["verdict"] == UNTESTABLE
