"""Panels of layers by heads (Voita et al. 2019, figures 1 and 2): a number in each cell, or each head's functions.

All panels of a figure show the heads of a layer in one order, the first at the left; `ranks` makes it.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle

from headwork.papers.drawing import style
from headwork.papers.drawing.scales import colour_bar, heat_range
from headwork.papers.notation import group, short

LABELS = 2  # functions written in one cell
BAR = 1.0  # cm: a horizontal colour bar with its name
CELL = 0.57  # cm: the least width of a cell whose text can be read


def panel_grid(
    columns: int, layers: Sequence[int], heads: int, width: float, bars: int
) -> tuple[Figure, np.ndarray]:
    """A figure `width` cm wide with square cells: rows of `columns` panels, row i of `layers[i]` layers.

    It is wider if cells would be smaller than `CELL`, and the first `bars` rows have room for a colour bar. Returns the
    figure and its axes, an array of (row, column). The colours of functions are explained below.
    """
    cell = max((width - 0.5) / columns / (heads + 1), CELL)
    heights = [cell * n + 1.7 + BAR * (number < bars) for number, n in enumerate(layers)]
    figure = style.new(cell * columns * (heads + 1) + 0.5, sum(heights) + 0.7)
    axes = figure.subplots(len(layers), columns, squeeze=False, height_ratios=heights)
    for row in axes:
        row[0].set_ylabel("layer")
    figure.legend(handles=style.function_key(), loc="outside lower center", ncols=4)
    return figure, axes


def ranks(values: pd.DataFrame) -> pd.DataFrame:
    """`layer`, `head` and `place`: 1 for the head of a layer with the highest `value`; ties go to the lower head."""
    ordered = values.sort_values(["layer", "value", "head"], ascending=[True, False, True])
    places = ordered.groupby("layer").cumcount() + 1
    return ordered.assign(place=places)[["layer", "head", "place"]].reset_index(drop=True)


def _frame(axes: Axes, shape: tuple[int, int], title: str, order: str) -> None:
    layers, heads = shape
    axes.set(xlim=(0.5, heads + 0.5), ylim=(layers + 0.5, 0.5), aspect="equal", anchor="N", title=title)
    axes.set_xticks(range(1, heads + 1))
    axes.set_yticks(range(1, layers + 1))
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xlabel(f"head, by {order}")


def heat_panel(axes: Axes, cells: pd.DataFrame, title: str, order: str, what: str) -> AxesImage:
    """One share a head: `cells` has layer, place and value; a colour bar below says what it is. Returns the image."""
    grid = cells.pivot(index="layer", columns="place", values="value").to_numpy()
    layers, heads = grid.shape
    extent = (0.5, heads + 0.5, layers + 0.5, 0.5)
    low, high = heat_range(cells["value"])
    image = axes.imshow(grid, cmap=style.HEAT, vmin=low, vmax=high, extent=extent)
    _frame(axes, (layers, heads), title, order)
    for (row, column), value in np.ndenumerate(grid):
        if np.isfinite(value):
            ink = style.ink_on(image.cmap(image.norm(value))[:3])
            axes.text(column + 1, row + 1, f"{value:.2f}", ha="center", va="center", fontsize=5, color=ink)
    colour_bar(axes.figure, image, axes, what, location="bottom", shrink=0.6)
    return image


def published_cells(published: pd.DataFrame) -> pd.DataFrame:
    """What `function_panel` draws, from published layer, place and function; scores were not published, so 0.7."""
    return published.astype({"layer": int, "place": int}).assign(
        group=published["function"].map(group), label=published["function"].map(short), score=0.7
    )


def function_panel(axes: Axes, cells: pd.DataFrame, shape: tuple[int, int], title: str, order: str) -> None:
    """The functions of each head: `cells` has layer, place, group, label and score, a head's best function first.

    `shape` is (layers, heads); `order` names what heads are sorted by. The colour is that of the best function, the
    deeper the higher its score. The two best are written in the cell, and an ellipsis if there are more.
    """
    layers, heads = shape
    for layer in range(1, layers + 1):
        for place in range(1, heads + 1):
            own = cells[(cells["layer"] == layer) & (cells["place"] == place)]
            colour = style.tint(style.FUNCTIONS["none"], 0.7)
            if len(own):
                best = own.iloc[0]
                colour = style.tint(style.FUNCTIONS[best["group"]], best["score"])
            axes.add_patch(
                Rectangle((place - 0.47, layer - 0.47), 0.94, 0.94, facecolor=colour, edgecolor="none")
            )
            labels = [*own["label"][:LABELS], *["…"][: max(0, len(own) - LABELS)]]
            # font size for a cell of about 15 points, by the number of lines and the longest line
            size = min((6.5, 6.5, 5.2, 4.4)[len(labels)], 24 / max(map(len, labels), default=1))
            axes.text(
                place,
                layer,
                "\n".join(labels),
                ha="center",
                va="center",
                fontsize=size,
                linespacing=1.0,
                color=style.ink_on(colour),
            )
    _frame(axes, (layers, heads), title, order)
