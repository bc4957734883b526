"""Trees drawn with branches of given lengths, and 2-D projections of their words (Coenen et al. 2019, figure 2)."""

from collections.abc import Collection, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm

from headwork.studies import style

NORM = TwoSlopeNorm(vcenter=1, vmin=0, vmax=2.5)  # of squared distances: 1 is as in the tree
COLOURS = colormaps["coolwarm"]
CLOSE = 5  # maximum number of unexpectedly close pairs shown
Arc = tuple[Integral, Integral]


def _depth(heads: Sequence[int], lengths: Sequence[float]) -> list[float]:
    """How far each word is from the root along its path."""
    found = []
    for place in range(len(heads)):
        depth = 0.0
        while heads[place]:
            depth, place = depth + lengths[place], heads[place] - 1
        found.append(depth)
    return found


def draw_lengths(
    axes: Axes, words: Sequence[str], heads: Sequence[int], lengths: Sequence[float], coloured: bool
) -> None:
    """Draw words from top to bottom, each as far to the right as its distance from the root.

    `heads` count from 1 (0: the root); `lengths` are the branches' from each word to its head; their colours are those
    of the lengths by `NORM`, or all alike.
    """
    depth = _depth(heads, lengths)
    for place, head in enumerate(heads):
        if head:
            above = head - 1
            colour = COLOURS(NORM(lengths[place])) if coloured else style.BASELINE
            axes.plot([depth[above], depth[above]], [above, place], color=style.PALE, linewidth=0.9, zorder=0)
            axes.plot([depth[above], depth[place]], [place, place], color=colour, linewidth=1.5, zorder=1)
        axes.text(depth[place] + 0.04 * max(depth), place, words[place], va="center", fontsize=6.5)
    axes.plot(depth, range(len(words)), "o", color=style.INK, markersize=2.2)
    axes.set(xlim=(-0.02 * max(depth), 1.55 * max(depth)), ylim=(len(words) - 0.4, -0.6))
    axes.set_axis_off()


def draw_plane(axes: Axes, example: Mapping[str, Any], distances: np.ndarray) -> None:
    """Words under the probe (`points`), the arcs of the tree (`heads`), dotted the closest other pairs."""
    points, heads = np.array(example["points"]), example["heads"]
    arcs = {(place, head - 1) for place, head in enumerate(heads) if head}
    for one, other in arcs:
        colour = COLOURS(NORM(distances[one, other]))
        axes.plot(*points[[one, other]].T, color=colour, linewidth=1.5, zorder=1)
    for one, other in _unexpected(distances, arcs):
        axes.plot(*points[[one, other]].T, ":", color=style.BASELINE, linewidth=0.9, zorder=0)
    axes.plot(*points.T, "o", color=style.INK, markersize=2.2, zorder=2)
    for word, point, (right, up) in zip(example["words"], points, _free_sides(points), strict=True):
        sides = {
            "ha": "center" if abs(right) < 0.4 else "left" if right > 0 else "right",
            "va": "center" if abs(up) < 0.4 else "bottom" if up > 0 else "top",
        }
        axes.annotate(word, point, (3 * right, 3 * up), textcoords="offset points", fontsize=6, **sides)
    axes.margins(0.3, 0.12)
    axes.set_axis_off()


def _free_sides(points: np.ndarray) -> np.ndarray:
    """For each point the direction away from the others, of length 1: the nearer one is, the more it counts."""
    apart = (points[:, None] - points[None]) / np.ptp(points, axis=0)
    away = (apart / (np.square(apart).sum(2, keepdims=True) + 1e-6)).sum(1)
    return away / np.linalg.norm(away, axis=1, keepdims=True).clip(1e-9)


def _unexpected(distances: np.ndarray, arcs: Collection[Arc]) -> list[Arc]:
    """The closest pairs that are no arc, of those closer than the mean arc."""
    mean = np.mean([distances[pair] for pair in arcs])
    linked = {frozenset(pair) for pair in arcs}
    pairs = zip(*np.triu_indices(len(distances), 1), strict=True)
    close = [pair for pair in pairs if frozenset(pair) not in linked and distances[pair] < mean]
    return sorted(close, key=lambda pair: distances[pair])[:CLOSE]
