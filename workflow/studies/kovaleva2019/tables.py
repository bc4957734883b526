"""Tables of fine-tuned runs in the form that the items and claims of kovaleva2019 need."""

import pandas as pd

from headwork.intervals import of_seeds
from headwork.studies.rows import WHOLE_LAYER, of_statistic, where

REGULAR = ("vertical", "diagonal", "vertical+diagonal", "block")
PATTERNS = (*REGULAR, "heterogeneous")
BY = ["domain", "layer", "head", "method"]


def shares_of_patterns(table: pd.DataFrame) -> pd.DataFrame:
    """domain, pattern, share, count: shares of patterns over all maps of each task's dev set, by the rules."""
    rows = where(table, statistic="pattern", key=list(PATTERNS))
    grouped = rows.groupby(["domain", "key"], sort=False).agg(share=("value", "mean"), count=("count", "sum"))
    return grouped.reset_index().rename(columns={"key": "pattern"})


def last_layers(table: pd.DataFrame, layers: int) -> pd.DataFrame:
    """A row per task: the mean cosine of maps before and after fine-tuning in the last layers, and in those below."""
    rows = of_statistic(table, "cosine")
    means = rows.pivot_table("value", "domain", "layer", sort=False).sort_index(axis=1)
    last = means.iloc[:, -layers:].mean(axis=1)
    return pd.DataFrame({"last": last, "others": means.iloc[:, :-layers].mean(axis=1)})


def over_seeds(table: pd.DataFrame) -> pd.DataFrame:
    """`BY`, metric, value, change, low, high, n, seeds: means over seeds, and the interval of the mean change.

    The interval is `intervals.of_seeds`: all seeds are scored on the same examples, so the uncertainty due to examples
    does not shrink with more seeds.
    """
    rows = []
    for place, own in table.groupby(BY, sort=False):
        change, half = of_seeds(own["change"].tolist(), ((own["high"] - own["low"]) / 2).tolist())
        first, mean = own.iloc[0], own["value"].mean()
        ends = change - half, change + half
        rows.append((*place, first["metric"], mean, change, *ends, first["n"], len(own)))
    return pd.DataFrame(rows, columns=[*BY, "metric", "value", "change", "low", "high", "n", "seeds"])


def without_a_layer(table: pd.DataFrame) -> pd.DataFrame:
    """Rows in which all heads of a layer are disabled."""
    return table[table["head"] == WHOLE_LAYER]


def chosen_elsewhere(table: pd.DataFrame) -> pd.DataFrame:
    """Return for each task the change from removing the head or layer whose removal helps most on other seeds.

    The best of many is overestimated by selection; on a held-out seed it is not. A row per task: domain, places (those
    chosen), change (mean over seeds), low, high, n, seeds. Tasks with one seed are left out.
    """
    rows = []
    for domain, own in table.groupby("domain", sort=False):
        seeds = sorted(own["seed"].unique())
        if len(seeds) < 2:
            continue
        chosen = []
        for seed in seeds:
            others = own[own["seed"] != seed].groupby(["layer", "head"])["change"].mean()
            layer, head = others.idxmax()
            chosen.append(where(own, seed=seed, layer=layer, head=head).iloc[0])
        found = pd.DataFrame(chosen)
        change, half = of_seeds(found["change"].tolist(), ((found["high"] - found["low"]) / 2).tolist())
        places = "/".join(dict.fromkeys(_place(row) for _, row in found.iterrows()))
        rows.append((domain, places, change, change - half, change + half, own["n"].iloc[0], len(seeds)))
    return pd.DataFrame(rows, columns=["domain", "places", "change", "low", "high", "n", "seeds"])


def _place(row: pd.Series) -> str:
    return f"{row['layer']}-{row['head']}" if row["head"] else f"layer {row['layer']}"


def first_metric(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of each task's first metric on its first dev set."""
    first = scores.drop_duplicates("domain")[["domain", "split", "metric"]]
    return scores.merge(first, on=["domain", "split", "metric"])
