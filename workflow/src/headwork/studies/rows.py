"""Rows of tables, chosen by what stands in their columns."""

from typing import Any

import numpy as np
import pandas as pd

from headwork.errors import InputError

WHOLE_LAYER = 0
HEAD = ["kind", "layer", "head"]


class NotMeasured(InputError):
    """No run that an item shows has the statistic: it is newer than their tables, and their models may be gone."""


def where(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """The rows with these values in these columns; of a list any value will do."""
    for name, value in values.items():
        column = table[name]
        table = table[column.isin(value) if isinstance(value, list) else column == value]
    return table


def of_statistic(table: pd.DataFrame, statistic: str, key: str = "") -> pd.DataFrame:
    """The rows of one statistic and key, one a head and run.

    Heads of a run without the statistic, whose table may be older, have one row each, whose value is NaN: not measured.
    Raises `NotMeasured` if no run has it.
    """
    own = table[table["statistic"] == statistic]
    if own.empty and len(table):
        raise NotMeasured(f"{statistic} was not measured")
    rows = own[own["key"].fillna("") == key]
    if "run" in table.columns and (lacking := without(table, statistic)):
        heads = table[table["run"].isin(lacking)].drop_duplicates(["run", *HEAD])
        heads = heads.assign(statistic=statistic, key=key, value=np.nan, count=0)
        rows = pd.concat([rows, heads], ignore_index=True)
    return rows


def without(table: pd.DataFrame, statistic: str) -> list[str]:
    """The runs of a table that lack a statistic altogether."""
    have = set(table.loc[table["statistic"] == statistic, "run"])
    return [run for run in dict.fromkeys(table["run"]) if run not in have]


def without_a_head(table: pd.DataFrame) -> pd.DataFrame:
    """Rows in which one head is disabled."""
    return table[table["head"] != WHOLE_LAYER]
