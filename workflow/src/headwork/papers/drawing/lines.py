"""A map drawn as lines: words at the left attend to words at the right, the stronger the darker (Clark et al. 2019)."""

from collections.abc import Collection, Sequence

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba

from headwork.papers.drawing import style

FAINT = 0.02  # weights below are not drawn


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
                own = style.SERIES[5] if (query, key) in marked else colour
                colours.append(to_rgba(own, min(1.0, weight)))
    axes.add_collection(LineCollection(lines, colors=colours, linewidths=1.1))
    for place, word in enumerate(words):
        for x, side in ((-0.04, "right"), (1.04, "left")):
            axes.text(x, count - place, word, ha=side, va="center", fontsize=5.8)
    axes.set(xlim=(-0.9, 1.9), ylim=(0.2, count + 0.8), xticks=[], yticks=[])
    axes.set_axis_off()
