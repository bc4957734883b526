"""Voita et al. (2019b), figure 1: mutual information between layers and the input token, by objective.

Ours at the left: solid the estimate, dotted the permuted-label control, dashed the state in which all began.
"""

from headwork.papers.drawing import style
from headwork.papers.drawing.evolution import curve_handles, objective_curves, published_curves, shown
from headwork.papers.drawing.scales import same_y
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.evolution import estimates, read_evolution
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("pair", "layer")


def draw(evolution, published):
    """The figure, and the information of every layer in nats."""
    rows = estimates(evolution, "information/input", "whole")
    figure = style.new(style.PAGE, 6.4)
    left, right = figure.subplots(1, 2)
    objective_curves(left, rows)
    published_curves(right, published)
    left.set(title="this run", ylabel="mutual information with\nthe input token, nats", ylim=(0, None))
    right.set(title="published", ylim=(0, None))
    same_y([left, right])
    left.legend(handles=curve_handles(left, "permuted labels"), loc="center left", fontsize=6)
    return figure, shown(rows, published, statistic="information/input", key="whole")


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.evolution, snakemake.params.runs, read_evolution)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
