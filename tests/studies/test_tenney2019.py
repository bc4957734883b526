"""Claims of tenney2019, counted by hand, and its published numbers."""

import claims_by_hand
import made_up_pipeline as made
import pandas as pd
import pytest

from headwork.representations.probes.edge_summaries import divergence_of_gains, expected_layer
from headwork.studies.judging import FAILS, HOLDS, UNTESTABLE


def test_published_summaries_follow_from_the_published_scores(root):
    folder = root / "workflow/studies/tenney2019/published"
    scores = pd.read_csv(folder / "figure2.csv")
    summaries = pd.read_csv(folder / "figure1.csv").set_index(["model", "task", "quantity"])["value"]
    for (model, task), own in scores.groupby(["model", "task"]):
        f1 = own.sort_values("layer")["value"].to_numpy()
        assert f1[0] == pytest.approx(summaries[model, task, "first"], abs=0.0011)
        # scores are rounded to 0.001
        assert expected_layer(f1) == pytest.approx(summaries[model, task, "expected-layer"], abs=0.25)
        assert divergence_of_gains(f1) == pytest.approx(summaries[model, task, "k-delta"], abs=0.2)


def verdict(test, given=None, trained=(True,), **parameters):
    tables = {"edge_probes": made.probes(), "edge_layers": made.layers()} if given is None else given
    select = {"domain": "English", "pair": "BERT", "trained": list(trained)}
    return claims_by_hand.verdict("tenney2019", test, tables, select, **parameters)


PIPELINE = {"quantity": "expected-layer", "at_least": 1}
PIPELINE |= {"tasks": ["pos", "constituents", "dependencies", "roles", "coreference"]}


def test_the_order_of_the_pipeline():
    row = verdict("layers_in_order", **PIPELINE)
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(1), 5, HOLDS)
    row = verdict("layers_in_order", {"edge_layers": made.layers(roles=1.0)}, **PIPELINE)
    assert row["verdict"] == FAILS
    row = verdict("layers_in_order", {"edge_layers": made.layers(pos=None)}, **PIPELINE)
    assert row["verdict"] == UNTESTABLE
    assert row["note"] == "expected-layer is not defined for pos, whose gain is within its error"
    row = verdict("layers_in_order", quantity="expected-layer", tasks=["pos", "senses"], at_least=1)
    assert (row["verdict"], row["note"]) == (UNTESTABLE, "there are no spans of the task senses")


def test_localisation_and_the_agreement_of_the_metrics():
    row = verdict("more_localised", quantity="k-delta", task="pos", than="coreference")
    assert (row["ours"], row["low"], row["verdict"]) == (pytest.approx(0.6), pytest.approx(0.5), HOLDS)
    assert verdict("more_localised", quantity="k-s", task="entities", than="dependencies")["verdict"] == FAILS
    row = verdict("metrics_agree_weakly", below=0.5)
    assert row["verdict"] == FAILS  # they agree
    turned = made.layers(pos=3.0, constituents=2.8, roles=1.0, coreference=1.1)
    row = verdict("metrics_agree_weakly", {"edge_layers": turned}, below=0.5)
    assert row["verdict"] == HOLDS
    few = {"edge_layers": made.layers(pos=None, roles=None, coreference=None)}
    assert verdict("metrics_agree_weakly", few, below=0.5)["verdict"] == UNTESTABLE
