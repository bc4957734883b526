"""The tests that claims about heads name: small functions from selected rows to an estimate, interval and verdict.

Where a paper defines something by a threshold (a positional head reaches 90 %), the estimate itself decides, as in the
paper; where it says that one thing is larger than another, the low end of the difference's interval must be above 0.
If several runs are selected, the one that fits the claim worst stands for them, unless a test says that it takes their
heads together.
"""

from collections.abc import Callable
from functools import partial
from numbers import Real

import numpy as np
import pandas as pd

from headwork.papers.claims import intervals
from headwork.papers.claims.selection import INSTANCES, Outcome, Selection, Untestable, enough
from headwork.papers.notation import group, head_name, held


def _place(row: pd.Series) -> str:
    return f"{row['run']}, {head_name(row['layer'], row['head'])}"


def best_head_at_least(selection: Selection, functions: list[str], at_least: Real) -> Outcome:
    """The best head for each function reaches the score `at_least`; ours is the lowest of these best scores."""
    worst = selection.best(functions).sort_values("score", kind="stable").iloc[0]
    low, high = intervals.wilson(worst["score"], worst["count"])
    note = f"lowest: {worst['function']} in {_place(worst)}"
    return Outcome(worst["score"], low, high, int(worst["count"]), bool(worst["score"] >= at_least), note)


def best_head_above_baseline(selection: Selection, functions: list[str], at_least: Real) -> Outcome:
    """The best head for each function exceeds its baseline by `at_least` (a difference of shares)."""
    best = selection.best(functions)
    margins = best["score"] - best["baseline"]
    worst = best.loc[margins.idxmin()]
    low, high = intervals.wilson(worst["score"], worst["count"])
    ours, base = worst["score"] - worst["baseline"], worst["baseline"]
    note = f"lowest: {worst['function']} in {_place(worst)}"
    return Outcome(ours, low - base, high - base, int(worst["count"]), bool(ours >= at_least), note)


def margins_larger(selection: Selection, larger: list[str], smaller: list[str]) -> Outcome:
    """Best heads exceed their baselines by more for the functions `larger`, on average, than for `smaller`."""
    best = selection.best([*larger, *smaller])
    first = best["function"].isin(larger).to_numpy()
    weights = np.where(first, 1 / first.sum(), -1 / (~first).sum())
    ours = float(weights @ (best["score"] - best["baseline"]))
    base = float(weights @ best["baseline"])
    low, high = intervals.of_shares(lambda drawn: drawn @ weights - base, best["score"], best["count"])
    return Outcome(ours, low, high, int(best["count"].min()), low > 0, "n is that of the rarest relation")


def rare_head(selection: Selection, key: str, layer: int, at_least: Real) -> Outcome:
    """A head in `layer` looks at the rarest token(s), `key` rarest or two-rarest, in the share `at_least` of cases.

    The note also names the best head of any layer, for the paper finds a single such head in a model.
    """
    rows = selection.table("statistics")
    rows = rows[(rows["statistic"] == "rare") & (rows["key"] == key)]
    if rows.empty:
        raise Untestable(f"the statistic rare/{key} was not measured")
    enough(rows)
    ranked = rows.sort_values(["value", "layer", "head"], ascending=[False, True, True])
    there = ranked[ranked["layer"] == layer].drop_duplicates("run")
    worst = there.sort_values("value", kind="stable").iloc[0]
    anywhere = ranked[ranked["run"] == worst["run"]].iloc[0]
    low, high = intervals.wilson(worst["value"], worst["count"])
    note = f"lowest: {_place(worst)}; best of any layer: {head_name(anywhere['layer'], anywhere['head'])}"
    return Outcome(worst["value"], low, high, int(worst["count"]), bool(worst["value"] >= at_least), note)


def persons_differ(selection: Selection, persons: list[str], more_in: str, less_in: str) -> Outcome:
    """Subjects are more often of these persons in one domain than in another; ours is the difference of shares."""
    rows = selection.table("persons")
    shares, counts = [], []
    for domain in (more_in, less_in):
        part = rows[rows["domain"] == domain]
        if part.empty or part["count"].sum() < INSTANCES:
            raise Untestable(f"{part['count'].sum():.0f} subjects in {domain}, fewer than {INSTANCES}")
        counts.append(int(part["count"].sum()))
        shares.append(float(part.loc[part["person"].isin(persons), "count"].sum() / counts[-1]))
    low, high = intervals.of_shares(lambda drawn: drawn[:, 0] - drawn[:, 1], shares, counts)
    note = f"{100 * shares[0]:.0f} % in {more_in}, {100 * shares[1]:.0f} % in {less_in}"
    return Outcome(shares[0] - shares[1], low, high, min(counts), low > 0, note)


def least_confidence(selection: Selection, function: str, above: Real) -> Outcome:
    """Every head with a function of that group (positional, ...) has a confidence above this; ours is the lowest."""
    heads = selection.confidence()
    heads = heads[[function in groups for groups in heads["groups"]]]
    if heads.empty:
        raise Untestable(f"no head has a {function} function")
    worst = heads.loc[heads["value"].idxmin()]
    # weights lie in 0 to 1, and no mean of such values is less certain than a share
    low, high = intervals.wilson(worst["value"], worst["count"])
    note = f"lowest of {len(heads)}: {_place(worst)}"
    return Outcome(worst["value"], low, high, int(worst["count"]), bool(worst["value"] > above), note)


