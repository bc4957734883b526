"""Pruning sweeps in the form that items and claims need (Voita et al. 2019, section 6).

A sweep starts from one trained run, its baseline. Runs pruned with the same penalty, or to the same number of heads,
are one *point* of it, over seeds; a line in a figure joins the means of points. A run from scratch has the heads that a
pruned run kept.
"""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import pandas as pd

from headwork import intervals
from headwork.errors import InputError
from headwork.studies.notation import ATTENTIONS, held

FULL = "full"  # the point of a baseline


def retained(
    sweeps: pd.DataFrame, kept: pd.DataFrame, gates: str, by: Sequence[str] = ("kind",)
) -> pd.DataFrame:
    """The sweeps with gates in `gates` (encoder, all) without runs from scratch, a row for each of `by` (kind, layer).

    Columns: those of `sweeps`, in which heads and kept are now of the kind (and layer) of the row, `by`, and point.
    Raises InputError for a run whose heads were not counted.
    """
    chosen = sweeps[(sweeps["gates"] == gates) & sweeps["method"].isin(["baseline", "gates"])]
    counts = kept.groupby(["run", *by], sort=False, as_index=False)[["heads", "kept"]].sum()
    uncounted = sorted(set(chosen["run"]) - set(counts["run"]))
    if uncounted:
        raise InputError(f"the heads of {uncounted[0]} were not counted; rerun the pruning phase")
    points = [point(*row) for row in zip(chosen["method"], chosen["penalty"], chosen["target"], strict=True)]
    return chosen.drop(columns=["heads", "kept"]).assign(point=points).merge(counts, on="run")


def point(method: str, penalty: Real, target: Real) -> str:
    """Return the name of a run's point: ``full``, ``penalty 0.01`` or ``12 heads``."""
    if method == "baseline":
        return FULL
    return f"penalty {penalty:g}" if pd.isna(target) else f"{target:g} heads"


def nearest_point(rows: pd.DataFrame, share: Real) -> pd.DataFrame:
    """The rows of the pruned point whose mean share of heads kept is nearest to `share`; none if none is pruned.

    Ties are resolved by fewer heads.
    """
    pruned = rows[rows["point"] != FULL]
    if pruned.empty:
        return pruned
    shares = (pruned["kept"] / pruned["heads"]).groupby(pruned["point"]).mean().sort_values()
    return pruned[pruned["point"] == (shares - share).abs().idxmin()]


def roles(rows: pd.DataFrame) -> list[Any]:
    """Return the distinct domains and pairs of the rows: named tuples with domain, pair and label."""
    return list(rows[["domain", "pair", "label"]].drop_duplicates().itertuples(index=False, name="Role"))


def of_role(rows: pd.DataFrame, role: Any) -> pd.DataFrame:
    """The rows of a domain and pair, ours or published."""
    return rows[(rows["domain"] == role.domain) & (rows["pair"] == role.pair)]


def with_pruned(rows: pd.DataFrame) -> pd.DataFrame:
    """Add `total` and `pruned`: the numbers of heads and of pruned heads in all rows of the run."""
    sums = rows.groupby(["domain", "run"])[["heads", "kept"]].transform("sum")
    return rows.assign(total=sums["heads"], pruned=sums["heads"] - sums["kept"])


def published_models(published: pd.DataFrame, of: list[str]) -> pd.DataFrame:
    """Return published values of figures 9 and 10 in the form of ours, with the number of pruned heads as run.

    `of` are the columns that identify numbers of heads, whose maximum is the unpruned model's.
    """
    rows = published.rename(columns={"value": "kept", "pruned": "run"})
    return rows.assign(origin="published", point=rows["run"], heads=rows.groupby(of)["kept"].transform("max"))


def layer_groups(layers: int) -> dict[int, str]:
    """Layer -> its group in figure 10: pairs from the lowest, ``1+2``, if there are at least two whole pairs.

    With fewer layers, or an odd number of them, each layer is its own group.
    """
    if layers < 4 or layers % 2:
        return {layer: str(layer) for layer in range(1, layers + 1)}
    return {layer + both: f"{layer}+{layer + 1}" for layer in range(1, layers + 1, 2) for both in (0, 1)}


