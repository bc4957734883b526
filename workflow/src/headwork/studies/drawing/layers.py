"""Panels over the layers of a model: a dot for each head, and a line through the layers' means.

The x axis is the layer number (`layer_axis`), or relative depth beside a model of another depth
(`headwork.studies.drawing.panels.depth_axis`).
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from headwork.studies import style


def layer_means(rows: pd.DataFrame, value: str = "value") -> pd.DataFrame:
    """layer, value, low, high, heads: the mean over the heads of each layer, the least and the greatest."""
    layers = rows.groupby("layer")[value]
    return layers.agg(value="mean", low="min", high="max", heads="size").reset_index()


def heads_and_means(axes: Axes, rows: pd.DataFrame, colour: str, label: str, value: str = "value") -> None:
    """`rows` are one a head, with layer and the value; the dots of a layer stand side by side."""
    heads = rows.groupby("layer")["head"].transform("size")
    aside = (rows["head"] - (heads + 1) / 2) / heads * 0.5
    look = {"color": colour, "markersize": 2.2, "alpha": 0.55, "markeredgewidth": 0}
    axes.plot(rows["layer"] + aside, rows[value], "o", **look)
    means = layer_means(rows, value)
    axes.plot(means["layer"], means["value"], color=colour, linewidth=1.2, label=label)


def one_head() -> Line2D:
    """The legend entry of the dots of `heads_and_means`, whatever their colour."""
    return Line2D([], [], marker="o", linestyle="", markersize=2.2, color=style.BASELINE, label="one head")


def published_line(axes: Axes, rows: pd.DataFrame, colour: str, label: str) -> None:
    """Published means of layers, one a row."""
    rows = rows.astype({"layer": int}).sort_values("layer")
    axes.plot(rows["layer"], rows["value"], "-D", color=colour, linewidth=1.0, markersize=2.4, label=label)


def layer_axis(axes: Axes, layers: int, what: str = "layer") -> None:
    """The x axis counts layers."""
    axes.set_xlim(0.4, layers + 0.6)
    axes.set_xticks(range(1, layers + 1))
    axes.set_xlabel(what)
    axes.grid(axis="y", color=style.PALE, linewidth=0.6)
    axes.set_axisbelow(True)
