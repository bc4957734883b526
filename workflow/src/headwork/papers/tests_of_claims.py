"""The tests that claims name: small functions from selected rows to an estimate, its interval, n, and whether it holds.

Where a paper defines something by a threshold (a positional head reaches 90 %), the estimate itself decides, as in the
paper; where it says that one thing is larger than another, the low end of the difference's interval must be above 0.
If several runs are selected, the one that fits the claim worst stands for them.
"""

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from headwork.papers import intervals
from headwork.papers.notation import best_heads, group, head_name, held

INSTANCES = 100  # fewer instances than this say nothing about a head (papers' unpublished minimum)


class Untestable(Exception):
    """A claim whose runs, tables or instances are not there; the message says which."""


class Outcome(NamedTuple):
    """An estimate with its interval and sample size, whether the claim holds, and what was looked at."""

    ours: float
    low: float
    high: float
    n: int
    holds: bool
    note: str = ""


class Selection:
    """The rows of every table that belong to the runs a claim is about."""

    def __init__(self, tables: Mapping[str, pd.DataFrame], select: Mapping[str, Any]) -> None:
        self._tables = tables
        self._select = {"trained": True} | dict(select)

    def table(self, name: str) -> pd.DataFrame:
        """The selected rows of a table; Untestable if the table, or a run that was asked for, is not there."""
        if name not in self._tables:
            raise Untestable(f"the table of {name} was not made")
        rows = self._tables[name]
        for label, wanted in self._select.items():
            values = wanted if isinstance(wanted, list) else [wanted]
            rows = rows[rows[label].isin(values)]
            absent = [value for value in values if value not in set(rows[label])]
            if absent:
                raise Untestable(f"there is no run with {label} {absent[0]}")
        return rows

    def best(self, functions: Sequence[str]) -> pd.DataFrame:
        """The best head of each run for each of these functions; Untestable if one has too few instances."""
        rows = self.table("functions")
        best = best_heads(rows[rows["function"].isin(functions)], by=["run"])
        for run in sorted(set(rows["run"])):
            absent = sorted(set(functions) - set(best.loc[best["run"] == run, "function"]))
            if absent:
                raise Untestable(f"{absent[0]} was not measured in {run}")
        _enough(best)
        return best

    def confidence(self) -> pd.DataFrame:
        """One row per head: run, layer, head, its confidence as `value`, and the set of groups of its functions."""
        statistics, functions = self.table("statistics"), held(self.table("functions"))
        rows = statistics[statistics["statistic"] == "confidence"]
        groups = functions.groupby(["run", "layer", "head"])["group"].agg(set)
        places = list(zip(rows["run"], rows["layer"], rows["head"], strict=True))
        return rows.assign(groups=[groups.get(place, set()) for place in places])


def _enough(rows: pd.DataFrame) -> None:
    scarce = rows[rows["count"] < INSTANCES]
    if len(scarce):
        row = scarce.iloc[0]
        raise Untestable(
            f"only {row['count']:.0f} instances of {row.get('function', 'it')}, fewer than {INSTANCES}"
        )


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
    _enough(rows)
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
    """Some heads, and at most this share of them, have a confidence above a value; ours is their share."""
    heads = selection.confidence()
    confident = heads["value"] > above
    ours = float(confident.mean())
    low, high = intervals.wilson(ours, len(heads))
    note = f"{confident.sum()} of {len(heads)} heads; the highest is at {heads['value'].max():.2f}"
    return Outcome(ours, low, high, len(heads), 0 < ours <= at_most, note)


def heads_with_function(selection: Selection, at_most: Real, functions: list[str] | None = None) -> Outcome:
    """At most this share of the heads has a function, of the groups `functions` (None: of any)."""
    rows = selection.table("functions")
    if functions is not None:
        rows = rows[[group(name) in functions for name in rows["function"]]]
    has = rows.groupby(["run", "layer", "head"])["holds"].any()
    ours = float(has.mean())
    low, high = intervals.wilson(ours, len(has))
    return Outcome(ours, low, high, len(has), ours <= at_most, f"{has.sum()} of {len(has)} heads")


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
    )
}
