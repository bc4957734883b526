"""Comparison with published values: one row per quantity, with our interval and sample size, and their source."""

from collections.abc import Sequence

import pandas as pd

from headwork.intervals import wilson

OURS = ("ours", "low", "high", "n")
THEIRS = ("published", "uncertainty", "source")


def shares(table: pd.DataFrame, share: str, count: str) -> pd.DataFrame:
    """Add the columns ours, low, high, n to the table: Wilson's interval of its column `share` in `count` trials."""
    ends = [wilson(value, trials) for value, trials in zip(table[share], table[count], strict=True)]
    return table.assign(
        ours=table[share], low=[low for low, _ in ends], high=[high for _, high in ends], n=table[count]
    )


def beside(ours: pd.DataFrame, published: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Add published, uncertainty and source to our rows with the same keys, in our order.

    `ours` has the columns `keys`, ours, low, high and n (others are kept, in front); `published` is what
    `published.read_published` returns. Unpublished values are empty; published values without a row of ours are
    dropped.
    """
    theirs = published.rename(columns={"value": "published"})[[*keys, *THEIRS]]
    kept = [name for name in ours.columns if name not in OURS and name not in THEIRS]
    merged = ours[[*kept, *OURS]].merge(theirs, on=list(keys), how="left", validate="many_to_one")
    return merged.assign(source=merged["source"].fillna(""))
