"""Claims of clark2019 and kobayashi2020 about encoders, norms and alignments, counted by hand."""

import math

import claims_by_hand
import made_up_encoder as made
import pandas as pd
import pytest
from studies.clark2019 import claims as clark2019
from studies.clark2019 import tables as clark_views
from studies.kobayashi2020.tables import error_rates_of_layers

from headwork.studies.judging import FAILS, HOLDS, UNTESTABLE


def tables(**others):
    given = {"segments": made.statistics(), "words": made.words(), "offsets": made.offsets()}
    given |= {"rules": made.rules(), "probes": made.probes(), "correlations": made.correlations()}
    return given | {"alignments": made.alignments()} | others


def verdict(test, given=None, pair="EN", **parameters):
    study = "clark2019" if hasattr(clark2019, test) else "kobayashi2020"
    given = tables() if given is None else given
    return claims_by_hand.verdict(study, test, given, {"pair": pair}, **parameters)


def sink(attention, norm, key="cls", layers=3):
    """The verdict on an encoder in whose layer 2 head 1 gives so much to a special token of that norm."""
    found = pd.concat([made.statistics().assign(layer=number) for number in range(1, layers + 1)])
    found = found[found["head"] > 0].groupby(["layer", "head", "statistic", "key"], as_index=False).first()
    at = (found["layer"] == 2) & (found["key"] == key)
    found.loc[at & (found["statistic"] == "norm"), "value"] = norm
    found.loc[at & (found["statistic"] == "attention") & (found["head"] == 1), "value"] = attention
    others = found["statistic"].eq("norm") & found["key"].eq("other")
    found.loc[others & (found["layer"] == 2), "value"] = 2.0
    found.loc[found["statistic"].eq("attention") & found["key"].isin(["cls", "sep"]) & ~at, "value"] = 0.1
    return verdict("special_token_sink", tables(segments=found), keys=["cls", "sep"], above=0.5, shorter=0.5)


def test_a_special_token_takes_idle_attention():
    row = sink(attention=0.8, norm=0.2)
    assert (row["verdict"], row["ours"]) == (HOLDS, pytest.approx(0.8))
    assert "encoder 2-1 on cls, whose norm is 0.10 of other tokens'" in row["note"]
    assert sink(attention=0.8, norm=0.2, key="sep")["verdict"] == HOLDS
    assert sink(attention=0.8, norm=1.5)["verdict"] == FAILS, "long vectors"
    assert sink(attention=0.51, norm=0.2)["verdict"] == FAILS, "within the interval"
    assert sink(attention=0.8, norm=0.2, layers=2)["verdict"] == UNTESTABLE, "its layer is the last"


def test_relations():
    row = verdict("relation_beats_offset", relation="obj", at_least=0.1)
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(0.5), 300, HOLDS)
    assert verdict("relation_beats_offset", relation="det", at_least=0)["verdict"] == FAILS
    assert verdict("relation_beats_offset", relation="nmod", at_least=0)["verdict"] == UNTESTABLE
    assert verdict("relation_beats_offset", relation="aux:pass", at_least=0)["verdict"] == UNTESTABLE
    # `all` is not `all but punct`
    assert verdict("relation_within_offset", relation="all", at_most=0.15)["ours"] == pytest.approx(0.2)


def with_values(table, values, **where):
    """The table, with other values in rows of some head, statistic and the like."""
    rows = (table[list(where)] == pd.Series(where)).all(axis=1)
    return table.assign(value=table["value"].where(~rows, values))


