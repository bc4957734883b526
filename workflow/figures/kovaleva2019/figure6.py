"""Kovaleva et al. (2019), figure 6: the attention of each head to [SEP] and to [CLS], by task.

Below: means of layers for [SEP], of this run and as published.
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
FEATURES = {"sep": "[SEP]", "cls": "[CLS]"}


def draw(statistics, published):
    """The figure and its numbers: origin, feature, domain, layer, head (empty: the layer's mean), value, count."""
    figure, shown = style.new(style.PAGE, 19.5), []
    parts = figure.subfigures(3, 1, height_ratios=(2, 2, 1.35))
    for part, (feature, name) in zip(parts, FEATURES.items(), strict=False):
        rows = of_statistic(statistics, "feature", feature)
        task_grids(part, rows, f"attention to {name}", *heat_range(rows["value"]))[0].remove()
        shown.append(rows.assign(origin="this run", feature=feature))
    own = of_statistic(statistics, "feature", "sep")
    means = layer_lines(parts[-1], own, published, "mean attention to [SEP]")
    shown += [table.assign(feature="sep") for table in means]
    columns = ["origin", "feature", "domain", "layer", "head", "value", "count", "uncertainty", "source"]
    return figure, pd.concat(shown)[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.tasks, snakemake.params.runs, read_heads)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
