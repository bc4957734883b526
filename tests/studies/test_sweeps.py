"""Sweeps of pruning cut as items look at them, on tables whose numbers can be checked in the head."""

import math

import numpy as np
import pandas as pd
import pytest
from made_up import PAPER, functions, labels, sweep, sweeps
from scipy.stats import t

from headwork import intervals
from headwork.errors import InputError
from headwork.studies import sweeps as cut
from headwork.studies.tables import read

BASE = labels()


def test_a_sweep_has_its_baseline_and_the_runs_with_its_gates():
    runs, heads = sweeps(sweep(seeds=(1, 2)), sweep(gates="all", points=3))
    encoder = cut.retained(runs, heads, "encoder")
    assert set(encoder["run"]) == {
        "news-ru-s1",
        *(f"news-ru-s1-encoder-p{i}-s{s}" for i in range(1, 7) for s in (1, 2)),
    }
    kept = encoder[encoder["run"] == "news-ru-s1-encoder-p3-s1"].set_index("kind")
    # four layers of four heads, half of them closed; the decoder has no gates
    assert kept["kept"].to_dict() == {"encoder": 8, "decoder": 8, "cross": 8}
    assert kept["heads"].to_dict() == {"encoder": 16, "decoder": 8, "cross": 8}
    assert set(kept["point"]) == {"penalty 0.03"}
    assert set(encoder.loc[encoder["run"] == "news-ru-s1", "point"]) == {"full"}
    layers = cut.retained(runs, heads, "all", by=["kind", "layer"])
    assert (layers["run"] == "news-ru-s1-all-p1-s1").sum() == 4 + 2 + 2
    assert set(layers["run"]) == {"news-ru-s1", *(f"news-ru-s1-all-p{i}-s1" for i in (1, 2, 3))}
    together = cut.retained(runs, heads, "all", by=())
    assert together.set_index("run").loc["news-ru-s1", ["heads", "kept"]].tolist() == [32, 32]


def test_a_run_whose_heads_were_not_counted_is_refused():
    runs, heads = sweep()
    with pytest.raises(InputError, match="heads of news-ru-s1-encoder-p2-s1 were not counted"):
        cut.retained(runs, heads[heads["run"] != "news-ru-s1-encoder-p2-s1"], "encoder")


def test_the_nearest_point_has_all_its_seeds():
    rows = cut.retained(*sweep(seeds=(1, 2, 3)), "encoder")
    rows = rows[rows["kind"] == "encoder"]  # of 16 heads 12, 12, 8, 4, 4 and 0: rounded within each layer
    near = cut.nearest_point(rows, 0.55)
    assert near["run"].tolist() == [f"news-ru-s1-encoder-p3-s{seed}" for seed in (1, 2, 3)]
    assert set(cut.nearest_point(rows, 0.0)["kept"]) == {0}
    assert cut.nearest_point(rows[rows["point"] == "full"], 0.5).empty


@pytest.mark.parametrize(
    ("layers", "groups"),
    [
        (6, ["1+2", "1+2", "3+4", "3+4", "5+6", "5+6"]),
        (4, ["1+2", "1+2", "3+4", "3+4"]),
        (3, ["1", "2", "3"]),
        (2, ["1", "2"]),
        (1, ["1"]),
    ],
)
def test_layers_are_paired_where_there_are_pairs_to_compare(layers, groups):
    assert list(cut.layer_groups(layers).items()) == list(enumerate(groups, start=1))


def test_scratch_runs_stand_beside_the_run_whose_heads_they_have():
    runs, heads = sweep(gates="all", points=4, seeds=(1, 2), scratch=[(1, 1), (3, 2)])
    again = runs[runs["run"] == "news-ru-s1-all-p1-s1-scratch"].assign(
        run="again", bleu=69.15, low=68.15, high=70.15
    )
    runs = pd.concat([runs, again], ignore_index=True)
    table = cut.against_scratch(runs, heads)
    assert table["run"].tolist() == ["news-ru-s1", "news-ru-s1-all-p1-s1", "news-ru-s1-all-p3-s2"]
    base, first, second = table.to_dict("records")
    assert math.isnan(base["scratch"])
    assert (first["encoder"], first["decoder"], first["cross"]) == (12, 6, 6)
    assert (first["bleu"], first["scratch_runs"]) == (69.75, 2)
    # 68.75 and 69.15; the two seeds' own spread, and the bootstrap's half width of 1
    assert first["scratch"] == pytest.approx(68.95)
    seeds = t.ppf(0.975, 1) * np.std([68.75, 69.15], ddof=1) / math.sqrt(2)
    assert first["scratch_high"] - first["scratch"] == pytest.approx(math.hypot(1, seeds))
    assert (second["scratch_low"], second["scratch_high"]) == pytest.approx((65.45, 67.45))