def test_a_head_is_scored_on_the_half_that_it_was_not_chosen_on():
    det = {"layer": 1, "head": 1, "key": "det/dependent-to-head"}
    lucky = with_values(made.words(), 0.75, statistic="dependency", **det)
    lucky = with_values(lucky, 1.0, statistic="dependency-half-1", **det)
    # chosen on the first half, it finds 0.5 in the other; on the other half all are alike, and the first comes first
    lucky = with_values(lucky, 0.5, statistic="dependency-half-2", **det)
    second = {"layer": 1, "head": 2, "key": "det/dependent-to-head"}
    lucky = with_values(lucky, 0.6, statistic="dependency-half-2", **second)
    row = verdict("relation_beats_offset", tables(words=lucky), relation="det", at_least=0)
    # 0.5 in both halves that were kept apart, where the offset has 0.6
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(-0.1), 400, FAILS)
    assert "encoder 1-1, det/dependent-to-head: 0.75; 0.50 where heads are chosen on one half" in row["note"]
    one_half = lucky[lucky["statistic"] != "dependency-half-2"]
    row = verdict("relation_beats_offset", tables(words=one_half), relation="det", at_least=0)
    assert row["verdict"] == UNTESTABLE


def test_what_a_head_is_compared_with_is_estimated_too():
    # a difference of 0.06 between two shares of 400 has a standard error of 0.035
    near = made.offsets().assign(share=0.44)
    row = verdict("relation_beats_offset", tables(offsets=near), relation="det", at_least=0)
    assert row["ours"] == pytest.approx(0.06)
    assert (row["low"], row["high"]) == pytest.approx((0.06 - 0.069, 0.06 + 0.069), abs=0.006)
    assert row["verdict"] == FAILS
    # of 200 mentions 0.7 are found: beyond chance more than 0.62 if that were exact, but it is a share of 200 too
    rules = made.rules().assign(accuracy=0.62)
    row = verdict("head_beats_rule", tables(rules=rules), rule="nearest", candidates="preceding-mentions")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.08), FAILS)
    assert row["high"] - row["low"] == pytest.approx(2 * 1.96 * 0.0472, rel=0.05)


def test_a_rule_that_never_applies_is_no_baseline():
    rules = made.rules().assign(accuracy=math.nan)
    row = verdict("head_beats_rule", tables(rules=rules), rule="head-match", candidates="preceding-mentions")
    assert (row["verdict"], row["note"]) == (UNTESTABLE, "the rule chooses no mention in any of the texts")


def test_a_probe_may_have_to_find_several_times_as_many():
    probes = {"better": "attention-and-words", "worse": "random-attention-and-words"}
    row = verdict("probe_beats", times=2, **probes)
    # 0.8 is twice 0.4, and not more
    assert (row["ours"], row["verdict"]) == (pytest.approx(0), FAILS)
    assert row["note"] == "0.80 against 2 times 0.40"
    # the error of twice a share is twice the share's
    assert row["high"] - row["low"] == pytest.approx(2 * 1.96 * ((0.16 + 4 * 0.24) / 4000) ** 0.5, rel=0.05)
    fewer = made.probes().assign(uas=lambda rows: rows["uas"].mask(rows["uas"] == 0.4, 0.35))
    assert verdict("probe_beats", tables(probes=fewer), times=2, **probes)["verdict"] == HOLDS


def test_norms():
    # of the weights 0.05 + 0.45 go to special pieces; of the norms 0.05 + 0.045, of 0.595 in all
    row = verdict("share_of_norms_smaller", keys=["cls", "sep"])
    assert row["ours"] == pytest.approx(0.5 - 0.095 / 0.595)
    assert row["verdict"] == HOLDS
    assert "smaller in 2 of 2 layers" in row["note"]
    assert pd.isna(row["low"])
    assert verdict("share_of_norms_smaller", keys=["other"])["verdict"] == FAILS


def test_every_layer_must_have_the_smaller_share_of_norms():
    planted = made.statistics()
    for head in (1, 2):
        where = {"layer": 1, "head": head, "statistic": "weighted-norm", "key": "cls"}
        planted = with_values(planted, 1.0, **where)
    row = verdict("share_of_norms_smaller", tables(segments=planted), keys=["sep"])
    assert (row["verdict"], "2 of 2 layers" in row["note"]) == (HOLDS, True)
    row = verdict("share_of_norms_smaller", tables(segments=planted), keys=["cls", "sep"])
    assert (row["verdict"], "1 of 2 layers" in row["note"]) == (FAILS, True)


