"""Kovaleva et al. (2019), figure 5: cosine similarity of each head's maps before and after fine-tuning, by task.

Below: means of layers, of this run and as published.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.scales import heat_range
from headwork.papers.drawing.task_panels import layer_lines, task_grids
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_heads
from headwork.papers.tables.readers import gather
from headwork.papers.views.tasks import of_statistic
from headwork.run.frame import job

KEYS = ("domain", "layer")


def draw(statistics, published):
    """The figure and its numbers: origin, domain, layer, head (empty: the layer's mean), value, count."""
    rows = of_statistic(statistics, "cosine")
    figure = style.new(style.PAGE, 12.0)
    grids, lines = figure.subfigures(2, 1, height_ratios=(2, 1.35))
    task_grids(grids, rows, "cosine similarity, before and after", *heat_range(rows["value"]))[0].remove()
    means = layer_lines(lines, rows, published, "mean cosine")
    columns = ["origin", "domain", "layer", "head", "value", "count", "uncertainty", "source"]
    return figure, pd.concat([rows.assign(origin="this run"), *means])[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.tasks, snakemake.params.runs, read_heads)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