def test_of_one_value_no_interval_is_known():
    mean, half = intervals.of_mean([70.0])
    assert mean == 70
    assert math.isnan(half)
    assert intervals.of_mean([68.0, 70.0, 72.0]) == pytest.approx((70, 4.303 * 2 / math.sqrt(3)), rel=1e-3)


def test_the_jackknife_of_a_mean_is_students_interval():
    """Of a mean, standard error² = s²/n, whatever the values: by hand 9/10 Σ (θ_k - mean of θ)² is the same."""
    values = np.random.default_rng(0).normal(size=10)
    low, high = intervals.of_tenths(values.mean(), [np.delete(values, k).mean() for k in range(10)])
    half = 2.262 * values.std(ddof=1) / math.sqrt(10)
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), rel=1e-3)
    assert intervals.of_tenths(3.0, [2.0] * 10) == (3.0, 3.0)
    assert np.isnan(intervals.of_tenths(3.0, [np.nan, *[2.0] * 9])).all()


def test_closed_heads_have_no_functions():
    base = functions(layers=1, heads=2, domain="subtitles").assign(holds=True)
    pruned = base.assign(run="pruned")
    gates = pd.DataFrame(
        {"run": "pruned", "kind": "encoder", "layer": 1, "head": [1, 2], "kept": [False, True]}
    )
    left = cut.of_kept_heads(pd.concat([base, pruned], ignore_index=True), gates)
    assert left.groupby("run")["head"].agg(set).to_dict() == {base["run"].iloc[0]: {1, 2}, "pruned": {2}}


def test_heads_have_the_groups_of_their_functions():
    table = functions(layers=1, heads=3).assign(holds=False)
    table.loc[
        (table["head"] == 1) & table["function"].isin(["rare", "positional/-1", "positional/+1"]), "holds"
    ] = True
    table.loc[(table["head"] == 2) & (table["function"] == "syntactic/obj/to-head"), "holds"] = True
    heads = cut.functions_of_heads(table)
    assert heads["groups"].tolist() == [("positional", "rare"), ("syntactic",), ("none",)]
    assert heads["functions"].tolist() == [3, 1, 0]


@pytest.fixture
def written(tmp_path):
    runs, heads = sweeps(sweep(), sweep(domain="subtitles", shape=PAPER))
    runs.drop(columns=["label", "trained"]).to_csv(tmp_path / "voita2019.runs.csv", index=False)
    heads.to_csv(tmp_path / "voita2019.heads.csv", index=False)
    return tmp_path


def test_a_table_without_the_baseline_is_refused(written):
    with pytest.raises(InputError, match="no row is the baseline other-s1") as error:
        read("sweeps", str(written / "voita2019.runs.csv"), [BASE | {"run": "other-s1"}])
    assert str(written / "voita2019.runs.csv") in str(error.value)
    with pytest.raises(InputError, match=r"lacks the column\(s\) kind, layer"):
        read("kept", str(written / "voita2019.runs.csv"), [])


def test_sizes_and_speeds_are_relative_to_the_model_that_was_pruned():
    runs, heads = sweeps(sweep(points=4), sweep(gates="all", points=4))
    table = cut.smaller(runs, heads, ["encoder", "all"])
    assert (
        table.loc[table["method"] == "baseline", ["parameters_share", "speed"]].to_numpy().tolist()
        == [[100, 1]] * 2
    )
    half = table[table["run"] == "news-ru-s1-all-p2-s1"].iloc[0]
    assert (half["kept"], half["speed"]) == (16, pytest.approx(1.15))
    measures = ["parameters", "sentences_per_second", "sentences_per_second_full"]
    runs.loc[runs["gates"] != "encoder", measures] = math.nan
    table = cut.smaller(runs, heads, ["encoder", "all"])
    assert (set(table["gates"]), len(table)) == ({"encoder"}, 5), "the sweeps that were timed"
    runs[measures] = math.nan
    with pytest.raises(InputError, match="closed heads were removed from no run"):
        cut.smaller(runs, heads, ["encoder", "all"])
