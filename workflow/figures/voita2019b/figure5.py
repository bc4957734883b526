"""Voita et al. (2019b), figure 5: influence of tokens on the others of their sentence, by token frequency.

A curve is a layer, the darker the higher, whiskers are jackknife intervals over tenths of the text; groups are ranges
of frequency ranks, rare ones at the right.
"""

from headwork.papers.drawing import style
from headwork.papers.drawing.evolution import by_frequency, shown
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.evolution import estimates, read_evolution
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("pair", "key", "layer")


def draw(influence, published):
    """The figure and its numbers."""
    rows = estimates(influence, "influence/rank")
    rows = rows[rows["trained"] & (rows["layer"] >= 1)]
    figure = style.new(style.PAGE, 13.0)
    by_frequency(figure, rows, published, "influence")
    return figure, shown(rows, published, statistic="influence/rank")


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.influence, snakemake.params.runs, read_evolution)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
