"""Raganato & Tiedemann (2018), figure 1: position that each encoder head attends to most.

A bar a head, a panel a run; the last panel is the untrained control's.
"""

import numpy as np

from headwork.papers.drawing import style
from headwork.papers.item import save
from headwork.papers.tables.encoders import read_heads
from headwork.papers.tables.readers import gather
from headwork.papers.views.translation_encoders import runs_in_order
from headwork.run.frame import job

PLACES = {
    "self": ("itself", style.SERIES[0]),
    "previous": ("previous token", style.SERIES[1]),
    "next": ("next token", style.SERIES[2]),
    "last": ("last token", style.SERIES[3]),
    "end": ("EOS", style.SERIES[5]),
    "other": ("elsewhere", style.PALE),
}
GAP = 0.6  # between the bars of two layers
PANEL = 3.3  # cm


def draw(trees):
    """The figure, and the shares in it."""
    rows = trees[trees["statistic"] == "place"]
    runs = runs_in_order(rows)
    figure = style.new(style.PAGE, PANEL * len(runs) + 1.0)
    for axes, (run, name) in zip(figure.subplots(len(runs), 1, squeeze=False)[:, 0], runs, strict=True):
        own = rows[rows["run"] == run].pivot_table(index=["layer", "head"], columns="key", values="value")
        layers = own.index.get_level_values("layer").to_numpy()
        x = np.arange(len(own)) + GAP * (layers - 1)
        bottom = np.zeros(len(own))
        for key, (label, colour) in PLACES.items():
            axes.bar(x, own[key], 0.86, bottom, color=colour, label=label)
            bottom += own[key].to_numpy()
        axes.set_xticks(x, [f"{layer}-{head}" for layer, head in own.index])
        axes.tick_params(axis="x", length=0, labelsize=6.5 if len(own) <= 24 else 4.5)
        axes.set(title=name, ylabel="share of tokens", xlim=(x[0] - 0.8, x[-1] + 0.8))
        style.share_axis(axes)
    figure.supxlabel("layer-head", fontsize=7.5)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=len(PLACES))
    table = rows.rename(columns={"key": "place", "value": "ours", "count": "n"})
    return figure, table[["run", "label", "trained", "layer", "head", "place", "ours", "n"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        trees = gather(snakemake.input.trees, snakemake.params.runs, read_heads)
        save(*draw(trees), snakemake.output)
