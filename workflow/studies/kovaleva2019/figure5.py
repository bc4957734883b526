"""Cosine similarity of each head's attention maps before and after fine-tuning, by task.

Means over the examples of the dev set, of maps without padding. The authors' code compared padded maps;
padded positions attend alike in both models (``task_heads.include_padding``). Below: means of layers;
published ones are read off the figure.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.panels import heat_range
from headwork.studies.rows import of_statistic

from .drawings import layer_lines, task_grids


def draw(tasks, published):
    """The figure and its numbers: origin, domain, layer, head (empty: the layer's mean), value, count."""
    rows = of_statistic(tasks, "cosine")
    figure = style.new(style.PAGE, 12.0)
    grids, lines = figure.subfigures(2, 1, height_ratios=(2, 1.35))
    task_grids(grids, rows, "cosine similarity, before and after", *heat_range(rows["value"]))[0].remove()
    means = layer_lines(lines, rows, published, "mean cosine")
    columns = ["origin", "domain", "layer", "head", "value", "count", "uncertainty", "source"]
    return figure, pd.concat([rows.assign(origin="this run"), *means])[columns]
