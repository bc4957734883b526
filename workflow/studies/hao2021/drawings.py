"""An attribution tree drawn over its text: tokens from left to right, layers from bottom to top."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from headwork.studies import style

ROOT = 0  # the place of [CLS]
WIDTHS = (0.5, 1.6)  # line widths, from the threshold to the largest score


def layer_colour(layer: int) -> str:
    """The colour of an edge of that layer."""
    return style.SERIES[(layer - 1) % len(style.SERIES)]


def edge_key(layers: int) -> list[Line2D]:
    """The legend entries of `draw_tree`: the colours of layers, and the widths of the least and the largest score."""
    edges = [
        Line2D([], [], color=layer_colour(layer), label=f"layer {layer}") for layer in range(1, layers + 1)
    ]
    names = ("threshold", "largest attribution")
    for width, name in zip(WIDTHS, names, strict=True):
        edges.append(Line2D([], [], color=style.INK, linewidth=width, label=name))
    return edges


def draw_tree(axes: Axes, example: Mapping[str, Any]) -> None:
    """`example`: pieces, layers (their number), edges (layer, reader, read, score).

    A token is drawn at the layer in which it is attended to, [CLS] above the last layer; a dotted line leads down to
    its word. Tokens outside the tree are pale.
    """
    pieces, layers, edges = example["pieces"], example["layers"], example["edges"]
    heights = {ROOT: layers + 1} | {edge["read"]: edge["layer"] for edge in edges}
    for edge in edges:
        share = min(max(float(edge["score"]), 0.0), 1.0)
        ends = [edge["reader"], edge["read"]]
        colour = layer_colour(edge["layer"])
        width = WIDTHS[0] + (WIDTHS[1] - WIDTHS[0]) * share
        axes.plot(ends, [heights[place] for place in ends], color=colour, linewidth=width)
    for place, height in heights.items():
        axes.plot([place, place], [0.4, height], ":", color=style.BASELINE, linewidth=0.4, zorder=0)
        axes.plot([place], [height], "o", color=style.INK, markersize=2.6)
    for place, piece in enumerate(pieces):
        colour = style.INK if place in heights else "#A0A0A0"
        axes.text(place, 0.3, piece, rotation=90, ha="center", va="top", fontsize=5.6, color=colour)
    longest = max(map(len, pieces))
    axes.set(xlim=(-0.7, len(pieces) - 0.3), ylim=(-0.32 * longest, layers + 1.4))
    axes.set_yticks(range(1, layers + 2), [*map(str, range(1, layers + 1)), "root"])
    axes.set_ylabel("layer")
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.spines["left"].set_bounds(1, layers + 1)
