"""Curves of probes over layers, one for each run, with published curves over relative depth."""

from collections.abc import Sequence
from numbers import Real

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from headwork.papers.drawing import style

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
        axes.plot(
            layers / layers.max() * depth,
            own["value"],
            line,
            color=style.PUBLISHED,
            linewidth=0.9,
            label=f"{model} (published)",
        )


def reference(axes: Axes, value: float, name: str) -> None:
    """A horizontal line for a baseline."""
    axes.axhline(value, color=style.BASELINE, linewidth=0.7, linestyle=":", label=name)


def depth_lines(
    axes: Axes,
    words: Sequence[str],
    gold: Sequence[Real],
    predicted: Sequence[tuple[str, str, Sequence[Real]]],
) -> None:
    """Depths of the words of a sentence: gold as grey circles, predictions (name, colour, depths) as lines."""
    places = np.arange(len(words))
    axes.plot(places, gold, "o", color=style.BASELINE, markersize=6, alpha=0.5, label="gold")
    for name, colour, depths in predicted:
        axes.plot(places, depths, "-o", color=colour, markersize=2.6, linewidth=1.0, label=name)
    axes.set_xticks(places, words, rotation=50, ha="right", fontsize=6.5)
    axes.set(ylabel="depth (0: root)", ylim=(max(gold) + 1.5, -0.5))
    axes.grid(axis="y", color=style.PALE, linewidth=0.6)
    axes.set_axisbelow(True)
