"""What items show of the inside of encoders (Raganato & Tiedemann 2018): places attended to, trees, tags of words."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from headwork.papers.compare import shares

WAYS = {"dependent-to-head": "d→h", "head-to-dependent": "h→d"}
BASELINES = ("right-branching", "left-branching", "random")
MEAN, BEST = "all heads, mean", "best head"


def runs_in_order(table: pd.DataFrame) -> list[tuple[str, str]]:
    """run and how figures call it, in the table's order; a control is called untrained."""
    rows = table.drop_duplicates("run")
    return [
        (run, label if trained else f"{label}, untrained")
        for run, label, trained in zip(rows["run"], rows["label"], rows["trained"], strict=True)
    ]


def induced_trees(trees: pd.DataFrame, branching: pd.DataFrame) -> pd.DataFrame:
    """Table 2: run, label, system, layer, head, direction, words, ours, low, high, n.

    Systems are the mean over all heads, the best head of each layer and of all, each way, and the baselines. The best
    are chosen on the words that they are scored on, punctuation included.
    """
    rows = trees[trees["statistic"] == "tree"].copy()
    rows[["words", "direction"]] = rows["key"].str.split("/", expand=True).to_numpy()
    rows["layer"] = rows["layer"].astype("Int64")
    found = []
    for (run, direction), own in rows.groupby(["run", "direction"], sort=False):
        every = own[own["words"] == "all"]
        means = own.groupby("words", as_index=False).agg(value=("value", "mean"), count=("count", "min"))
        found.append(means.assign(run=run, direction=direction, system=MEAN))
        for layer, part in every.groupby("layer"):
            found.append(_of_head(own, part, f"layer {layer}"))
        found.append(_of_head(own, every, BEST))
    base = branching.rename(columns={"baseline": "system", "key": "words"})
    found.append(base[["run", "system", "words", "value", "count"]])
    labels = trees.drop_duplicates("run")[["run", "label", "trained"]]
    table = shares(pd.concat(found, ignore_index=True), "value", "count").merge(labels, on="run")
    columns = ["run", "label", "trained", "system", "layer", "head", "direction", "words"]
    return table[[*columns, "ours", "low", "high", "n"]]


def _of_head(own: pd.DataFrame, among: pd.DataFrame, system: str) -> pd.DataFrame:
    """All scores of the best of some heads; of equals the lower one."""
    ranked = among.sort_values(["value", "layer", "head"], ascending=[False, True, True], kind="stable")
    best = ranked.iloc[0]
    chosen = (own["layer"] == best["layer"]) & (own["head"] == best["head"])
    return own.loc[chosen, ["run", "direction", "words", "layer", "head", "value", "count"]].assign(
        system=system
    )


def known_tags(tags: pd.DataFrame) -> pd.DataFrame:
    """Table 3: run, label, task, layer, most_frequent, linear, decoder, decoder_of_all, length_errors, n, and `best`.

    `best` says of each column which layer of a task is best in it, embeddings left out.
    """
    wide = {
        ("linear", "precision"): "linear",
        ("decoder", "precision"): "decoder",
        ("decoder", "precision-of-all"): "decoder_of_all",
        ("decoder", "length-errors"): "length_errors",
    }
    place = ["run", "label", "trained", "task", "layer"]
    rows = tags.dropna(subset="layer")
    table = rows[place].drop_duplicates()
    for (probe, measure), name in wide.items():
        own = rows[(rows["probe"] == probe) & (rows["measure"] == measure)]
        counted = {"value": name} | ({"count": "n"} if name == "linear" else {})
        table = table.merge(own.rename(columns=counted)[[*place, *counted.values()]], on=place, how="left")
    usual = tags[tags["probe"] == "most-frequent-tag"].rename(columns={"value": "most_frequent"})
    return table.merge(usual[["run", "task", "most_frequent"]], on=["run", "task"])


def transferred(scores: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    """Table 4: how the small pair was trained (`domain`), BLEU with its interval, and what is gained over the first."""
    rows = scores.set_index("domain").loc[[name for name in order if name in set(scores["domain"])]]
    rows = rows.reset_index().rename(columns={"bleu": "ours", "sentences": "n"})
    return rows.assign(gain=rows["ours"] - rows["ours"].iloc[0])


def facts_of_runs(facts: Sequence[dict[str, Any]], runs: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """run, pairs it was trained on, parameters that were trained: of the runs' run.json."""
    rows = [
        (run["run"], fact["data"]["train_pairs"], fact["training"]["trained_parameters"])
        for fact, run in zip(facts, runs, strict=True)
    ]
    return pd.DataFrame(rows, columns=["run", "train_pairs", "trained_parameters"])
