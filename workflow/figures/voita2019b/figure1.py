"""Voita et al. (2019b), figure 1: mutual information between layers and the token that is read, by objective.

Ours at the left: solid the estimate, dotted the same for types dealt out anew, dashed the state in which all began.
"""

from headwork.jobs import job
from headwork.papers import style
from headwork.papers.evolution import curve_handles, objective_curves, published_curves, shown
from headwork.papers.evolution_tables import chosen, read_evolution
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables import gather

KEYS = ("pair", "layer")


def draw(evolution, published):
    """The figure, and the information of every layer in nats."""
    rows = chosen(evolution, "information/input", "whole")
    figure = style.new(style.PAGE, 6.4)
    left, right = figure.subplots(1, 2)
    objective_curves(left, rows)
    published_curves(right, published)
    left.set(title="this run", ylabel="information with the token read, nats", ylim=(0, None))
    right.set(title="published", ylim=(0, None))
    left.legend(handles=curve_handles(left, "types dealt out anew"), loc="center left", fontsize=6)
    return figure, shown(rows, published, statistic="information/input", key="whole")


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.evolution, snakemake.params.runs, read_evolution)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