def test_correlations():
    row = verdict("correlation_below", statistic="weight-norm-rho", key="sep", below=0)
    assert (row["ours"], row["verdict"]) == (-0.4, HOLDS)
    assert row["low"] < -0.4 < row["high"] < 0
    assert verdict("correlation_above", statistic="rank-norm-rho", key="all", above=0.5)["verdict"] == HOLDS
    nearer = {"smaller": "rank-weight-rho", "larger": "rank-norm-rho", "difference": "rank-difference-rho"}
    row = verdict("correlation_smaller", **nearer, key="all")
    assert (row["ours"], row["low"], row["verdict"]) == (0.6, 0.5, HOLDS)
    assert row["note"] == "0.70 against 0.10"
    maybe = made.correlations()
    maybe = maybe.assign(low=maybe["low"].mask(maybe["statistic"] == "rank-difference-rho", -0.1))
    assert verdict("correlation_smaller", tables(correlations=maybe), **nearer, key="all")["verdict"] == FAILS


def test_a_correlation_keeps_the_interval_that_it_was_measured_with():
    wide = made.correlations()
    ranks = wide["statistic"] == "rank-norm-rho"
    wide = wide.assign(low=wide["low"].mask(ranks, 0.05), high=wide["high"].mask(ranks, 0.9))
    given = tables(correlations=wide)
    row = verdict("correlation_above", given, statistic="rank-norm-rho", key="all", above=0.5)
    assert (row["low"], row["high"]) == (0.05, 0.9)
    # those without one have that of independent pairs
    row = verdict("correlation_below", given, statistic="weight-norm-rho", key="sep", below=0)
    assert row["high"] - row["low"] == pytest.approx(0.048, abs=0.002)


def test_alignments():
    row = verdict("norms_align_better", pair="DE-EN", setting="output")
    assert (row["ours"], row["n"], row["verdict"]) == (pytest.approx(0.1), 2, HOLDS)
    # one layer that is much better does not make up for one that is worse
    mixed = made.alignments()
    for layer, value in ((1, 0.85), (2, 0.1)):
        mixed = with_values(mixed, value, layer=layer, head=0, key="output/norm")
    row = verdict("norms_align_better", tables(alignments=mixed), pair="DE-EN", setting="output")
    assert (row["ours"] > 0, row["verdict"]) == (True, FAILS)
    assert "lower in 1 of 2 layers" in row["note"]
    row = verdict("input_aligns_better", pair="DE-EN", measure="norm")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.2), HOLDS)
    assert verdict("norms_align_better", pair="EN", setting="output")["verdict"] == UNTESTABLE


def test_the_best_head_of_each_frequent_relation():
    published = claims_by_hand.published_of("clark2019", "table1")
    table = clark_views.relations_found(made.words(), made.offsets(), published)
    table = table.set_index("relation")
    assert table.index.tolist() == ["all", "det", "obj"]
    best = table.loc["obj"]
    assert (best["layer"], best["head"], best["direction"]) == (2, 1, "head-to-dependent")
    assert (best["accuracy"], best["baseline"], best["offset"], best["n"]) == (0.9, 0.4, -2, 300)
    assert best["split_half"] == pytest.approx(0.9)
    assert (best["stanford"], best["published_accuracy"], best["published_baseline"]) == ("dobj", 0.868, 0.4)


def test_error_rates_of_layers():
    rows = error_rates_of_layers(made.alignments()).set_index(["setting", "measure", "which"])
    assert rows.loc[("output", "weight", "mean of layers"), "aer"] == pytest.approx(0.75)
    assert rows.loc[("input", "norm", "best layer"), ["aer", "layer"]].tolist() == [pytest.approx(0.4), 2]
