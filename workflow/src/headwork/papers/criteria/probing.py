"""Tests of claims about structural probes and edge probes (see `criteria.heads`).

Differences of two representations have a conservative interval: that between the nearer and the farther ends of their
bootstrap intervals.
"""

from collections.abc import Callable, Sequence
from numbers import Integral, Real

import pandas as pd
from scipy.stats import spearmanr

from headwork.papers.claims import intervals
from headwork.papers.claims.selection import INSTANCES, Outcome, Selection, Untestable
from headwork.papers.views import probing

UNKNOWN = float("nan")
FEW_TASKS = 4  # a rank correlation of fewer says nothing


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
    rows = [probing.representation(table, name, measure) for name in names]
    if min(row["n"] for row in rows) < INSTANCES:
        raise Untestable(f"fewer than {INSTANCES} arcs or sentences")
    return rows


def _difference(first: pd.Series, second: pd.Series, own: str, than: str, holds: bool) -> Outcome:
    layers = [f" (layer {row['layer']:.0f})" if pd.notna(row["layer"]) else "" for row in (first, second)]
    note = f"{own}{layers[0]}: {first['value']:.3f}; {than}{layers[1]}: {second['value']:.3f}"
    ends = float(first["low"] - second["high"]), float(first["high"] - second["low"])
    return Outcome(
        float(first["value"] - second["value"]), *ends, int(min(first["n"], second["n"])), holds, note
    )


def larger_is_better(selection: Selection, measure: str) -> Outcome:
    """The last of the selected pairs has a higher score than the first; ours is the difference."""
    table = selection.table("structural_probes")
    pairs = list(dict.fromkeys(table["pair"]))
    first, second = (
        probing.representation(table[table["pair"] == pair], "states", measure)
        for pair in (pairs[-1], pairs[0])
    )
    return _difference(first, second, pairs[-1], pairs[0], bool(first["low"] > second["high"]))


def each_exceeds_untrained(selection: Selection, measure: str, pairs: Sequence[str]) -> Outcome:
    """Each encoder has a higher score than the untrained one; ours is the smallest difference."""
    table = selection.table("structural_probes")
    other = probing.representation(table, probing.UNTRAINED, measure)
    found = []
    for pair in pairs:
        rows = table[(table["pair"] == pair) & table["trained"].astype(bool)]
        if rows.empty:
            raise Untestable(f"there is no run with pair {pair}")
        found.append(probing.representation(rows, "states", measure))
    least = min(found, key=lambda row: row["value"])
    holds = all(row["low"] > other["high"] for row in found)
    outcome = _difference(least, other, str(least["pair"]), probing.UNTRAINED, holds)
    note = ", ".join(f"{row['pair']} {row['value']:.3f} (layer {row['layer']:.0f})" for row in found)
    return outcome._replace(note=f"{note}; untrained: {other['value']:.3f}")


def peak_is_inside(selection: Selection, measure: str) -> Outcome:
    """The chosen layer is neither the embeddings nor the last, which has a lower score; ours is its relative depth.

    The layer was chosen on validation sentences; the intervals of its score and of the last layer's may not overlap.
    """
    table = selection.table("structural_probes")
    rows, best = probing.layers(table, measure), probing.representation(table, "states", measure)
    if len(rows) < 3:
        raise Untestable("fewer than three layers were probed")
    last = rows.iloc[-1]
    holds = bool(rows["layer"].min() < best["layer"] < last["layer"] and best["low"] > last["high"])
    note = ", ".join(f"{row['layer']:.0f}: {row['value']:.3f}" for _, row in rows.iterrows())
    return Outcome(float(best["layer"] / last["layer"]), UNKNOWN, UNKNOWN, int(best["n"]), holds, note)


def low_rank_suffices(selection: Selection, rank: Integral, at_most: Real) -> Outcome:
    """UUAS at this rank is at most `at_most` below the highest of all ranks; ours is how much."""
    rows = probing.test_rows(selection.table("structural_probes"))
    rows = rows[(rows["representation"] == "rank") & (rows["measure"] == "uuas")].sort_values("rank")
    own = rows[rows["rank"] == rank]
    if own.empty or rows["rank"].max() <= rank:
        raise Untestable(f"no probe of rank {rank} and of a higher rank was trained")
    ours = float(rows["value"].max() - own["value"].iloc[0])
    note = ", ".join(f"{row['rank']:.0f}: {row['value']:.3f}" for _, row in rows.iterrows())
    return Outcome(ours, UNKNOWN, UNKNOWN, int(own["n"].iloc[0]), ours <= at_most, note)


def layers_in_order(selection: Selection, quantity: str, tasks: Sequence[str], at_least: Real) -> Outcome:
    """The quantity of the tasks has at least this rank correlation with their order, which ours is."""
    values = _quantity(selection, quantity, tasks)
    undefined = [task for task in tasks if pd.isna(values[task])]
    note = ", ".join(f"{task} {values[task]:.2f}" for task in tasks if task not in undefined)
    if undefined:
        raise Untestable(
            f"{quantity} is not defined for {', '.join(undefined)}, whose gain is within its error"
        )
    ours = float(spearmanr(range(len(tasks)), values.loc[list(tasks)]).statistic)
    return Outcome(ours, UNKNOWN, UNKNOWN, len(tasks), ours >= at_least - 1e-9, note)


