"""Dependency trees drawn as arcs over the words of a sentence (Hewitt and Manning 2019, figure 2)."""

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes

from headwork.papers.drawing import style

Arc = Sequence[int]
GAP = 1.6  # characters between two words
STEPS = np.linspace(0, np.pi, 40)


def word_places(words: Sequence[str]) -> np.ndarray:
    """The centre of each word in a line of text, in characters."""
    widths = np.array([len(word) for word in words], dtype=float)
    return np.cumsum(widths + GAP) - widths / 2 - GAP


def draw_arcs(
    axes: Axes, places: np.ndarray, arcs: Collection[Arc], gold: Collection[Arc], colour: str, label: str
) -> None:
    """Arcs over the places of words: those of the gold tree solid, others dotted and grey."""
    known = {frozenset(arc) for arc in gold}
    for one, other in sorted(arcs, key=lambda arc: (abs(arc[0] - arc[1]), arc)):
        left, right = sorted((places[one], places[other]))
        height = 0.25 + abs(one - other) ** 0.7
        right_arc = frozenset((one, other)) in known
        axes.plot(
            (left + right) / 2 - (right - left) / 2 * np.cos(STEPS),
            height * np.sin(STEPS),
            "-" if right_arc else ":",
            color=colour if right_arc else style.BASELINE,
            linewidth=1.1 if right_arc else 0.9,
        )
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
