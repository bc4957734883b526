"""Alignment error rate (AER) of every layer and head, from weights α and from norms ‖αf(x)‖.

Each target word is linked to the source word with the largest value. Above: a decoder position is aligned as
its output token (AWO); below: as its input token (AWI). A dot is a head; a line joins the layers, by the mean
weight of their heads and by the norm of the sum of their vectors. At the miniature scale gold links come from
the generated corpus, all of them sure. Published: German to English, means of five models.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.layers import published_line
from headwork.studies.drawing.panels import depth_axis, same_y
from headwork.studies.rows import where

from .tables import error_rates

SETTINGS = {"output": "AWO, output token", "input": "AWI, input token"}
MEASURES = {"weight": "weights", "norm": "norms"}


def draw(alignments, published):
    """The figure and its numbers; head 0 is the layer."""
    rows = error_rates(alignments)
    figure = style.new(style.PAGE, 10.6)
    grid = figure.subplots(2, 2)
    for (left, right), (setting, told) in zip(grid, SETTINGS.items(), strict=True):
        for shift, (measure, name), colour in zip((-1, 1), MEASURES.items(), style.SERIES, strict=False):
            own = where(rows, setting=setting, measure=measure).sort_values("layer")
            layers, heads = own[own["head"] == 0], own[own["head"] > 0]
            place = heads["layer"] + 0.02 * shift * own["layer"].max()
            left.plot(place, heads["value"], "o", color=colour, markersize=2.6, alpha=0.6, markeredgewidth=0)
            left.plot(layers["layer"], layers["value"], "-o", color=colour, markersize=3.4, label=name)
            published_line(right, where(published, setting=setting, measure=measure), colour, name)
        for axes, table, title in ((left, rows, "this run"), (right, published, "published")):
            depth_axis(axes, int(table["layer"].astype(int).max()))
            axes.set(title=f"{told}, {title}", ylabel="AER", ylim=(0, None))
    same_y(grid.flat)
    grid[0, 0].plot([], [], "o", color=style.BASELINE, markersize=2.6, label="one head")
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    tables = rows.assign(origin="this run"), published.assign(origin="published", head=0)
    columns = ["origin", "setting", "measure", "layer", "head", "value", "count", "uncertainty", "source"]
    return figure, pd.concat(tables)[columns]
