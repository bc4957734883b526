"""Tests of claims about representations by layer.

Intervals cover the choice of text, by jackknife replicates without each tenth of it: a claim holds if it holds over the
whole interval. Without replicates the value alone decides. The intervals do not cover the choice of seed; figure 3
compares two seeds of each objective.
"""

from collections.abc import Callable, Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np
import pandas as pd

from headwork import intervals
from headwork.studies.rows import where
from headwork.studies.selection import Outcome, Selection, Untestable

from .tables import named_distances, without_tenths

REPLACED = "replaced tokens"
Estimate = Callable[[pd.DataFrame], Real]


class _Estimated(NamedTuple):
    """A value with its interval: NaN for a table without values for the tenths."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, estimate: Estimate, rows: pd.DataFrame) -> "_Estimated":
        """Compute `estimate` of rows with a `value`, and its jackknife replicates."""
        value, without = float(estimate(rows)), [estimate(part) for part in without_tenths(rows)]
        return cls(value, *(intervals.of_tenths(value, without) if without else (np.nan, np.nan)))

    def above(self, than: Real = 0) -> bool:
        """Return whether the whole interval, or without one the value, is above `than`."""
        return (self.value if np.isnan(self.low) else self.low) > than

    def at_most(self, most: Real) -> bool:
        """Return whether the whole interval, or without one the value, is at most `most`."""
        return (self.value if np.isnan(self.high) else self.high) <= most

    def outcome(self, rows: pd.DataFrame, holds: bool, note: str) -> Outcome:
        """Return the outcome of a test on these rows."""
        return Outcome(self.value, self.low, self.high, int(rows["n"].min()), bool(holds), note)


def value_changes(selection: Selection, statistic: str, key: str, from_layer: str, by: str) -> Outcome:
    """From the first (0) or second layer to the last a value falls, or rises; ours is the difference.

    `by` is falls, rises, or "rises in each layer", for which the smallest step must be positive.
    """
    rows = _layers(selection.table("evolution"), statistic, key)
    seen = rows.iloc[0 if from_layer == "first" else 1 :]
    sign = -1 if by == "falls" else 1
    ours = _Estimated.of(lambda own: _steps(own).sum(), seen)
    if by == "rises in each layer":
        shown = _Estimated.of(lambda own: _steps(own).min(), seen)
    else:
        shown = _Estimated.of(lambda own: sign * _steps(own).sum(), seen)
    return ours.outcome(rows, shown.above(), _by_layer(rows))


def _steps(rows: pd.DataFrame) -> np.ndarray:
    return np.diff(rows["value"].to_numpy())


def _by_layer(rows: pd.DataFrame) -> str:
    return ", ".join(f"layer {row['layer']}: {row['value']:.2f}" for _, row in rows.iterrows())


def last_over_lowest(selection: Selection, statistic: str, key: str) -> Outcome:
    """The value of the last layer exceeds the minimum of the layers between first and last; ours is the difference."""
    rows = _layers(selection.table("evolution"), statistic, key)
    if len(rows) < 3:
        raise Untestable("the model has one layer")
    ours = _Estimated.of(lambda own: own["value"].iloc[-1] - own["value"].iloc[1:-1].min(), rows)
    return ours.outcome(rows, ours.above(), _by_layer(rows))


def objective_over(
    selection: Selection, statistic: str, key: str, layer: str, over: Sequence[str], under: Sequence[str]
) -> Outcome:
    """In the first or last layer, values of some objectives exceed those of others; ours is the smallest difference."""
    table, place = selection.table("evolution"), -1 if layer == "last" else 0
    layers = [_layers(where(table, pair=pair), statistic, key) for pair in (*over, *under)]
    rows = pd.concat([own.iloc[[place]] for own in layers])

    def gap(own: pd.DataFrame) -> float:
        values = own.set_index("pair")["value"]
        return float(values[list(over)].min() - values[list(under)].max())

    ours = _Estimated.of(gap, rows)
    note = ", ".join(f"{row['pair']}: {row['value']:.3f}" for _, row in rows.iterrows())
    return ours.outcome(rows, ours.above(), note)


def above_control(selection: Selection, statistic: str, key: str) -> Outcome:
    """In every layer of every objective the value exceeds its control; ours is the smallest difference."""
    rows = where(selection.table("evolution"), statistic=statistic, key=key)
    if rows.empty:
        raise Untestable(f"{statistic}/{key} was not measured")
    ours = _Estimated.of(lambda own: (own["value"] - own["control"]).min(), rows)
    return ours.outcome(rows, ours.above(), "")


def side_over(selection: Selection, over: str, under: str, layer: str) -> Outcome:
    """In that layer more neighbours share the token on one side than on the other; ours is the difference."""
    table, place = selection.table("evolution"), 0 if layer == "first" else -1
    rows = pd.concat([_layers(table, side, "same").iloc[[place]] for side in (over, under)])
    ours = _Estimated.of(lambda own: own["value"].iloc[0] - own["value"].iloc[1], rows)
    one, other = rows["value"]
    return ours.outcome(rows, ours.above(), f"{over}: {one:.2f}, {under}: {other:.2f}")


def frequent_over_rare(selection: Selection, statistic: str, table: str, layer: int) -> Outcome:
    """In that layer the value of the most frequent group is above the least frequent's; ours is the difference."""
    rows = _groups_of_layer(selection.table(table), statistic, layer)
    ours = _Estimated.of(_first_over_last, rows)
    frequent, rare = rows.iloc[0], rows.iloc[-1]
    note = f"{frequent['key']}: {frequent['value']:.4f}, {rare['key']}: {rare['value']:.4f}"
    return ours.outcome(rows, ours.above(), note)


