"""Kobayashi et al. (2020), figure 6: alignment error rates of heads and layers, from weights and from norms.

A dot is a head, a line goes through the whole layers. Published are means of five models' layers.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.layers import published_line
from headwork.papers.drawing.scales import depth_axis, same_y
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_alignments
from headwork.papers.tables.readers import gather
from headwork.papers.views.encoders import error_rates
from headwork.run.frame import job

KEYS = ("setting", "measure", "layer")
SETTINGS = {"output": "AWO, output token", "input": "AWI, input token"}
MEASURES = {"weight": "weights", "norm": "norms"}


def draw(alignments, published):
    """The figure and its numbers; head 0 is the layer."""
    rows = error_rates(alignments)
    figure = style.new(style.PAGE, 10.6)
    grid = figure.subplots(2, 2)
    for (left, right), (setting, told) in zip(grid, SETTINGS.items(), strict=True):
        for shift, (measure, name), colour in zip((-1, 1), MEASURES.items(), style.SERIES, strict=False):
            own = rows[(rows["setting"] == setting) & (rows["measure"] == measure)].sort_values("layer")
            layers, heads = own[own["head"] == 0], own[own["head"] > 0]
            place = heads["layer"] + 0.02 * shift * own["layer"].max()
            left.plot(place, heads["value"], "o", color=colour, markersize=2.6, alpha=0.6, markeredgewidth=0)
            left.plot(layers["layer"], layers["value"], "-o", color=colour, markersize=3.4, label=name)
            theirs = published[(published["setting"] == setting) & (published["measure"] == measure)]
            published_line(right, theirs, colour, name)
        for axes, table, title in ((left, rows, "this run"), (right, published, "published")):
            depth_axis(axes, int(table["layer"].astype(int).max()))
            axes.set(title=f"{told}, {title}", ylabel="AER", ylim=(0, None))
    same_y(grid.flat)
    grid[0, 0].plot([], [], "o", color=style.BASELINE, markersize=2.6, label="one head")
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    tables = rows.assign(origin="this run"), published.assign(origin="published", head=0)
    columns = ["origin", "setting", "measure", "layer", "head", "value", "count", "uncertainty", "source"]
    return figure, pd.concat(tables)[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.alignments, snakemake.params.runs, read_alignments)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
