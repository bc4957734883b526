"""Attention positions, induced trees and tagging probes of encoders (Raganato & Tiedemann 2018)."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from headwork.studies.compare import shares
from headwork.studies.rows import where

WAYS = {"dependent-to-head": "d→h", "head-to-dependent": "h→d"}
BASELINES = ("right-branching", "left-branching", "random")
MEAN, BEST = "all heads, mean", "best head"


def runs_in_order(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Return (run, label) in the table's order; the control's label is "untrained"."""
    rows = table.drop_duplicates("run")
    return [
        (run, label if trained else f"{label}, untrained")
        for run, label, trained in zip(rows["run"], rows["label"], rows["trained"], strict=True)
    ]


def induced_trees(trees: pd.DataFrame, branching: pd.DataFrame) -> pd.DataFrame:
    """Table 2: run, label, system, layer, head, direction, words, ours, low, high, n.

    Systems are the mean over all heads, the best head of each layer and of all layers, in each direction, and the
    baselines. The best heads are chosen on the scored words, punctuation included.
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
    """Return all scores of the best head among some; ties are resolved by the lower head."""
    ranked = among.sort_values(["value", "layer", "head"], ascending=[False, True, True], kind="stable")
    best = ranked.iloc[0]
    columns = ["run", "direction", "words", "layer", "head", "value", "count"]
    return where(own, layer=best["layer"], head=best["head"])[columns].assign(system=system)


def known_tags(tags: pd.DataFrame) -> pd.DataFrame:
    """Table 3: run, label, task, layer, most_frequent, linear, decoder, decoder_of_all, length_errors, n, and `best`.

    `best` gives the best layer of a task for each column, without embeddings.
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
        own = where(rows, probe=probe, measure=measure)
        counted = {"value": name} | ({"count": "n"} if name == "linear" else {})
        table = table.merge(own.rename(columns=counted)[[*place, *counted.values()]], on=place, how="left")
    usual = tags[tags["probe"] == "most-frequent-tag"].rename(columns={"value": "most_frequent"})
    return table.merge(usual[["run", "task", "most_frequent"]], on=["run", "task"])


def transferred(scores: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    """Table 4: training method of the small pair (`domain`), BLEU with its interval, and gain over the first row."""
    rows = scores.set_index("domain").loc[[name for name in order if name in set(scores["domain"])]]
    rows = rows.reset_index().rename(columns={"bleu": "ours", "sentences": "n"})
    return rows.assign(gain=rows["ours"] - rows["ours"].iloc[0])


def facts_of_runs(facts: Sequence[dict[str, Any]], runs: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """run, train_pairs and trained_parameters, from each run's run.json."""
    rows = [
        (run["run"], fact["data"]["train_pairs"], fact["training"]["trained_parameters"])
        for fact, run in zip(facts, runs, strict=True)
    ]
    return pd.DataFrame(rows, columns=["run", "train_pairs", "trained_parameters"])
