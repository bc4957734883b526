"""The best head of each dependency relation, from the table of all (Clark et al. 2019, table 1).

It is chosen and reported on the same sentences. The split-half estimate chooses on one half of them and reports on the
other, both ways round.
"""

from collections.abc import Sequence

import pandas as pd


def best_heads(statistics: pd.DataFrame, min_count: int = 100) -> pd.DataFrame:
    """kind, relation, layer, head, direction, accuracy, split_half, count: the best head of each relation.

    `statistics` are rows as `Dependency.table` has them. Relations of fewer words than `min_count` are left out (100 in
    the paper). `split_half` is the accuracy of the head and direction chosen on one half, on the other, both ways taken
    together; missing where a half has no such word.
    """
    parts = ["relation", "direction"]
    table = statistics[statistics["statistic"].str.startswith("dependency")].copy()
    table[parts] = table["key"].str.split("/", expand=True).to_numpy()
    whole = table[(table["statistic"] == "dependency") & (table["count"] >= min_count)]
    halves = [table[table["statistic"] == f"dependency-half-{number}"] for number in (1, 2)]
    best = _best(whole).rename(columns={"value": "accuracy"})
    place = ["kind", "relation", "layer", "head", "direction"]
    crossed = [_best(chosen)[place].merge(other, on=place) for chosen, other in (halves, halves[::-1])]
    estimate = pd.concat(crossed).assign(hits=lambda rows: rows["value"] * rows["count"])
    sums = estimate.groupby(["kind", "relation"], as_index=False).agg(
        hits=("hits", "sum"), words=("count", "sum"), halves=("count", "size")
    )
    sums = sums[sums["halves"] == 2].assign(split_half=lambda rows: rows["hits"] / rows["words"])
    found = best.merge(sums[["kind", "relation", "split_half"]], on=["kind", "relation"], how="left")
    return found[[*place, "accuracy", "split_half", "count"]]


def _best(rows: pd.DataFrame) -> pd.DataFrame:
    """The row with the highest accuracy of each kind and relation, the first of several."""
    chosen: Sequence[int] = rows.groupby(["kind", "relation"], sort=False)["value"].idxmax()
    return rows.loc[chosen]
