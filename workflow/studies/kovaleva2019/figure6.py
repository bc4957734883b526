"""Attention of each head to [SEP] and to [CLS], by task.

[CLS]: mean over query tokens of the attention to it; [SEP]: the larger of the two [SEP] tokens. Means over
the examples of the dev set. Below: means of layers for [SEP]; published ones are read off the figure.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.panels import heat_range
from headwork.studies.rows import of_statistic

from .drawings import layer_lines, task_grids

FEATURES = {"sep": "[SEP]", "cls": "[CLS]"}


def draw(tasks, published):
    """The figure and its numbers: origin, feature, domain, layer, head (empty: the layer's mean), value, count."""
    figure, shown = style.new(style.PAGE, 19.5), []
    parts = figure.subfigures(3, 1, height_ratios=(2, 2, 1.35))
    for part, (feature, name) in zip(parts, FEATURES.items(), strict=False):
        rows = of_statistic(tasks, "feature", feature)
        task_grids(part, rows, f"attention to {name}", *heat_range(rows["value"]))[0].remove()
        shown.append(rows.assign(origin="this run", feature=feature))
    own = of_statistic(tasks, "feature", "sep")
    means = layer_lines(parts[-1], own, published, "mean attention to [SEP]")
    shown += [table.assign(feature="sep") for table in means]
    columns = ["origin", "feature", "domain", "layer", "head", "value", "count", "uncertainty", "source"]
    return figure, pd.concat(shown)[columns]
