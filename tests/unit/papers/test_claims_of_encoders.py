"""Claims about encoders, norms and alignments on made-up tables, counted by hand."""

import made_up_encoder as made
import pandas as pd
import pytest

from headwork.papers.claims import FAILS, HOLDS, UNTESTABLE, judge
from headwork.papers.study import read_study


def tables(**others):
    return {
        "segments": made.statistics(),
        "chance": made.chance(),
        "sensitivity": made.sensitivity(),
        "words": made.words(),
        "offsets": made.offsets(),
        "rules": made.rules(),
        "probes": made.probes(),
        "plane": made.plane(),
        "correlations": made.correlations(),
        "alignments": made.alignments(),
    } | others


def verdict(test, given=None, pair="EN", **parameters):
    claim = {
        "claim": "It is so.",
        "published": None,
        "source": "",
        "test": test,
        "select": {"pair": pair},
        "parameters": parameters,
    }
    return judge("made-up", [claim], tables() if given is None else given).iloc[0]


def test_heads_over_are_counted():
    row = verdict("heads_over", statistic="attention", key="sep", above=0.45)
    assert (row["ours"], row["n"], row["verdict"]) == (2, 4, HOLDS)
    assert "encoder 2-1, encoder 2-2" in row["note"]
    row = verdict("heads_over", statistic="attention", key="previous", above=0.5)
    assert (row["ours"], row["verdict"]) == (0, FAILS)
    assert (
        verdict("no_head_over", statistic="attention", keys=["previous", "next"], above=0.5)["verdict"]
        == HOLDS
    )
    planted = tables(segments=made.statistics(previous=0.9))
    row = verdict("no_head_over", planted, statistic="attention", keys=["previous", "next"], above=0.5)
    assert (row["ours"], row["verdict"]) == (1, FAILS)
    assert verdict("heads_over", statistic="attention", key="nothing", above=0)["verdict"] == UNTESTABLE


def test_layers():
    row = verdict("layer_over", statistic="attention", key="sep", above=0.5)
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.55), HOLDS)
    assert row["low"] < 0.55 < row["high"]
    assert verdict("broadest_layer", layer=1)["verdict"] == HOLDS
    assert verdict("broadest_layer", layer=2)["verdict"] == FAILS


def test_sensitivity():
    row = verdict("sensitivity_falls", key="sep")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.1), HOLDS)
    assert verdict("sensitivity_falls", key="punctuation")["verdict"] == FAILS


def test_relations():
    row = verdict("relation_beats_offset", relation="obj", at_least=0.1)
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(0.5), 300, HOLDS)
    assert verdict("relation_beats_offset", relation="det", at_least=0)["verdict"] == FAILS
    assert verdict("relation_beats_offset", relation="nmod", at_least=0)["verdict"] == UNTESTABLE
    # `all` is not `all but punct`
    assert verdict("relation_within_offset", relation="all", at_most=0.15)["ours"] == pytest.approx(0.2)


def test_antecedents_and_probes():
    row = verdict("head_beats_rule", rule="head-match", candidates="preceding-mentions")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.2), HOLDS)
    row = verdict("probe_beats", better="attention-and-words", worse="distances-and-words")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.1), HOLDS)
    assert verdict("probe_beats", better="attention", worse="distances-and-words")["verdict"] == FAILS


def test_layers_hang_together():
    assert verdict("layers_hang_together", at_most=0.05)["verdict"] == HOLDS
    assert verdict("layers_hang_together", tables(plane=made.plane(p=0.2)), at_most=0.05)["verdict"] == FAILS
    one = made.plane().drop(columns="p").assign(layers="layers cannot be compared")
    assert verdict("layers_hang_together", tables(plane=one), at_most=0.05)["verdict"] == UNTESTABLE


def test_norms():
    # of the weights 0.05 + 0.45 go to special pieces; of the norms 0.05 + 0.045, of 0.595 in all
    row = verdict("share_of_norms_smaller", keys=["cls", "sep"])
    assert row["ours"] == pytest.approx(0.5 - 0.095 / 0.595)
    assert row["verdict"] == HOLDS
    assert verdict("share_of_norms_smaller", keys=["other"])["verdict"] == FAILS


def test_correlations():
    row = verdict("correlation_below", statistic="weight-norm-rho", key="sep", below=0)
    assert (row["ours"], row["verdict"]) == (-0.4, HOLDS)
    assert row["low"] < -0.4 < row["high"] < 0
    assert verdict("correlation_above", statistic="rank-norm-rho", key="all", above=0.5)["verdict"] == HOLDS
    row = verdict("correlation_smaller", smaller="rank-weight-rho", larger="rank-norm-rho", key="all")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.6), HOLDS)


def test_alignments():
    row = verdict("norms_align_better", pair="DE-EN", setting="output")
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(0.1), 2, HOLDS)
    row = verdict("input_aligns_better", pair="DE-EN", measure="norm")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.2), HOLDS)
    assert verdict("norms_align_better", pair="EN", setting="output")["verdict"] == UNTESTABLE


@pytest.mark.parametrize("key", ["clark2019", "kobayashi2020"])
def test_every_claim_of_the_studies_can_be_judged(root, key):
    study = read_study(root / f"config/papers/{key}.yaml")
    given = tables()
    untrained = made.statistics().assign(run="bert-untrained", trained=False)
    given["segments"] = pd.concat([given["segments"], untrained], ignore_index=True)
    judged = judge(key, study.claims, given)
    assert len(judged) == len(study.claims)
    untestable = judged[judged["verdict"] == UNTESTABLE]
    assert set(untestable["note"]) <= {
        "fewer than 100 words with the relation nsubj",
        "fewer than 100 words with the relation aux:pass",
    }
