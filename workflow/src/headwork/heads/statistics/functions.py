"""Functions of each head, from its statistics (Voita et al. 2019, section 5).

positional   its arg-max is at one offset in at least 90 % of cases
syntactic    its accuracy at a relation, in one direction, is at least 10 percentage points above the relation's
             positional baseline (points, not per cent: table 1's 42 against 33 is no function in figure 1c)
rare         it looks at one of the two rarest tokens in at least half of the cases, and more than chance would

The thresholds are settings (`headwork.settings.heads.FunctionSettings`); those of the functions that an atlas names,
for any model, stand with its measures (`headwork.head_atlas.functions`).

A head may have several functions. Statistics of fewer than 100 instances are not used.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from headwork.settings.heads import FunctionSettings

COLUMNS = ("kind", "layer", "head", "function", "score", "baseline", "margin", "count", "holds")
ROUNDING = 1e-9  # a share of exactly 0.9 must pass in spite of rounding


@dataclass(frozen=True)
class Baselines:
    """Baselines of the statistics, by key.

    `offset` and `rare` by (kind, key): a head with arg-max at a uniformly random token. `syntactic` by relation, or
    by key (``nsubj/to-head``): the most common offset.
    """

    offset: Mapping[tuple[str, str], float]
    syntactic: Mapping[str, float]
    rare: Mapping[tuple[str, str], float]


def label(
    statistics: pd.DataFrame, baselines: Baselines, settings: FunctionSettings | None = None
) -> pd.DataFrame:
    """kind, layer, head, function, score, baseline, margin, count, holds: every head and every function it may have.

    `statistics` has the columns of results/heads/<run>.parquet; functions are named ``positional/-1``,
    ``syntactic/nsubj/to-dependent``, ``rare``.
    """
    settings = settings or FunctionSettings()
    parts = [
        _candidates(statistics, "offset", "positional/", lambda kind, key: baselines.offset[kind, key]),
        _candidates(
            statistics,
            "syntactic",
            "syntactic/",
            lambda kind, key: baselines.syntactic.get(key, baselines.syntactic.get(key.split("/")[0])),
        ),
        _candidates(
            statistics[statistics["key"] == "two-rarest"],
            "rare",
            "rare",
            lambda kind, key: baselines.rare[kind, key],
        ),
    ]
    positional, syntactic, rare = parts
    positional["holds"] = positional["score"] >= settings.positional_share - ROUNDING
    syntactic["holds"] = syntactic["margin"] >= settings.syntactic_margin - ROUNDING
    rare["function"] = "rare"
    rare["holds"] = (rare["score"] >= settings.rare_rate - ROUNDING) & (rare["margin"] > 0)
    if settings.rare_layer is not None:
        rare["holds"] &= rare["layer"] == settings.rare_layer
    table = pd.concat(parts, ignore_index=True)
    table["holds"] &= table["count"] >= settings.min_instances
    return table[list(COLUMNS)]


def _candidates(
    statistics: pd.DataFrame, statistic: str, prefix: str, baseline: Callable[[str, str], float]
) -> pd.DataFrame:
    """The rows of one statistic as candidate functions, with score, baseline and margin."""
    rows = statistics[statistics["statistic"] == statistic].reset_index(drop=True)
    rows = rows.rename(columns={"value": "score"}).assign(
        function=prefix + rows["key"],
        baseline=[baseline(kind, key) for kind, key in zip(rows["kind"], rows["key"], strict=True)],
    )
    return rows.assign(margin=rows["score"] - rows["baseline"])
