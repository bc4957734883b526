"""Voita et al. (2019b), figure 7: change of tokens and influence on others, by part of speech.

A dot is a layer, the darker the higher, with its jackknife interval over tenths of the text. Its published numbers are
not known.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.evolution import groups_in, shown, tag_dots
from headwork.papers.item import save
from headwork.papers.tables.evolution import OBJECTIVES, estimates, of_objective, read_evolution
from headwork.papers.tables.readers import gather
from headwork.run.frame import job


def draw(evolution, influence):
    """The figure and its numbers."""
    change, exerted = estimates(evolution, "change/pos"), estimates(influence, "influence/pos")
    change = change[change["layer"] >= 2]
    figure, kept = style.new(style.PAGE, 15.0), []
    parts = figure.subfigures(2, 1)
    for part, rows, what in zip(parts, (change, exerted), ("change", "influence"), strict=True):
        panels = part.subplots(1, len(OBJECTIVES), sharex=True, sharey=True)
        for axes, pair in zip(panels, OBJECTIVES, strict=True):
            tag_dots(axes, of_objective(rows, pair), groups_in(rows))
            axes.set(title=f"{pair}, {what}", xlabel=f"{what}, PWCCA distance")
        panels[0].set_xlim(0, None)
        panels[0].set_ylabel("part of speech (Penn)")
        handles = panels[0].get_legend_handles_labels()
        part.legend(*handles, loc="outside right center", fontsize=6)
        kept.append(shown(rows[rows["trained"]]))
    return figure, pd.concat(kept, ignore_index=True)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = (gather(files, runs, read_evolution) for files in (given.evolution, given.influence))
        save(*draw(*tables), snakemake.output)
