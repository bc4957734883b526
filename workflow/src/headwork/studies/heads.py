"""Rows of tables of heads."""

import pandas as pd

WHOLE_LAYER = 0


def of_statistic(table: pd.DataFrame, statistic: str, key: str = "") -> pd.DataFrame:
    """The rows of one statistic and key, one a head and run."""
    return table[(table["statistic"] == statistic) & (table["key"].fillna("") == key)]


def without_a_head(table: pd.DataFrame) -> pd.DataFrame:
    """Rows in which one head is disabled."""
    return table[table["head"] != WHOLE_LAYER]
