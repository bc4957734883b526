"""The items of tenney2019 on made-up tables, its claims by hand, and its published numbers."""

import made_up_pipeline as made
import numpy as np
import pandas as pd
import pytest
from headwork.papers.claims.judging import FAILS, HOLDS, UNTESTABLE, judge
from headwork.papers.published import read_published
from headwork.papers.study import read_study
from made_up import check_text, words

from headwork.representations.probes.layer_summaries import divergence_of_gains, expected_layer


@pytest.fixture
def tenney(item):
    return lambda name, *tables, **more: item(name, *tables, study="tenney2019", **more)


def test_figure1_has_tasks_without_data_and_layers_that_are_not_defined(tenney):
    figure, table = tenney("figure1", made.layers(entities=None), published="figure1")
    assert len(table) == 3 * 6 * 7 + 2 * 8 * 6
    own = table[(table["run"] == "minilm") & (table["task"] == "pos")].set_index("quantity")["value"]
    assert own["expected-layer"] == 1.3
    text = words(figure)
    assert text.count("not defined") == 3
    assert text.count("n/a") == 3 * 4 + 2 * 2  # chunks, senses, proto-roles, relations; the paper lacks two
    assert "parts of speech\n0.800 → 0.960" in [
        label.get_text() for label in figure.axes[0].get_yticklabels()
    ]
    check_text(figure)


def test_figure2_has_gains_and_published_divergences(tenney, root):
    summaries = read_published(
        root / "config/published/tenney2019/figure1.csv", ("model", "task", "quantity")
    )
    published = read_published(root / "config/published/tenney2019/figure2.csv", ("model", "task", "layer"))
    figure, table = tenney("figure2", made.probes(), made.layers(), published, summaries)
    own = table[(table["run"] == "minilm") & (table["task"] == "pos")]
    assert own["difference"].tolist() == pytest.approx([np.nan, 0.1, 0.05, 0.01], nan_ok=True)
    assert len(table) == 3 * 6 * 4 + 8 * (13 + 25)
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[0] == "K(s) 0.20 (published 0.02)\nK(δ) 0.90 (published 1.72)"
    assert titles[1] == "K(s) 0.20\nK(δ) 0.90"  # the untrained run has nothing beside it
    check_text(figure)


def test_figure3_has_every_probability(tenney):
    figure, table = tenney("figure3", [[made.sentence()]], [])
    assert len(table) == 2 * 4
    assert table.loc[4, ["span", "other_span", "right", "wrong"]].tolist() == ["saw", "the cat", "A1", "A0"]
    check_text(figure)
    figure, table = tenney("figure3", [[]], [])
    assert table.empty
    assert "no sentence has two spans" in words(figure)


def test_published_summaries_follow_from_the_published_scores(root):
    folder = root / "config/published/tenney2019"
    scores = pd.read_csv(folder / "figure2.csv")
    summaries = pd.read_csv(folder / "figure1.csv").set_index(["model", "task", "quantity"])["value"]
    for (model, task), own in scores.groupby(["model", "task"]):
        f1 = own.sort_values("layer")["value"].to_numpy()
        assert f1[0] == pytest.approx(summaries[model, task, "first"], abs=0.0011)
        # scores are rounded to 0.001
        assert expected_layer(f1) == pytest.approx(summaries[model, task, "expected-layer"], abs=0.25)
        assert divergence_of_gains(f1) == pytest.approx(summaries[model, task, "k-delta"], abs=0.2)


def verdict(test, given=None, trained=(True,), **parameters):
    claim = {
        "claim": "It is so.",
        "published": None,
        "source": "",
        "test": test,
        "select": {"domain": "English", "pair": "BERT", "trained": list(trained)},
        "parameters": parameters,
    }
    tables = {"edge_probes": made.probes(), "edge_layers": made.layers()} if given is None else given
    return judge("made-up", [claim], tables).iloc[0]


PIPELINE = {
    "quantity": "expected-layer",
    "tasks": ["pos", "constituents", "dependencies", "roles", "coreference"],
    "at_least": 1,
}


def test_the_order_of_the_pipeline():
    row = verdict("layers_in_order", **PIPELINE)
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(1), 5, HOLDS)
    row = verdict("layers_in_order", {"edge_layers": made.layers(roles=1.0)}, **PIPELINE)
    assert row["verdict"] == FAILS
    row = verdict("layers_in_order", {"edge_layers": made.layers(pos=None)}, **PIPELINE)
    assert (row["verdict"], row["note"]) == (
        UNTESTABLE,
        "expected-layer is not defined for pos, whose gain is within its error",
    )
    row = verdict("layers_in_order", quantity="expected-layer", tasks=["pos", "senses"], at_least=1)
    assert (row["verdict"], row["note"]) == (UNTESTABLE, "there are no spans of the task senses")


def test_gains():
    row = verdict("every_task_gains")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.1), HOLDS)
    table = made.layers()
    table.loc[(table["task"] == "entities") & (table["quantity"] == "gain"), "low"] = -0.01
    assert verdict("every_task_gains", {"edge_layers": table})["verdict"] == FAILS
    row = verdict("gains_early", task="pos", share=0.3333, more_than=0.5)
    assert (row["ours"], row["verdict"], row["note"]) == (
        pytest.approx(0.1 / 0.16),
        HOLDS,
        "layers 1 to 1 of 3",
    )
    assert verdict("gains_early", task="roles", share=0.3333, more_than=0.5)["verdict"] == FAILS
    row = verdict("every_task_exceeds_untrained", trained=(True, False))
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.3), HOLDS)


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


def test_every_claim_of_tenney2019_can_be_judged(root):
    study = read_study(root / "config/papers/tenney2019.yaml")
    found = judge(study.key, study.claims, {"edge_probes": made.probes(), "edge_layers": made.layers()})
    assert (found["verdict"] != UNTESTABLE).all()
