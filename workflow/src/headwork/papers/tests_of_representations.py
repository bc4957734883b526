"""The tests that claims about representations between layers name (see `tests_of_claims`).

Nothing is known of the error of one run's estimates, so their intervals are empty; two seeds of each objective show in
figure 3 how far chance alone goes.
"""

from collections.abc import Callable, Sequence
from numbers import Real

import pandas as pd

from headwork.papers.evolution_tables import named_distances
from headwork.papers.selection import Outcome, Selection, Untestable

UNKNOWN = float("nan")
REPLACED = "replaced tokens"


def value_changes(selection: Selection, statistic: str, key: str, from_layer: str, by: str) -> Outcome:
    """From the first (0) or the second layer on to the last a value falls, or rises; ours is the difference.

    `by` is falls, rises, or "rises in each layer", for which no step may fall.
    """
    rows = _layers(selection.table("evolution"), statistic, key)
    values = rows["value"].iloc[0 if from_layer == "first" else 1 :]
    ours = float(values.iloc[-1] - values.iloc[0])
    holds = ours < 0 if by == "falls" else ours > 0
    if by == "rises in each layer":
        holds = bool((values.diff().dropna() > 0).all())
    note = ", ".join(f"layer {row['layer']}: {row['value']:.2f}" for _, row in rows.iterrows())
    return _outcome(ours, rows, holds, note)


def last_over_lowest(selection: Selection, statistic: str, key: str) -> Outcome:
    """The value of the last layer is above that of the lowest layer between; ours is the difference."""
    rows = _layers(selection.table("evolution"), statistic, key)
    if len(rows) < 3:
        raise Untestable("the model has one layer")
    ours = float(rows["value"].iloc[-1] - rows["value"].iloc[1:-1].min())
    note = ", ".join(f"layer {row['layer']}: {row['value']:.2f}" for _, row in rows.iterrows())
    return _outcome(ours, rows, ours > 0, note)


def objective_over(
    selection: Selection, statistic: str, key: str, layer: str, over: Sequence[str], under: Sequence[str]
) -> Outcome:
    """In the first or the last layer, the values of some objectives are above those of others; ours: the least gap."""
    table = selection.table("evolution")
    rows = {pair: _layers(table[table["pair"] == pair], statistic, key) for pair in (*over, *under)}
    place = -1 if layer == "last" else 0
    values = {pair: float(own["value"].iloc[place]) for pair, own in rows.items()}
    ours = min(values[pair] for pair in over) - max(values[pair] for pair in under)
    note = ", ".join(f"{pair}: {value:.3f}" for pair, value in values.items())
    return _outcome(ours, pd.concat(rows.values()), ours > 0, note)


def above_control(selection: Selection, statistic: str, key: str) -> Outcome:
    """In every layer of every objective the value is above its control; ours is the least difference."""
    rows = selection.table("evolution")
    rows = rows[(rows["statistic"] == statistic) & (rows["key"] == key)]
    if rows.empty:
        raise Untestable(f"{statistic}/{key} was not measured")
    ours = float((rows["value"] - rows["control"]).min())
    return _outcome(ours, rows, ours > 0, "")


def side_over(selection: Selection, over: str, under: str, layer: str) -> Outcome:
    """In that layer more neighbours share the token at one side than at the other; ours is the difference."""
    table = selection.table("evolution")
    rows = [_layers(table, side, "same") for side in (over, under)]
    place = 0 if layer == "first" else -1
    one, other = (float(part["value"].iloc[place]) for part in rows)
    return _outcome(one - other, rows[0], one > other, f"{over}: {one:.2f}, {under}: {other:.2f}")


def frequent_over_rare(selection: Selection, statistic: str, table: str, layer: int) -> Outcome:
    """In that layer the value of the most frequent group is above the least frequent's; ours is the difference."""
    rows = _groups(selection.table(table), statistic)
    rows = rows[rows["layer"] == layer]
    if len(rows) < 2:
        raise Untestable(f"fewer than two groups have tokens enough in layer {layer}")
    frequent, rare = rows.iloc[0], rows.iloc[-1]
    ours = float(frequent["value"] - rare["value"])
    note = f"{frequent['key']}: {frequent['value']:.4f}, {rare['key']}: {rare['value']:.4f}"
    return _outcome(ours, rows, ours > 0, note)


