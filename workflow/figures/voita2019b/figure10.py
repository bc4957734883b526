"""Voita et al. (2019b), figure 10: share of nearest neighbours with the same left or right token."""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.evolution import curve_handles, objective_curves, published_curves, shown
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.evolution import estimates, read_evolution
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("pair", "statistic", "layer")
SIDES = {"left": "same token at the left", "right": "same token at the right"}


def draw(evolution, published):
    """The figure and its numbers."""
    figure, kept = style.new(style.PAGE, 10.4), []
    panels = figure.subplots(2, 2, sharey=True)
    for (left, right), (side, name) in zip(panels, SIDES.items(), strict=True):
        rows, theirs = estimates(evolution, side, "same"), published[published["statistic"] == side]
        objective_curves(left, rows)
        published_curves(right, theirs)
        left.set(title=f"{name}, this run", ylabel="share of nearest neighbours")
        right.set_title(f"{name}, published")
        kept.append(shown(rows, theirs, key="same"))
    panels[0, 0].set_ylim(0, None)
    figure.legend(handles=curve_handles(panels[0, 0], "by chance"), loc="outside lower center", ncols=5)
    return figure, pd.concat(kept, ignore_index=True)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.evolution, snakemake.params.runs, read_evolution)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
