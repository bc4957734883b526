"""Kovaleva et al. (2019), table 1: scores without fine-tuning, fine-tuned from random weights, and fine-tuned.

The mean over seeds, where there are several. What the paper calls accuracy for STS-B must be a correlation; several of
its fine-tuned scores are far below those of its own figures 8 and 9.
"""

import pandas as pd

from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import share
from headwork.papers.published import read_published
from headwork.papers.tables.readers import gather
from headwork.papers.tables.tasks import TUNED, UNTUNED, read_glue
from headwork.run.frame import job

KEYS = ("domain", "metric", "start")
STARTS = ("raw", "random", "pretrained")


def draw(scores, published):
    """The table drawn, and its numbers: a row per task, dev set, metric and start."""
    trained = scores["trained"].astype(bool)
    parts = {
        "raw": scores[trained & (scores["state"] == UNTUNED)],
        "random": scores[~trained & (scores["state"] == TUNED)],
        "pretrained": scores[trained & (scores["state"] == TUNED)],
    }
    by = ["domain", "split", "metric"]
    tables = []
    for start, part in parts.items():
        grouped = part.groupby(by, sort=False)
        means = grouped.agg(
            ours=("value", "mean"),
            low=("low", "mean"),
            high=("high", "mean"),
            sd=("value", "std"),
            n=("n", "first"),
            seeds=("value", "size"),
        )
        tables.append(means.reset_index().assign(start=start))
    first = scores.drop_duplicates("domain")[["domain", "split"]].assign(first=True)
    table = pd.concat(tables).merge(first, on=["domain", "split"], how="left")
    theirs = published.rename(columns={"value": "published"}).assign(first=True)
    table = table.merge(theirs, on=["domain", "metric", "start", "first"], how="left").drop(columns="first")
    names = ["", "", *["raw", "random", "pretrained"] * 2]
    rows, rules = [[""] * 8, names], []
    for (domain, split, metric), own in table.groupby(by, sort=False):
        cells = own.set_index("start").reindex(STARTS)
        ours = [
            share(cells.loc[start, "ours"])
            + ("" if pd.isna(cells.loc[start, "sd"]) else f" ± {share(cells.loc[start, 'sd'])}")
            for start in STARTS
        ]
        known = [share(cells.loc[start, "published"]) for start in STARTS]
        shown = f"{domain} {split.removeprefix('dev_')}" if split != "dev" else domain
        rows.append([shown, metric, *ours, *known])
    notes = [
        "raw: not fine-tuned; random: fine-tuned from random weights; ±: standard deviation over seeds.",
        "Some published scores of fine-tuned models are lower than those in the paper's own figures 8 and 9.",
    ]
    spans, widths = [(0, 2, 4, "this run"), (0, 5, 7, "published")], [2.9, 1.8, 2.2, 2.2, 2.2, 1.5, 1.5, 1.7]
    return draw_sheet(rows, widths, headings=2, spans=spans, rules=rules, notes=notes), table


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.glue, snakemake.params.runs, read_glue)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
