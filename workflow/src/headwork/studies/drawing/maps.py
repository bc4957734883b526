"""One attention map: as lines between tokens, as an image, or as a table."""

from collections.abc import Collection, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D

from headwork.studies import style

FAINT = 0.02  # weights below are not drawn
MARKED = style.SERIES[5]


def line_map(
    axes: Axes,
    words: Sequence[str],
    weights: Sequence[Sequence[float]],
    colour: str = style.SERIES[0],
    marked: Collection[tuple[int, int]] = (),
) -> None:
    """The words in two columns, and a line for each weight; lines of `marked` (from, to) are of another colour."""
    count = len(words)
    lines, colours = [], []
    for query, row in enumerate(weights):
        for key, weight in enumerate(row):
            if weight >= FAINT:
                lines.append([(0.0, count - query), (1.0, count - key)])
                own = MARKED if (query, key) in marked else colour
                colours.append(to_rgba(own, min(1.0, weight)))
    axes.add_collection(LineCollection(lines, colors=colours, linewidths=1.1))
    for place, word in enumerate(words):
        for x, side in ((-0.04, "right"), (1.04, "left")):
            axes.text(x, count - place, word, ha=side, va="center", fontsize=5.8)
    axes.set(xlim=(-0.9, 1.9), ylim=(0.2, count + 0.8), xticks=[], yticks=[])
    axes.set_axis_off()


def line_key(marked: str, colour: str = style.SERIES[0]) -> list[Line2D]:
    """The legend entries of `line_map`; `marked` says what its marked lines are."""
    look = {"linewidth": 1.1}
    return [
        Line2D([], [], color=MARKED, label=marked, **look),
        Line2D([], [], color=colour, label="other attention", **look),
    ]


def map_panel(
    axes: Axes, pieces: Sequence[str], weights: Sequence[Sequence[float]], size: float
) -> AxesImage:
    """Draw one map with queries as rows and keys as columns, labelled in font size `size`; returns the image."""
    image = axes.imshow(weights, cmap=style.HEAT, vmin=0, vmax=1)
    axes.set_xticks(range(len(pieces)), pieces, rotation=90, fontsize=size)
    axes.set_yticks(range(len(pieces)), pieces, fontsize=size)
    axes.tick_params(length=0, pad=1)
    axes.spines[:].set_visible(False)
    return image


def weights_table(pieces: Sequence[str], weights: Sequence[Sequence[float]]) -> pd.DataFrame:
    """query, query_piece, key, key_piece, weight: a row for each weight of a map; places count from 0."""
    rows = [
        (query, pieces[query], key, pieces[key], weight)
        for query, row in enumerate(weights)
        for key, weight in enumerate(row)
    ]
    return pd.DataFrame(rows, columns=["query", "query_piece", "key", "key_piece", "weight"])
