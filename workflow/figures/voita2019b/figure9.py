"""Voita et al. (2019b), figure 9: distance between positions of nearest neighbours, and t-SNE of one word."""

from headwork.papers.drawing import style
from headwork.papers.drawing.evolution import curve_handles, objective_curves, planes, published_curves, shown
from headwork.papers.drawing.scales import same_y
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.evolution import estimates, read_evolution, read_points
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("pair", "layer")


def draw(evolution, points, published):
    """The figure, and the numbers of the curves."""
    rows = estimates(evolution, "position", "distance")
    figure = style.new(style.PAGE, 17.0)
    curves, maps = figure.subfigures(2, 1, height_ratios=(1, 2.1))
    left, right = curves.subplots(1, 2)
    objective_curves(left, rows)
    published_curves(right, published)
    left.set(title="this run", ylabel="mean distance of positions, tokens")
    right.set(title="published")
    left.legend(handles=curve_handles(left, "by chance"), fontsize=6, loc="lower left")
    same_y([left, right])
    for axes in (left, right):
        axes.invert_yaxis()
    planes(maps, points, "position")
    return figure, shown(rows, published, statistic="position", key="distance")


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = gather(given.evolution, runs, read_evolution), gather(given.points, runs, read_points)
        save(*draw(*tables, read_published(given.published, KEYS)), snakemake.output)