def confident_heads(selection: Selection, above: Real, at_most: Real) -> Outcome:
    """Some heads, and at most this share of them, have a confidence above a value; ours is their share, of all runs."""
    heads = selection.confidence()
    confident = heads["value"] > above
    ours = float(confident.mean())
    low, high = intervals.wilson(ours, len(heads))
    note = f"{confident.sum()} of {len(heads)} heads; the highest is at {heads['value'].max():.2f}"
    return Outcome(ours, low, high, len(heads), 0 < ours <= at_most, note)


def heads_with_function(selection: Selection, at_most: Real, functions: list[str] | None = None) -> Outcome:
    """At most this share of the heads, of all runs, has a function, of the groups `functions` (None: of any)."""
    rows = selection.table("functions")
    if functions is not None:
        rows = rows[[group(name) in functions for name in rows["function"]]]
    has = rows.groupby(["run", "layer", "head"])["holds"].any()
    ours = float(has.mean())
    low, high = intervals.wilson(ours, len(has))
    return Outcome(ours, low, high, len(has), ours <= at_most, f"{has.sum()} of {len(has)} heads")


def uneven_relevance(selection: Selection, times: Real) -> Outcome:
    """The most relevant head of a model has at least so many `times` an equal share of its layer's relevance.

    Ours is its share divided by an equal share, 1 / heads. The largest of several shares is above an equal one by
    chance alone, so not the estimate must reach the factor, but the low end of its interval.
    """
    rows = selection.table("relevance")
    heads = rows.groupby(["run", "layer"])["head"].transform("size")
    multiples = rows["value"] * heads
    worst = rows.loc[multiples[multiples.groupby(rows["run"]).idxmax()].idxmin()]
    equal = 1 / heads[worst.name]
    # relevance of a head is a mean of shares in 0 to 1, and no such mean is less certain than a share
    low, high = intervals.wilson(worst["value"], worst["count"])
    ours, note = worst["value"] / equal, f"{_place(worst)}; the least relevant has {multiples.min():.2f}"
    return Outcome(ours, low / equal, high / equal, int(worst["count"]), low / equal >= times, note)


def most_relevant_of_layer(selection: Selection, functions: list[str], layer: int) -> Outcome:
    """The head of `layer` that has a function of these groups is its most relevant one: ours is its place, which is 0.

    Of several such heads it is the one with the highest score. Places run from 0, the most relevant head of a layer,
    to 1, the least.
    """
    names = _having(selection, functions)
    names = names[names["layer"] == layer].sort_values("score", ascending=False, kind="stable")
    outcome = _mean_place(selection, names.drop_duplicates("run"), f"no head of layer {layer}")
    return outcome._replace(holds=outcome.ours == 0)


def before_the_middle(selection: Selection, functions: list[str]) -> Outcome:
    """Heads with a function of these groups stand before the middle of their layer by relevance, 0.5, on average."""
    outcome = _mean_place(selection, _having(selection, functions), "no head")
    return outcome._replace(holds=outcome.high < 0.5)


def _having(selection: Selection, functions: list[str]) -> pd.DataFrame:
    names = held(selection.table("functions"))
    return names[names["group"].isin(functions)]


def _mean_place(selection: Selection, names: pd.DataFrame, nothing: str) -> Outcome:
    """The mean place by relevance, 0 to 1, of the heads in `names`; of several runs, the one where it is last."""
    having = set(zip(names["run"], names["layer"], names["head"], strict=True))
    outcomes = []
    for run, rows in selection.table("relevance").groupby("run"):
        places = zip(rows["run"], rows["layer"], rows["head"], strict=True)
        chosen = np.array([place in having for place in places])
        if not chosen.any():
            raise Untestable(f"{nothing} of {run} has such a function")
        place = partial(mean_place, layers=rows["layer"].to_numpy(), chosen=chosen)
        low, high = intervals.of_shares(place, rows["value"], rows["count"])
        ours = float(place(rows["value"].to_numpy()[None])[0])
        heads = [_place(row) for _, row in rows[chosen].iterrows()]
        note = heads[0] if len(heads) == 1 else f"{len(heads)} heads of {run}"
        outcomes.append(Outcome(ours, low, high, int(rows["count"].min()), False, note))
    return max(outcomes, key=lambda outcome: outcome.ours)


def mean_place(values: np.ndarray, layers: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The mean place of the chosen heads in their layers, for each row of `values` (draws, heads).

    A head's place is the share of the other heads of its layer that have a higher value.
    """
    rivals = layers[chosen, None] == layers[None, :]
    ahead = (values[:, None, :] > values[:, chosen, None]) & rivals
    return (ahead.sum(2) / np.maximum(rivals.sum(1) - 1, 1)).mean(1)


TESTS: dict[str, Callable[..., Outcome]] = {
    test.__name__: test
    for test in (
        best_head_at_least,
        best_head_above_baseline,
        margins_larger,
        rare_head,
        persons_differ,
        least_confidence,
        confident_heads,
        heads_with_function,
        uneven_relevance,
        most_relevant_of_layer,
        before_the_middle,
    )
}
