"""Voita et al. (2019b), figure 12: t-SNE of one word by its CCG tag; the later in its sentence, the darker."""

from headwork.papers.drawing import style
from headwork.papers.drawing.evolution import planes
from headwork.papers.item import save
from headwork.papers.tables.evolution import read_points
from headwork.papers.tables.readers import gather
from headwork.run.frame import job


def draw(points):
    """The figure and its points."""
    rows = points[(points["shows"] == "tags") & points["trained"] & (points["tag"] != "")]
    figure = style.new(style.PAGE, 12.5)
    planes(figure, points, "tags")
    return figure, rows[["domain", "pair", "layer", "form", "position", "tag", "x", "y"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.points, snakemake.params.runs, read_points)
        save(*draw(table), snakemake.output)
