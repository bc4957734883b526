"""Tests of claims about edge probes."""

from collections.abc import Sequence
from numbers import Real

import pandas as pd
from scipy.stats import spearmanr

from headwork import intervals
from headwork.studies.rows import where
from headwork.studies.selection import Outcome, Selection, Untestable

FEW_TASKS = 4  # a rank correlation of fewer says nothing


def layers_in_order(selection: Selection, quantity: str, tasks: Sequence[str], at_least: Real) -> Outcome:
    """The quantity of the tasks has at least this rank correlation with their order, which ours is."""
    values = _quantity(selection, quantity, tasks)
    undefined = [task for task in tasks if pd.isna(values[task])]
    note = ", ".join(f"{task} {values[task]:.2f}" for task in tasks if task not in undefined)
    if undefined:
        names = ", ".join(undefined)
        raise Untestable(f"{quantity} is not defined for {names}, whose gain is within its error")
    ours = float(spearmanr(range(len(tasks)), values.loc[list(tasks)]).statistic)
    return Outcome.without_interval(ours, len(tasks), ours >= at_least - 1e-9, note)


def _quantity(selection: Selection, quantity: str, tasks: Sequence[str] = ()) -> pd.Series:
    values = where(selection.table("edge_layers"), quantity=quantity).set_index("task")["value"]
    missing = [task for task in tasks if task not in values.index]
    if missing:
        raise Untestable(f"there are no spans of the task {missing[0]}")
    return values


def every_task_gains(selection: Selection) -> Outcome:
    """The interval of every task's gain lies above 0; ours is the smallest gain."""
    gains = where(selection.table("edge_layers"), quantity="gain").sort_values("value")
    least = gains.iloc[0]
    note = ", ".join(f"{row['task']} {row['value']:.3f}" for _, row in gains.iterrows())
    holds = bool((gains["low"] > 0).all())
    return Outcome(float(least["value"]), least["low"], least["high"], int(least["n"]), holds, note)


def gains_early(selection: Selection, task: str, share: Real, more_than: Real) -> Outcome:
    """More than that part of a task's gain comes in the first `share` of the layers; ours is the part."""
    gain = _quantity(selection, "expected-layer", [task])
    if pd.isna(gain[task]):
        raise Untestable(f"the gain of {task} is within its error")
    scores = where(selection.table("edge_probes"), task=task).sort_values("layer")
    f1, last = scores["f1"].to_numpy(), int(scores["layer"].max())
    border = round(share * last)
    ours = float((f1[border] - f1[0]) / (f1[-1] - f1[0]))
    note = f"layers 1 to {border} of {last}"
    return Outcome.without_interval(ours, scores["n"].iloc[0], ours > more_than, note)


def more_localised(selection: Selection, quantity: str, task: str, than: str) -> Outcome:
    """A divergence is larger for one task than for another, and their intervals do not overlap; ours is by how much."""
    rows = where(selection.table("edge_layers"), quantity=quantity).set_index("task")
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
    names = ("expected-layer", "centre-of-gravity")
    both = pd.concat([_quantity(selection, name) for name in names], axis=1).dropna()
    if len(both) < FEW_TASKS:
        raise Untestable(f"the expected layer is defined for fewer than {FEW_TASKS} tasks")
    ours = float(spearmanr(*both.to_numpy().T).statistic)
    low, high = intervals.of_rank_correlation(ours, len(both))
    return Outcome(ours, low, high, len(both), ours < below, ", ".join(both.index))


def every_task_exceeds_untrained(selection: Selection) -> Outcome:
    """Every task's F1 with all layers is higher than on the untrained run; ours is the smallest difference."""
    rows = where(selection.table("edge_layers"), quantity="last")
    trained = rows["trained"].astype(bool)
    own, other = (part.set_index("task") for part in (rows[trained], rows[~trained]))
    gains = (own["value"] - other["value"]).dropna().sort_values()
    least = gains.index[0]
    ends = own.loc[least, "low"] - other.loc[least, "high"], own.loc[least, "high"] - other.loc[least, "low"]
    holds = bool((own["low"] > other["high"].reindex(own.index)).loc[gains.index].all())
    note = ", ".join(f"{task} {gain:+.3f}" for task, gain in gains.items())
    return Outcome(float(gains.iloc[0]), *map(float, ends), int(own.loc[least, "n"]), holds, note)