def in_layer_groups(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of single layers (`retained` by kind and layer), summed over the layers of a group, which `layers` names."""
    named = rows.assign(layers=rows["layer"].map(layer_groups(int(rows["layer"].max()))))
    sums = named.groupby(["run", "kind", "layers"], sort=False, as_index=False)[["heads", "kept"]].sum()
    first = named.drop_duplicates(["run", "kind", "layers"]).drop(columns=["heads", "kept"])
    return first.merge(sums, on=["run", "kind", "layers"])


def smaller(sweeps: pd.DataFrame, kept: pd.DataFrame, gates: Sequence[str]) -> pd.DataFrame:
    """Return the runs of sweeps whose closed heads were removed and which were timed, with heads of all kinds.

    One row per run of each such sweep, with `parameters_share` (in % of the baseline's) and `speed` (sentences per
    second relative to the baseline, timed in one job); empty where not measured. Raises InputError if no run was
    measured.
    """
    table = pd.concat(retained(sweeps, kept, name, by=()) for name in gates)
    full = table["point"] == FULL
    share = 100 * table["parameters"] / table["parameters_full"]
    speed = table["sentences_per_second"] / table["sentences_per_second_full"]
    table = table.assign(parameters_share=share.where(~full, 100.0), speed=speed.where(~full, 1.0))
    timed = (speed.notna() & ~full).groupby([table[name] for name in ("domain", "pair", "gates")])
    rows = table[timed.transform("any")]
    if rows.empty:
        raise InputError(
            "closed heads were removed from no run; name gates and domains under pruning: in the config"
        )
    return rows


def against_scratch(sweeps: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    """Return table 2: baselines, and each run pruned in all attention with counterparts trained from scratch.

    One row per run, most heads first in each domain and pair: its labels, method, seed, heads kept as encoder, decoder
    and cross, BLEU with low and high; scratch, scratch_low, scratch_high, scratch_runs: the mean of the runs from
    scratch, its interval and their number; empty for a baseline.
    """
    counts = kept.pivot_table(index="run", columns="kind", values="kept", aggfunc="sum")
    counts = counts.reindex(columns=list(ATTENTIONS)).reset_index()
    sweeps = sweeps[sweeps["gates"] == "all"]
    scratch = sweeps[sweeps["method"] == "scratch"]
    pruned = (sweeps["method"] == "gates") & sweeps["run"].isin(scratch["of"])
    chosen = sweeps[(sweeps["method"] == "baseline") | pruned].merge(counts, on="run")
    others = [
        (run, mean, mean - half, mean + half, len(rows))
        for run, rows in scratch.groupby("of")
        for mean, half in [bleu(rows)]
    ]
    names = ["run", "scratch", "scratch_low", "scratch_high", "scratch_runs"]
    chosen = chosen.merge(pd.DataFrame(others, columns=names), on="run", how="left")
    order = {role: number for number, role in enumerate(zip(sweeps["domain"], sweeps["pair"], strict=True))}
    chosen["role"] = [order[role] for role in zip(chosen["domain"], chosen["pair"], strict=True)]
    chosen = chosen.sort_values(["role", "kept"], ascending=[True, False], kind="stable", ignore_index=True)
    labels = ["run", "domain", "pair", "label", "method", "seed"]
    return chosen[[*labels, *ATTENTIONS, "bleu", "low", "high", *names[1:]]]


def published_against_scratch(published: pd.DataFrame) -> pd.DataFrame:
    """The published table 2, one value a row (domain, pair, encoder, decoder, cross, method), in the form of ours."""
    keys = ["domain", "pair", *ATTENTIONS]
    rows = published.pivot_table("value", keys, "method", sort=False).reset_index()
    sources = published.drop_duplicates(keys)[[*keys, "source"]]
    trained = rows["gates"].isna().map({True: "baseline", False: "gates"})
    rows = rows.assign(method=trained, bleu=rows["gates"].fillna(rows["baseline"])).merge(sources, on=keys)
    return rows.drop(columns=["baseline", "gates"]).astype(dict.fromkeys(ATTENTIONS, float))


def bleu(rows: pd.DataFrame) -> tuple[float, float]:
    """Mean BLEU of runs that differ in their seeds alone, and the half width of its 95 % interval."""
    return intervals.of_seeds(rows["bleu"].tolist(), ((rows["high"] - rows["low"]) / 2).tolist())


def of_kept_heads(functions: pd.DataFrame, gates: pd.DataFrame) -> pd.DataFrame:
    """The rows of `functions` whose head is kept; a run without rows in `gates` keeps all its heads.

    Both are gathered over runs. A closed head still has attention weights, but does not contribute to the output.
    """
    closed = gates[~gates["kept"]][["run", "layer", "head"]]
    matched = functions.merge(closed, on=["run", "layer", "head"], how="left", indicator=True)
    return functions[(matched["_merge"] == "left_only").to_numpy()]


def functions_of_heads(functions: pd.DataFrame) -> pd.DataFrame:
    """One row per run, layer and head of `functions`: the groups of its functions as a tuple, and their number.

    A head without a function has the group none. Groups stand in the order positional, syntactic, rare.
    """
    order = ("positional", "syntactic", "rare")
    heads = functions[["run", "layer", "head"]].drop_duplicates()
    groups = held(functions).groupby(["run", "layer", "head"])["group"].agg(list)
    found = [groups.get(place, []) for place in heads.itertuples(index=False, name=None)]
    return heads.assign(
        groups=[tuple(name for name in order if name in names) or ("none",) for names in found],
        functions=[len(names) for names in found],
    ).reset_index(drop=True)