def _quantity(selection: Selection, quantity: str, tasks: Sequence[str] = ()) -> pd.Series:
    rows = selection.table("edge_layers")
    values = rows[rows["quantity"] == quantity].set_index("task")["value"]
    missing = [task for task in tasks if task not in values.index]
    if missing:
        raise Untestable(f"there are no spans of the task {missing[0]}")
    return values


def every_task_gains(selection: Selection) -> Outcome:
    """The interval of every task's gain lies above 0; ours is the smallest gain."""
    rows = selection.table("edge_layers")
    gains = rows[rows["quantity"] == "gain"].sort_values("value")
    least = gains.iloc[0]
    note = ", ".join(f"{row['task']} {row['value']:.3f}" for _, row in gains.iterrows())
    holds = bool((gains["low"] > 0).all())
    return Outcome(float(least["value"]), least["low"], least["high"], int(least["n"]), holds, note)


def gains_early(selection: Selection, task: str, share: Real, more_than: Real) -> Outcome:
    """More than that part of a task's gain comes in the first `share` of the layers; ours is the part."""
    gain = _quantity(selection, "expected-layer", [task])
    if pd.isna(gain[task]):
        raise Untestable(f"the gain of {task} is within its error")
    rows = selection.table("edge_probes")
    scores = rows[rows["task"] == task].sort_values("layer")
    f1, last = scores["f1"].to_numpy(), int(scores["layer"].max())
    border = round(share * last)
    ours = float((f1[border] - f1[0]) / (f1[-1] - f1[0]))
    note = f"layers 1 to {border} of {last}"
    return Outcome(ours, UNKNOWN, UNKNOWN, int(scores["n"].iloc[0]), ours > more_than, note)


def more_localised(selection: Selection, quantity: str, task: str, than: str) -> Outcome:
    """A divergence is larger for one task than for another, and their intervals do not overlap; ours is by how much."""
    rows = selection.table("edge_layers")
    rows = rows[rows["quantity"] == quantity].set_index("task")
    _quantity(selection, quantity, [task, than])
    first, second = rows.loc[task], rows.loc[than]
    undefined = [name for name, row in ((task, first), (than, second)) if pd.isna(row["value"])]
    if undefined:
        raise Untestable(f"{quantity} is not defined for {undefined[0]}, whose gain is within its error")
    ends = float(first["low"] - second["high"]), float(first["high"] - second["low"])
    note = f"{task}: {first['value']:.2f}; {than}: {second['value']:.2f}"
    return Outcome(float(first["value"] - second["value"]), *ends, int(first["n"]), ends[0] > 0, note)


def metrics_agree_weakly(selection: Selection, below: Real) -> Outcome:
    """Expected layers and centres of gravity of the tasks have a lower rank correlation than that, which ours is."""
    both = pd.concat(
        [_quantity(selection, name) for name in ("expected-layer", "centre-of-gravity")], axis=1
    ).dropna()
    if len(both) < FEW_TASKS:
        raise Untestable(f"the expected layer is defined for fewer than {FEW_TASKS} tasks")
    ours = float(spearmanr(*both.to_numpy().T).statistic)
    low, high = intervals.of_rank_correlation(ours, len(both))
    return Outcome(ours, low, high, len(both), ours < below, ", ".join(both.index))


def every_task_exceeds_untrained(selection: Selection) -> Outcome:
    """Every task's F1 with all layers is higher than on the untrained run; ours is the smallest difference."""
    rows = selection.table("edge_layers")
    rows = rows[rows["quantity"] == "last"]
    trained = rows["trained"].astype(bool)
    own, other = (part.set_index("task") for part in (rows[trained], rows[~trained]))
    gains = (own["value"] - other["value"]).dropna().sort_values()
    least = gains.index[0]
    ends = own.loc[least, "low"] - other.loc[least, "high"], own.loc[least, "high"] - other.loc[least, "low"]
    holds = bool((own["low"] > other["high"].reindex(own.index)).loc[gains.index].all())
    note = ", ".join(f"{task} {gain:+.3f}" for task, gain in gains.items())
    return Outcome(float(gains.iloc[0]), *map(float, ends), int(own.loc[least, "n"]), holds, note)


TESTS: dict[str, Callable[..., Outcome]] = {
    test.__name__: test
    for test in (
        probe_exceeds,
        probe_does_not_exceed,
        larger_is_better,
        each_exceeds_untrained,
        peak_is_inside,
        low_rank_suffices,
        layers_in_order,
        every_task_gains,
        gains_early,
        more_localised,
        metrics_agree_weakly,
        every_task_exceeds_untrained,
    )
}