def frequent_over_rare_by_training(selection: Selection, statistic: str, table: str, layer: int) -> Outcome:
    """The difference of `frequent_over_rare` is larger in the trained than in the untrained model."""
    every = selection.table(table)
    parts = [where(every, trained=was) for was in (True, False)]
    trained, untrained = (_groups_of_layer(part, statistic, layer) for part in parts)

    def by_training(own: pd.DataFrame) -> Real:
        return _first_over_last(own[own["trained"]]) - _first_over_last(own[~own["trained"]])

    rows = pd.concat([trained, untrained])
    ours = _Estimated.of(by_training, rows)
    note = f"trained: {_first_over_last(trained):.4f}, untrained: {_first_over_last(untrained):.4f}"
    return ours.outcome(rows, ours.above(), note)


def rare_over_frequent(selection: Selection, statistic: str, table: str, layer: str) -> Outcome:
    """The value of the least frequent group is above that of all others, in the first layer or in any one.

    Ours is the difference from the highest of the others, where it is greatest.
    """
    rows = _groups(selection.table(table), statistic)
    leads = _leads(rows)
    number = leads.index.min() if layer == "first" else leads.idxmax()
    ours = _Estimated.of(lambda own: _leads(own)[number], rows)
    key = rows.loc[rows["layer"] == number, "key"].iloc[-1]
    return ours.outcome(rows, ours.above(), f"layer {number}, {key}")


def _leads(rows: pd.DataFrame) -> pd.Series:
    """In each layer, by how much the value of the last group is above the highest of the others."""
    if rows.groupby("layer").size().min() < 2:
        raise Untestable("fewer than two groups have tokens enough")
    return rows.groupby("layer")["value"].agg(lambda own: own.iloc[-1] - own.iloc[:-1].max())


def replaced_loses(selection: Selection, at_most: Real) -> Outcome:
    """With replaced tokens the influence of the rarest group is at most a share `at_most` of that without.

    In the layer with its largest lead over other groups without replacement (`rare_over_frequent`); ours is the share.
    """
    rows = _groups(selection.table("influence"), "influence/rank")
    usual, replaced = rows[rows["domain"] != REPLACED], rows[rows["domain"] == REPLACED]
    if replaced.empty or usual.empty:
        raise Untestable("there is no run with replaced tokens, or none without")
    layer, rarest = _leads(usual).idxmax(), usual["key"].iloc[-1]
    found = pd.concat([own[(own["layer"] == layer) & (own["key"] == rarest)] for own in (replaced, usual)])
    if len(found) < 2:
        raise Untestable(f"{rarest} has too few tokens in the run with replaced tokens")
    ours = _Estimated.of(lambda own: own["value"].iloc[0] / own["value"].iloc[1], found)
    note = "layer {}: {:.4f} with, {:.4f} without".format(layer, *found["value"])
    return ours.outcome(rows, ours.at_most(at_most), note)


def objectives_over_seeds(selection: Selection) -> Outcome:
    """In each layer any two objectives are farther apart than two seeds of one; ours is the smallest difference."""
    rows = _distances(selection)
    if not rows["same"].any():
        raise Untestable("there is no second seed")

    def gaps(own: pd.DataFrame) -> pd.Series:
        by_layer = own.groupby(["same", "layer"])["value"]
        return by_layer.min()[False] - by_layer.max()[True]

    ours = _Estimated.of(lambda own: gaps(own).min(), rows)
    return ours.outcome(rows, ours.above(), f"least in layer {gaps(rows).idxmin()}")


def pair_nearer(selection: Selection, nearer: Sequence[str], farther: Sequence[str]) -> Outcome:
    """In every layer one pair of objectives is closer than another; ours is the smallest difference."""
    rows = _distances(selection)
    pairs = [frozenset(pair) for pair in zip(rows["first_pair"], rows["second_pair"], strict=True)]

    def differences(own: pd.DataFrame) -> pd.Series:
        near, far = (own[[pair == set(wanted) for pair in pairs]] for wanted in (nearer, farther))
        return far.set_index("layer")["value"] - near.set_index("layer")["value"]

    if differences(rows).empty:
        raise Untestable("these objectives were not compared")
    ours = _Estimated.of(lambda own: differences(own).min(), rows)
    return ours.outcome(rows, ours.above(), f"least in layer {differences(rows).idxmin()}")


def _distances(selection: Selection) -> pd.DataFrame:
    """Distances between models in each layer but the embeddings."""
    table = selection.table("distances")
    runs = table[["run", "domain", "pair"]].drop_duplicates().to_dict("records")
    rows = named_distances(table, runs)
    return rows[(rows["statistic"] == "between") & (rows["layer"] > 0)]


def _layers(table: pd.DataFrame, statistic: str, key: str) -> pd.DataFrame:
    rows = where(table, statistic=statistic, key=key).sort_values("layer")
    if len(rows) < 2:
        raise Untestable(f"{statistic}/{key} was not measured in two layers")
    return rows


def _groups(table: pd.DataFrame, statistic: str) -> pd.DataFrame:
    rows = table[(table["statistic"] == statistic) & table["value"].notna()]
    if rows.empty:
        raise Untestable("no group has tokens enough")
    return rows


def _groups_of_layer(table: pd.DataFrame, statistic: str, layer: int) -> pd.DataFrame:
    rows = where(_groups(table, statistic), layer=layer)
    if len(rows) < 2:
        raise Untestable(f"fewer than two groups have tokens enough in layer {layer}")
    return rows


def _first_over_last(rows: pd.DataFrame) -> Real:
    return rows["value"].iloc[0] - rows["value"].iloc[-1]
