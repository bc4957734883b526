"""Scores by layer, and dependency trees above and below a sentence."""

from collections.abc import Collection, Sequence
from numbers import Real

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from headwork.studies import style

PUBLISHED = ("-", ":", "--")


def layer_curves(axes: Axes, rows: pd.DataFrame, name: str, x: str = "layer") -> None:
    """A curve with intervals for each run, named by its column `name`; untrained runs are grey and dashed.

    `rows` have run, trained, the columns `name` and `x`, and value, low, high. A square marks the chosen layer.
    """
    trained = [run for run, own in rows.groupby("run", sort=False) if own["trained"].iloc[0]]
    for run, own in rows.groupby("run", sort=False):
        known = run in trained
        colour = style.SERIES[trained.index(run) % len(style.SERIES)] if known else style.BASELINE
        label = own[name].iloc[0] if known else "untrained"
        axes.plot(own[x], own["value"], "-" if known else "--", color=colour, linewidth=1.2, label=label)
        axes.vlines(own[x], own["low"], own["high"], colors=colour, linewidth=0.7)
        chosen = own["chosen"].astype(bool)
        for mark, part in (("o", own[~chosen]), ("s", own[chosen])):
            axes.plot(part[x], part["value"], mark, color=colour, markersize=3 if mark == "o" else 4.5)


def published_curve(axes: Axes, rows: pd.DataFrame, depth: int) -> None:
    """A published curve for each `model`, whose layers are spread over `depth` layers."""
    for (model, own), line in zip(rows.groupby("model", sort=False), PUBLISHED, strict=False):
        layers = own["layer"].astype(int)
        look = {"color": style.PUBLISHED, "linewidth": 0.9, "label": f"{model} (published)"}
        axes.plot(layers / layers.max() * depth, own["value"], line, **look)


Line = tuple[str, str, Sequence[Real]]


def depth_lines(axes: Axes, words: Sequence[str], gold: Sequence[Real], predicted: Sequence[Line]) -> None:
    """Depths of the words of a sentence: gold as grey circles, predictions (name, colour, depths) as lines."""
    places = np.arange(len(words))
    axes.plot(places, gold, "o", color=style.BASELINE, markersize=6, alpha=0.5, label="gold")
    for name, colour, depths in predicted:
        axes.plot(places, depths, "-o", color=colour, markersize=2.6, linewidth=1.0, label=name)
    axes.set_xticks(places, words, rotation=50, ha="right", fontsize=6.5)
    axes.set(ylabel="depth (0: root)", ylim=(max(gold) + 1.5, -0.5))
    axes.grid(axis="y", color=style.PALE, linewidth=0.6)
    axes.set_axisbelow(True)


Arc = Sequence[int]
GAP = 1.6  # characters between two words
STEPS = np.linspace(0, np.pi, 40)


def word_places(words: Sequence[str]) -> np.ndarray:
    """The centre of each word in a line of text, in characters."""
    widths = np.array([len(word) for word in words], dtype=float)
    return np.cumsum(widths + GAP) - widths / 2 - GAP


OTHER = {"color": style.BASELINE, "linestyle": ":", "linewidth": 0.9}


def arc_key() -> list[Line2D]:
    """The legend entries of `draw_arcs`."""
    solid = Line2D([], [], color=style.INK, linewidth=1.1, label="arc of the gold tree")
    return [solid, Line2D([], [], label="predicted arc that is not in the gold tree", **OTHER)]


def draw_arcs(
    axes: Axes, places: np.ndarray, arcs: Collection[Arc], gold: Collection[Arc], colour: str, label: str
) -> None:
    """Arcs over the places of words: those of the gold tree solid, others dotted and grey."""
    known = {frozenset(arc) for arc in gold}
    for one, other in sorted(arcs, key=lambda arc: (abs(arc[0] - arc[1]), arc)):
        left, right = sorted((places[one], places[other]))
        height = 0.25 + abs(one - other) ** 0.7
        points = (left + right) / 2 - (right - left) / 2 * np.cos(STEPS), height * np.sin(STEPS)
        if frozenset((one, other)) in known:
            axes.plot(*points, "-", color=colour, linewidth=1.1)
        else:
            axes.plot(*points, **OTHER)
    axes.plot(places, np.zeros(len(places)), "o", color=style.INK, markersize=1.6)
    axes.set(xlim=(places[0] - 4, places[-1] + 4), ylim=(-0.1, None))
    axes.set_ylabel(label, rotation=0, ha="right", va="center", fontsize=6.5)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def draw_words(axes: Axes, places: np.ndarray, words: Sequence[str]) -> None:
    """The words of a sentence at their places, below an axes of arcs."""
    axes.set(xlim=(places[0] - 4, places[-1] + 4), ylim=(0, 1))
    for place, word in zip(places, words, strict=True):
        axes.text(place, 0.5, word, ha="center", va="center", fontsize=6.5)
    axes.set_axis_off()
