"""Scores on GLUE tasks: without fine-tuning, fine-tuned from random weights, and fine-tuned from the pretrained
model.

Means and standard deviations over seeds, where there are several; the csv has intervals. Several published
scores of fine-tuned models are far below those in the same paper's figures 8 and 9 (QQP 0.881, MNLI 0.839,
QNLI 0.914) and are no target.
"""

import pandas as pd

from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import share
from headwork.studies.readers import TUNED, UNTUNED

STARTS = ("raw", "random", "pretrained")


def draw(glue, published):
    """The table drawn, and its numbers: a row per task, dev set, metric and start."""
    trained = glue["trained"].astype(bool)
    parts = {
        "raw": glue[trained & (glue["state"] == UNTUNED)],
        "random": glue[~trained & (glue["state"] == TUNED)],
        "pretrained": glue[trained & (glue["state"] == TUNED)],
    }
    by = ["domain", "split", "metric"]
    tables = []
    for start, part in parts.items():
        spread = {"sd": ("value", "std"), "n": ("n", "first"), "seeds": ("value", "size")}
        ends = {"ours": ("value", "mean"), "low": ("low", "mean"), "high": ("high", "mean")}
        means = part.groupby(by, sort=False).agg(**ends, **spread)
        tables.append(means.reset_index().assign(start=start))
    first = glue.drop_duplicates("domain")[["domain", "split"]].assign(first=True)
    table = pd.concat(tables).merge(first, on=["domain", "split"], how="left")
    theirs = published.rename(columns={"value": "published"}).assign(first=True)
    table = table.merge(theirs, on=["domain", "metric", "start", "first"], how="left").drop(columns="first")
    names = ["", "", *["raw", "random", "pretrained"] * 2]
    rows, rules = [[""] * 8, names], []
    for (domain, split, metric), own in table.groupby(by, sort=False):
        cells = own.set_index("start").reindex(STARTS)
        spreads = ["" if pd.isna(sd) else f" ± {share(sd)}" for sd in cells["sd"]]
        ours = [share(mean) + spread for mean, spread in zip(cells["ours"], spreads, strict=True)]
        known = map(share, cells["published"])
        shown = f"{domain} {split.removeprefix('dev_')}" if split != "dev" else domain
        rows.append([shown, metric, *ours, *known])
    notes = [
        "raw: not fine-tuned; random: fine-tuned from random weights; ±: standard deviation over seeds.",
        "Some published scores of fine-tuned models are lower than those in the paper's own figures 8 and 9.",
    ]
    spans, widths = [(0, 2, 4, "this run"), (0, 5, 7, "published")], [2.9, 1.8, 2.2, 2.2, 2.2, 1.5, 1.5, 1.7]
    return draw_sheet(rows, widths, headings=2, spans=spans, rules=rules, notes=notes), table
