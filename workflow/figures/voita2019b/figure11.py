"""Voita et al. (2019b), figure 11: share of nearest neighbours with the same CCG tag, or a part of it."""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.evolution import curve_handles, objective_curves, published_curves, shown
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.evolution import estimates, read_evolution
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("pair", "key", "layer")
PARTS = {"same": "same tag", "left": "same left part", "right": "same right part"}


def draw(evolution, published):
    """The figure and its numbers."""
    figure, kept = style.new(style.PAGE, 10.4), []
    above, below = figure.subplots(2, 3, sharey=True)
    for ours, theirs, (key, name) in zip(above, below, PARTS.items(), strict=True):
        rows, known = estimates(evolution, "tag", key), published[published["key"] == key]
        objective_curves(ours, rows)
        published_curves(theirs, known)
        ours.set_title(f"{name}, this run")
        theirs.set_title(f"{name}, published")
        kept.append(shown(rows, known, statistic="tag"))
    for axes in (above[0], below[0]):
        axes.set_ylabel("share of nearest neighbours")
    figure.legend(handles=curve_handles(above[0], "by chance"), loc="outside lower center", ncols=5)
    return figure, pd.concat(kept, ignore_index=True)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.evolution, snakemake.params.runs, read_evolution)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