def rare_over_frequent(selection: Selection, statistic: str, table: str, layer: str) -> Outcome:
    """The value of the least frequent group is above that of all others, in the first layer or in any one.

    Ours is the difference from the highest of the others, where it is greatest.
    """
    rows = _groups(selection.table(table), statistic)
    leads = _leads(rows)
    number = leads.index.min() if layer == "first" else leads.idxmax()
    ours, key = float(leads[number]), rows.loc[rows["layer"] == number, "key"].iloc[-1]
    return _outcome(ours, rows, ours > 0, f"layer {number}, {key}")


def _leads(rows: pd.DataFrame) -> pd.Series:
    """In each layer, by how much the value of the last group is above the highest of the others."""
    if rows.groupby("layer").size().min() < 2:
        raise Untestable("fewer than two groups have tokens enough")
    return rows.groupby("layer")["value"].agg(lambda own: own.iloc[-1] - own.iloc[:-1].max())


def replaced_loses(selection: Selection, at_most: Real) -> Outcome:
    """With replaced tokens the influence of the rarest group is at most that part of what it is without.

    In the layer in which it leads the other groups by most without, as in `rare_over_frequent`; ours is the part.
    """
    rows = _groups(selection.table("influence"), "influence/rank")
    usual, replaced = rows[rows["domain"] != REPLACED], rows[rows["domain"] == REPLACED]
    if replaced.empty or usual.empty:
        raise Untestable("there is no run with replaced tokens, or none without")
    layer, rarest = _leads(usual).idxmax(), usual["key"].iloc[-1]
    found = [own.loc[(own["layer"] == layer) & (own["key"] == rarest), "value"] for own in (replaced, usual)]
    if found[0].empty:
        raise Untestable(f"{rarest} has too few tokens in the run with replaced tokens")
    values = [float(value.iloc[0]) for value in found]
    ours = values[0] / values[1]
    note = f"layer {layer}: {values[0]:.4f} with, {values[1]:.4f} without"
    return _outcome(ours, rows, ours <= at_most, note)


def objectives_over_seeds(selection: Selection) -> Outcome:
    """In each layer the nearest two objectives are farther apart than two seeds of any; ours is the least gap."""
    rows = _distances(selection)
    least = rows[~rows["same"]].groupby("layer")["value"].min()
    most = rows[rows["same"]].groupby("layer")["value"].max()
    if most.empty:
        raise Untestable("there is no second seed")
    ours = float((least - most).min())
    return _outcome(ours, rows, ours > 0, f"least in layer {(least - most).idxmin()}")


def pair_nearer(selection: Selection, nearer: Sequence[str], farther: Sequence[str]) -> Outcome:
    """In every layer one pair of objectives is nearer than another; ours is the least difference."""
    rows = _distances(selection)
    both = {}
    for pair in (nearer, farther):
        own = rows[
            [
                {one, other} == set(pair)
                for one, other in zip(rows["first_pair"], rows["second_pair"], strict=True)
            ]
        ]
        both[tuple(pair)] = own.set_index("layer")["value"]
    difference = both[tuple(farther)] - both[tuple(nearer)]
    if difference.empty:
        raise Untestable("these objectives were not compared")
    ours = float(difference.min())
    return _outcome(ours, rows, ours > 0, f"least in layer {difference.idxmin()}")


def _distances(selection: Selection) -> pd.DataFrame:
    """Distances between models in each layer but the embeddings."""
    table = selection.table("distances")
    runs = table[["run", "domain", "pair"]].drop_duplicates().to_dict("records")
    rows = named_distances(table, runs)
    return rows[(rows["statistic"] == "between") & (rows["layer"] > 0)]


def _layers(table: pd.DataFrame, statistic: str, key: str) -> pd.DataFrame:
    rows = table[(table["statistic"] == statistic) & (table["key"] == key)].sort_values("layer")
    if len(rows) < 2:
        raise Untestable(f"{statistic}/{key} was not measured in two layers")
    return rows


def _groups(table: pd.DataFrame, statistic: str) -> pd.DataFrame:
    rows = table[(table["statistic"] == statistic) & table["value"].notna()]
    if rows.empty:
        raise Untestable("no group has tokens enough")
    return rows


def _outcome(ours: float, rows: pd.DataFrame, holds: bool, note: str) -> Outcome:
    return Outcome(ours, UNKNOWN, UNKNOWN, int(rows["n"].min()), bool(holds), note)


TESTS: dict[str, Callable[..., Outcome]] = {
    test.__name__: test
    for test in (
        value_changes,
        last_over_lowest,
        objective_over,
        above_control,
        side_over,
        frequent_over_rare,
        rare_over_frequent,
        replaced_loses,
        objectives_over_seeds,
        pair_nearer,
    )
}
