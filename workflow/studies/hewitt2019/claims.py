"""Tests of claims about structural probes and edge probes.

Differences of two representations have a conservative interval: that between the nearer and the farther ends of their
bootstrap intervals.
"""

from collections.abc import Sequence
from numbers import Integral, Real

import pandas as pd

from headwork.studies.rows import where
from headwork.studies.selection import INSTANCES, Outcome, Selection, Untestable

from . import tables


def probe_exceeds(selection: Selection, measure: str, own: str, than: str) -> Outcome:
    """A representation has a higher score than another, and the intervals do not overlap; ours is the difference."""
    first, second = _rows(selection, measure, own, than)
    return _difference(first, second, own, than, bool(first["low"] > second["high"]))


def probe_does_not_exceed(selection: Selection, measure: str, own: str, than: str) -> Outcome:
    """One representation has no higher score than another; ours is the difference."""
    first, second = _rows(selection, measure, own, than)
    return _difference(first, second, own, than, bool(first["value"] <= second["value"]))


def _rows(selection: Selection, measure: str, *names: str) -> list[pd.Series]:
    table = selection.table("structural_probes")
    rows = [tables.representation(table, name, measure) for name in names]
    if min(row["n"] for row in rows) < INSTANCES:
        raise Untestable(f"fewer than {INSTANCES} arcs or sentences")
    return rows


def _difference(first: pd.Series, second: pd.Series, own: str, than: str, holds: bool) -> Outcome:
    layers = [f" (layer {row['layer']:.0f})" if pd.notna(row["layer"]) else "" for row in (first, second)]
    note = f"{own}{layers[0]}: {first['value']:.3f}; {than}{layers[1]}: {second['value']:.3f}"
    ends = float(first["low"] - second["high"]), float(first["high"] - second["low"])
    ours, count = float(first["value"] - second["value"]), int(min(first["n"], second["n"]))
    return Outcome(ours, *ends, count, holds, note)


def larger_is_better(selection: Selection, measure: str) -> Outcome:
    """The last of the selected pairs has a higher score than the first; ours is the difference."""
    table = selection.table("structural_probes")
    pairs = list(dict.fromkeys(table["pair"]))
    ends = [where(table, pair=pair) for pair in (pairs[-1], pairs[0])]
    first, second = (tables.representation(rows, "states", measure) for rows in ends)
    return _difference(first, second, pairs[-1], pairs[0], bool(first["low"] > second["high"]))


def each_exceeds_untrained(selection: Selection, measure: str, pairs: Sequence[str]) -> Outcome:
    """Each encoder has a higher score than the untrained one; ours is the smallest difference."""
    table = selection.table("structural_probes")
    other = tables.representation(table, tables.UNTRAINED, measure)
    found = []
    for pair in pairs:
        rows = table[(table["pair"] == pair) & table["trained"].astype(bool)]
        if rows.empty:
            raise Untestable(f"there is no run with pair {pair}")
        found.append(tables.representation(rows, "states", measure))
    least = min(found, key=lambda row: row["value"])
    holds = all(row["low"] > other["high"] for row in found)
    outcome = _difference(least, other, str(least["pair"]), tables.UNTRAINED, holds)
    note = ", ".join(f"{row['pair']} {row['value']:.3f} (layer {row['layer']:.0f})" for row in found)
    return outcome._replace(note=f"{note}; untrained: {other['value']:.3f}")


def peak_is_inside(selection: Selection, measure: str) -> Outcome:
    """The chosen layer is neither the embeddings nor the last, which has a lower score; ours is its relative depth.

    The layer was chosen on validation sentences; the intervals of its score and of the last layer's may not overlap.
    """
    table = selection.table("structural_probes")
    rows, best = tables.layers(table, measure), tables.representation(table, "states", measure)
    if len(rows) < 3:
        raise Untestable("fewer than three layers were probed")
    last = rows.iloc[-1]
    holds = bool(rows["layer"].min() < best["layer"] < last["layer"] and best["low"] > last["high"])
    note = ", ".join(f"{row['layer']:.0f}: {row['value']:.3f}" for _, row in rows.iterrows())
    return Outcome.without_interval(best["layer"] / last["layer"], best["n"], holds, note)


def low_rank_suffices(selection: Selection, rank: Integral, at_most: Real) -> Outcome:
    """UUAS at this rank is at most `at_most` below the highest of all ranks; ours is how much."""
    rows = where(selection.table("structural_probes"), part="test", representation="rank", measure="uuas")
    rows = rows.sort_values("rank")
    own = rows[rows["rank"] == rank]
    if own.empty or rows["rank"].max() <= rank:
        raise Untestable(f"no probe of rank {rank} and of a higher rank was trained")
    ours = float(rows["value"].max() - own["value"].iloc[0])
    note = ", ".join(f"{row['rank']:.0f}: {row['value']:.3f}" for _, row in rows.iterrows())
    return Outcome.without_interval(ours, own["n"].iloc[0], ours <= at_most, note)
