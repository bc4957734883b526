"""Figures with a panel for each task: grids of heads, and means of layers (Kovaleva et al. 2019)."""

from collections.abc import Sequence
from numbers import Real

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colorbar import Colorbar
from matplotlib.colors import Normalize
from matplotlib.figure import FigureBase

from headwork.studies import style
from headwork.studies.drawing.grids import head_grid
from headwork.studies.drawing.layers import layer_means
from headwork.studies.drawing.panels import colour_bar, depth_axis
from headwork.studies.rows import where

COLUMNS = 4
COLOURS = (*style.SERIES, style.BASELINE)


def task_grids(
    figure: FigureBase,
    rows: pd.DataFrame,
    what: str,
    low: Real,
    high: Real,
    cmap: str = style.HEAT,
    norm: Normalize | None = None,
) -> tuple[Axes, Colorbar]:
    """A grid of layers by heads for each task, with one colour scale, `low` to `high` or `norm`.

    `rows` has domain, layer, head and value, one row a head and task; `what` says what it is. Returns an empty panel
    and the colour bar.
    """
    domains = list(rows["domain"].unique())
    *grids, free = style.panels(figure, len(domains) + 1, COLUMNS)
    for axes, domain in zip(grids, domains, strict=True):
        image = head_grid(axes, rows[rows["domain"] == domain], domain, low, high, cmap, norm)
    for place, axes in enumerate(grids):
        if place % COLUMNS == 0:
            axes.set_ylabel("layer")
        if place + COLUMNS >= len(grids):
            axes.set_xlabel("head")
    return free, colour_bar(figure, image, [*grids, free], what, shrink=0.7, aspect=30)


def layer_lines(
    figure: FigureBase, rows: pd.DataFrame, published: pd.DataFrame, what: str
) -> list[pd.DataFrame]:
    """Means of layers, a line a task: this run's at the left, published ones at the right. Returns both as tables.

    `rows` has domain, layer, head and value; `published` domain, layer and value.
    """
    domains = list(rows["domain"].unique())
    own = [layer_means(where(rows, domain=name)).assign(domain=name, origin="this run") for name in domains]
    theirs = published.astype({"layer": int}).sort_values(["domain", "layer"]).assign(origin="published")
    tables = [pd.concat(own), theirs]
    grid: Sequence[Axes] = figure.subplots(1, 2, sharey=True)
    for axes, table, title in zip(grid, tables, ("this run", "published"), strict=True):
        for domain, colour in zip(domains, COLOURS, strict=False):
            line, look = where(table, domain=domain), {"color": colour, "linewidth": 1, "markersize": 2}
            axes.plot(line["layer"], line["value"], "-o", label=domain, **look)
        depth_axis(axes, int(table["layer"].max()))
        axes.set(title=title)
    grid[0].set_ylabel(what)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside right center")
    return tables
