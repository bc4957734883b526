"""Rows of representations by layer: estimates with their intervals, objectives, distances between models."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from headwork.intervals import of_tenths
from headwork.studies.rows import where

DISTANCES = ("statistic", "first", "second", "layer", "value", "control", "n")
WITHOUT = "without-"  # columns of jackknife replicates, which not every table has
OBJECTIVES = ("MT", "LM", "MLM")


def without_tenths(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the rows once for each jackknife replicate (without a tenth of the text); [] without such columns."""
    return [rows.assign(value=rows[name]) for name in rows if str(name).startswith(WITHOUT)]


def estimates(rows: pd.DataFrame, statistic: str, key: str | None = None) -> pd.DataFrame:
    """The rows of a statistic (and key) with low and high, the jackknife interval over tenths of the text, or NaN."""
    rows = where(rows, statistic=statistic) if key is None else where(rows, statistic=statistic, key=key)
    tenths = rows[[name for name in rows if str(name).startswith(WITHOUT)]].to_numpy()
    ends = [
        of_tenths(value, own.tolist()) if len(own) else (np.nan, np.nan)
        for value, own in zip(rows["value"], tenths, strict=True)
    ]
    return rows.assign(low=[low for low, _ in ends], high=[high for _, high in ends])


def of_objective(rows: pd.DataFrame, pair: str) -> pd.DataFrame:
    """Return the rows of the trained runs with that objective, by layer."""
    return where(rows, trained=True, pair=pair).sort_values("layer", kind="stable")


def named_distances(tables: pd.DataFrame, runs: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Add the objectives of both models, `first_pair` and `second_pair`, and `same` for two seeds of one objective.

    `tables` holds one table of the corpus for each run; every distance is kept once. Compared are the first seeds with
    each other, and with the second seed of the same objective.
    """
    of = {run["run"]: run for run in runs}
    rows = tables.drop_duplicates(list(DISTANCES[:4]))
    rows = rows[rows["first"].isin(of) & rows["second"].isin(of)]
    rows = rows.drop(columns=["run", "domain", "pair", "label"])
    for side in ("first", "second"):
        rows[f"{side}_pair"] = [of[name]["pair"] for name in rows[side]]
        rows[f"{side}_domain"] = [of[name]["domain"] for name in rows[side]]
    main = runs[0]["domain"]
    same = rows["first_pair"] == rows["second_pair"]
    wanted = (rows["first_domain"] == main) & ((rows["second_domain"] == main) | same)
    return rows[wanted].assign(same=same[wanted]).reset_index(drop=True)
