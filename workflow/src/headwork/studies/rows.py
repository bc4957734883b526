"""Rows of tables, chosen by what stands in their columns."""

from typing import Any

import pandas as pd

WHOLE_LAYER = 0


def where(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """The rows with these values in these columns; of a list any value will do."""
    for name, value in values.items():
        column = table[name]
        table = table[column.isin(value) if isinstance(value, list) else column == value]
    return table


def of_statistic(table: pd.DataFrame, statistic: str, key: str = "") -> pd.DataFrame:
    """The rows of one statistic and key, one a head and run; a key that is not there is ""."""
    return table[(table["statistic"] == statistic) & (table["key"].fillna("") == key)]


def without_a_head(table: pd.DataFrame) -> pd.DataFrame:
    """Rows in which one head is disabled."""
    return table[table["head"] != WHOLE_LAYER]
