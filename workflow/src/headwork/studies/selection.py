"""The rows of the runs that a claim is about, and the outcome of its test."""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from headwork import intervals
from headwork.studies import sweeps
from headwork.studies.notation import held, top_heads

INSTANCES = 100  # minimum number of instances for a statement about a head (the papers do not publish theirs)


Truth = bool | np.bool_


class Untestable(Exception):
    """Runs, tables or instances that a claim needs are missing; the message says which."""


class Outcome(NamedTuple):
    """An estimate with its interval and sample size, whether the claim holds, and a note on the data."""

    ours: float
    low: float
    high: float
    n: int
    holds: bool
    note: str = ""

    @classmethod
    def without_interval(cls, ours: Real, n: Real, holds: Truth, note: str = "") -> "Outcome":
        """An estimate whose error is unknown."""
        return cls(float(ours), math.nan, math.nan, int(n), bool(holds), note)

    @classmethod
    def of_share(cls, share: Real, count: Real, holds: Truth, note: str = "") -> "Outcome":
        """A share of `count` trials, with Wilson's interval."""
        return cls(share, *intervals.wilson(share, count), int(count), bool(holds), note)

    @classmethod
    def around(cls, ours: Real, half: Real, n: int, note: str = "") -> "Outcome":
        """An estimate with the half width of its interval, which holds if all of that is above 0."""
        return cls(ours, ours - half, ours + half, n, ours - half > 0, note)

    @classmethod
    def of_difference(
        cls, shares: Sequence[Real], counts: Sequence[Real], note: str = "", times: Real = 1
    ) -> "Outcome":
        """The first share less `times` the second, of independent samples; holds if all of its interval is above 0.

        n is the smaller of the two `counts`.
        """
        low, high = intervals.of_shares(lambda drawn: drawn[:, 0] - times * drawn[:, 1], shares, counts)
        return cls(float(shares[0] - times * shares[1]), low, high, int(min(counts)), low > 0, note)


class Selection:
    """The rows of every table that belong to the runs a claim is about.

    `select` gives values of the runs' labels (domain, pair, trained): one, a list that must all exist, or ``{any_of:
    list}`` for those that a scale has; `left_out` holds the missing ones.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame], select: Mapping[str, Any]) -> None:
        self._tables = tables
        self._select = {"trained": True} | dict(select)
        self.left_out: list[Any] = []
        self._asked = 0

    def table(self, name: str) -> pd.DataFrame:
        """Return the selected rows of a table; Untestable if the table or a requested run is missing."""
        if name not in self._tables:
            raise Untestable(f"the table {name} was not made")
        rows = self._tables[name]
        for label, wanted in self._select.items():
            some_do = isinstance(wanted, Mapping)
            values = wanted["any_of"] if some_do else wanted if isinstance(wanted, list) else [wanted]
            rows = rows[rows[label].isin(values)]
            absent = [value for value in values if value not in set(rows[label])]
            if len(absent) == len(values) or (absent and not some_do):
                raise Untestable(f"there is no run with {label} {absent[0]}")
            if some_do:
                self._asked, self.left_out = len(values), absent
        return rows

    def needed(self, tasks: int) -> int:
        """Scale a required number of tasks to the share of tasks that exist at this scale, rounded up."""
        there = self._asked - len(self.left_out)
        return math.ceil(tasks * there / self._asked) if self.left_out else tasks

    def best(self, functions: Sequence[str]) -> pd.DataFrame:
        """Return the best head of each run for each of these functions; Untestable with too few instances."""
        rows = self.table("functions")
        best = top_heads(rows[rows["function"].isin(functions)], by=["run"])
        for run in sorted(set(rows["run"])):
            absent = sorted(set(functions) - set(best.loc[best["run"] == run, "function"]))
            if absent:
                raise Untestable(f"{absent[0]} was not measured in {run}")
        enough(best)
        return best

    def confidence(self) -> pd.DataFrame:
        """Return one row per head: run, layer, head, confidence (`value`), and the set of groups of its functions."""
        statistics, functions = self.table("statistics"), held(self.table("functions"))
        rows = statistics[statistics["statistic"] == "confidence"]
        groups = functions.groupby(["run", "layer", "head"])["group"].agg(set)
        places = list(zip(rows["run"], rows["layer"], rows["head"], strict=True))
        return rows.assign(groups=[groups.get(place, set()) for place in places])

    def sweep(self, gates: str, by: Sequence[str] = ("kind",)) -> pd.DataFrame:
        """Return `sweeps.retained` of the selected runs; Untestable if none was pruned with such gates."""
        rows = sweeps.retained(self.table("sweeps"), self._tables["kept"], gates, by)
        if not (rows["method"] == "gates").any():
            raise Untestable(f"no run was pruned by gates in {gates}")
        return rows

    def against_scratch(self) -> pd.DataFrame:
        """Return the pruned runs of `sweeps.against_scratch`; Untestable if no run was trained from scratch."""
        rows = sweeps.against_scratch(self.table("sweeps"), self._tables["kept"]).dropna(subset="scratch")
        if rows.empty:
            raise Untestable("no run was trained from scratch with the heads of a pruned one")
        return rows

    def functions_of_kept_heads(self) -> pd.DataFrame:
        """Return the functions of the heads that baselines and pruned runs keep."""
        return sweeps.of_kept_heads(self.table("pruned_functions"), self._tables["gates"])


def enough(rows: pd.DataFrame) -> None:
    """Raise Untestable if a row's count is below `INSTANCES`."""
    scarce = rows[rows["count"] < INSTANCES]
    if len(scarce):
        row = scarce.iloc[0]
        raise Untestable(
            f"only {row['count']:.0f} instances of {row.get('function', 'it')}, fewer than {INSTANCES}"
        )
