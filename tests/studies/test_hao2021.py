"""Views and claims of hao2021 on made-up tables, counted by hand."""

import made_up_attribution as made
import numpy as np
import pytest
from claims_by_hand import judged as judge
from claims_by_hand import study_of
from scipy.stats import pearsonr
from studies.hao2021.tables import (
    across_tasks,
    chosen_triggers,
    lead_of_pair,
    over_seeds,
    receptive_field,
)

from headwork.intervals import wilson


def test_means_over_seeds_have_what_examples_and_seeds_add():
    found = over_seeds(made.curves(), ["domain", "measure", "share"]).set_index(
        ["domain", "measure", "share"]
    )
    one = found.loc[("MNLI", "attribution", 0.5)]
    low, high = wilson(0.8, 200)
    assert one["high"] - one["low"] == pytest.approx(high - low)
    two = found.loc[("RTE", "attribution", 0.5)]
    assert (two["accuracy"], two["runs"], two["n"]) == (pytest.approx(0.81), 2, 200)
    # Student's t of one degree of freedom, 12.7, times the standard error of 0.8 and 0.82
    assert two["high"] - two["accuracy"] > 12.7 * 0.01
    assert found.loc[("MNLI", "random", 0.5), "accuracy"] == pytest.approx(0.5)


def test_correlations_across_tasks():
    table = across_tasks(made.importance(), draws=200, permutations=999).set_index(["first", "second"])
    like, unlike = table.loc[("RTE", "MNLI")], table.loc[("RTE", "SST-2")]
    assert like["pearson"] == pytest.approx(1.0)
    assert unlike["pearson"] < -0.9
    assert unlike["low"] <= unlike["pearson"] <= unlike["high"]
    # of 24 orders of four heads one agrees as well
    assert like["p"] == pytest.approx(1 / 24, abs=0.03)
    assert unlike["p"] > 0.9
    assert table.loc[("RTE", "RTE"), "pearson"] == pytest.approx(1.0)
    assert ("MNLI", "MNLI") not in table.index  # one seed agrees with no other
    importance = made.importance()
    own = importance[importance["measure"] == "attribution"]
    means = own.groupby(["domain", "layer", "head"])["value"].mean()
    assert unlike["pearson"] == pytest.approx(pearsonr(means["RTE"], means["SST-2"]).statistic)


def test_correlations_of_tasks_whose_seeds_disagree_have_wide_intervals():
    steady = made.importance(runs=made.TWO_SEEDS)
    shaky = steady.assign(  # the second seed of MNLI ranks heads the other way round, but hardly
        value=steady["value"].where(steady["run"] != "mnli-s2", 3 - 0.1 * (steady["value"] - 3))
    )
    for importance, sure in ((steady, True), (shaky, False)):
        table = across_tasks(importance, draws=400, permutations=9).set_index(["first", "second"])
        assert table.loc[("RTE", "MNLI"), "pearson"] > 0.98
        # seeds are drawn: one time in four it is the second alone
        assert (table.loc[("RTE", "MNLI"), "low"] > 0.9) == sure
        assert table.loc[("RTE", "MNLI"), "low"] < 1
        lead, low, high = lead_of_pair(importance, "RTE", "MNLI", draws=400)
        others = table.loc[[("RTE", "SST-2"), ("MNLI", "SST-2")], "pearson"]
        assert lead == pytest.approx(table.loc[("RTE", "MNLI"), "pearson"] - others.max())
        assert low <= lead <= high
        assert (low > 0) == sure


def test_the_receptive_field_is_a_mean_over_examples():
    found = receptive_field(made.edges()).set_index(["domain", "layer"])
    facts = ["distance", "sd", "between", "examples", "edges"]
    assert found.loc[("RTE", 1), facts].tolist() == [2, 0, 0, 60, 120]
    assert found.loc[("RTE", 2), ["distance", "between"]].tolist() == [6, 1]
    assert found.loc[("SST-2", 2), "between"] == 0


def test_triggers_are_chosen_on_one_half_and_judged_on_the_other():
    found = chosen_triggers(made.triggers())
    own = found[
        (found["run"] == "rte-s1") & (found["source"] == "attribution") & (found["gold"] == "entailment")
    ]
    assert own["trigger"].tolist() == [2, 1, 3]
    np.testing.assert_allclose(own["accuracy"], [0.4, 0.8, 0.8])
    assert set(found[found["source"] == "none"]["accuracy"]) == {0.9}


def judged(test, **tables):
    """What becomes of the study's claim by this test, on tasks there are made-up tables of."""
    claims = study_of("hao2021").claims
    (claim,) = (dict(claim) for claim in claims if claim["test"] == test)
    tasks = [domain for domain in claim["select"]["domain"] if domain != "MRPC"]
    more = {"removed": 1} if "removed" in claim["parameters"] else {}
    claim |= {"select": claim["select"] | {"domain": tasks}, "parameters": claim["parameters"] | more}
    return judge("hao2021", [claim], tables).iloc[0]


def test_like_tasks_must_lead_in_draws_of_seeds():
    row = judged("tasks_correlate_most", importance=made.importance(runs=made.TWO_SEEDS))
    assert (row["verdict"], row["n"]) == ("holds", 6)
    assert row["low"] > 0
    assert "seeds of one task: RTE 1.00, MNLI 1.00, SST-2 1.00" in row["note"]
    turned = made.importance(turned=("SST-2", "mnli-s2"), runs=made.TWO_SEEDS)
    row = judged("tasks_correlate_most", importance=turned)
    assert row["verdict"] == "does not hold"
    assert "MNLI -1.00" in row["note"]
    row = judged("tasks_correlate_most", importance=made.importance(runs=made.RUNS[1:]))
    assert "seeds of one task: one run each" in row["note"]


@pytest.mark.parametrize(
    ("test", "table", "make", "runs", "uneven"),
    [
        ("removed_heads_hurt", "effect", made.effect, 2, {"shaky": 0.3}),
        ("trees_keep_answers", "tree_answers", made.tree_answers, 4, {"useless": ["rte-s2"]}),
        ("higher_layers_join_parts", "edges", made.edges, 3, {"apart": ["rte-s2"]}),
    ],
)
def test_runs_that_disagree_leave_a_claim_open(test, table, make, runs, uneven):
    row = judged(test, **{table: make()})
    assert (row["verdict"], row["n"]) == ("holds", runs)
    assert (row["low"], row["high"]) == pytest.approx((row["ours"], row["ours"]))
    # hundreds of texts, but few runs: a mean above 0 is not enough
    row = judged(test, **{table: make(**uneven)})
    assert row["ours"] > 0
    assert (row["verdict"], row["n"]) == ("does not hold", runs)


def test_runs_without_edges_in_both_layers_do_not_count():
    edges = made.edges()
    some = edges[(edges["run"] != "rte-s2") | (edges["layer"] == 1)]
    assert judged("higher_layers_join_parts", edges=some)["n"] == 2
    one = edges[(edges["run"] == "mnli-s1") == (edges["layer"] == 2)]
    assert "no run has edges in layers 1 and 2" in judged("higher_layers_join_parts", edges=one)["note"]
