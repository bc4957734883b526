"""Voita et al. (2019b), figure 7: how much tokens change and influence others, by part of speech.

A curve is a layer, the darker the higher. Its published numbers are not known.
"""

import pandas as pd

from headwork.jobs import job
from headwork.papers import style
from headwork.papers.evolution import group_curves, groups_in, shown
from headwork.papers.evolution_tables import OBJECTIVES, chosen, of_objective, read_evolution
from headwork.papers.item import save
from headwork.papers.tables import gather


def draw(evolution, influence):
    """The figure and its numbers."""
    change, exerted = chosen(evolution, "change/pos"), chosen(influence, "influence/pos")
    change = change[change["layer"] >= 2]
    figure, kept = style.new(style.PAGE, 11.0), []
    panels = figure.subplots(2, 3, sharey="row")
    for line, rows, what in zip(panels, (change, exerted), ("change", "influence"), strict=True):
        for axes, pair in zip(line, OBJECTIVES, strict=True):
            group_curves(axes, of_objective(rows, pair), groups_in(rows), "o")
            axes.set_title(f"{pair}, {what}")
        line[0].set(ylabel=f"{what}, PWCCA distance", ylim=(0, None))
        line[0].legend(fontsize=6)
        kept.append(shown(rows[rows["trained"]]))
    return figure, pd.concat(kept, ignore_index=True)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = (gather(files, runs, read_evolution) for files in (given.evolution, given.influence))
        save(*draw(*tables), snakemake.output)
