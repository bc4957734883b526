"""Tasks in the order of the pipeline: bars of layers, mixing weights, probabilities of labels (Tenney et al. 2019)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from headwork.studies import style
from headwork.studies.rows import where

NAMES = {
    "pos": "parts of speech",
    "chunks": "chunks",
    "constituents": "constituents",
    "dependencies": "dependencies",
    "entities": "entities",
    "roles": "semantic roles",
    "coreference": "coreference",
    "senses": "word senses",
    "proto-roles": "proto-roles (SPR)",
    "relations": "relations",
}
GRAVITY, EXPECTED, NEGATIVE = style.SERIES[0], style.SERIES[4], style.SERIES[1]
QUANTITIES = (("expected-layer", EXPECTED, -0.19), ("centre-of-gravity", GRAVITY, 0.19))
PARTS = {"p_right": style.SERIES[0], "p_wrong": style.SERIES[1], "p_other": style.BASELINE}


def order(tasks: Collection[str]) -> list[str]:
    """These tasks in the order of `NAMES`."""
    return [task for task in NAMES if task in tasks]


def layer_bars(axes: Axes, rows: pd.DataFrame, tasks: Sequence[str], layers: int, names: bool) -> None:
    """Expected layer (light) and centre of gravity (dark) of each task, with F1 at its two ends in the labels.

    `rows` have task, quantity, value, and where there are intervals low and high. A task without rows is n/a. `names`:
    the labels name the tasks too.
    """
    table = rows.pivot_table(index="task", columns="quantity", values="value")
    for place, task in enumerate(tasks):
        if task not in table.index:
            axes.text(0.1, place, "n/a", va="center", fontsize=6, color=style.BASELINE)
            continue
        for name, colour, shift in QUANTITIES:
            own = where(rows, task=task, quantity=name)
            value = own["value"].iloc[0] if len(own) else np.nan
            if pd.isna(value):
                axes.text(0.1, place + shift, "not defined", va="center", fontsize=5.5, color=style.BASELINE)
                continue
            axes.barh(place + shift, value, 0.34, color=colour)
            if "low" in own and own["low"].notna().all():
                axes.hlines(place + shift, own["low"], own["high"], color=style.INK, linewidth=0.7)
    labels = [
        f"{table.loc[task, 'first']:.3f} → {table.loc[task, 'last']:.3f}" if task in table.index else ""
        for task in tasks
    ]
    if names:
        labels = [f"{NAMES[task]}\n{label}".strip() for task, label in zip(tasks, labels, strict=True)]
    axes.set_yticks(range(len(tasks)), labels, fontsize=6)
    axes.set(ylim=(len(tasks) - 0.4, -0.6), xlim=(0, layers), xlabel=f"layer (of {layers})")
    axes.axvline(0, color=style.INK, linewidth=0.6)


def weight_bars(axes: Axes, rows: pd.DataFrame) -> None:
    """Mixing weights (solid), and differential scores as shares of the gain (outlined), of one task by layer.

    `rows` are one a layer, with weight and f1. Negative differences are outlined in another colour.
    """
    layers, gains = rows["layer"].to_numpy(), np.diff(rows["f1"], prepend=np.nan)
    axes.bar(layers, rows["weight"], 0.8, color=GRAVITY, alpha=0.75, linewidth=0)
    total = np.nansum(np.abs(gains))
    shares = gains / total if total else gains
    for layer, share in zip(layers[1:], shares[1:], strict=True):
        edge = NEGATIVE if share < 0 else style.INK
        axes.bar(layer, share, 0.8, fill=False, edgecolor=edge, linewidth=0.8)
    axes.axhline(0, color=style.INK, linewidth=0.5)
    axes.set(xlim=(-0.6, layers.max() + 0.6))
    axes.set_xticks(layers[:: max(1, len(layers) // 6)])


def trace_bars(axes: Axes, target: Mapping[str, Any]) -> None:
    """Probabilities of one target by layer: the right label, the best wrong one, and all others together."""
    layers = np.arange(len(target["p_right"]))
    for name, colour in PARTS.items():
        axes.plot(layers, target[name], "-o", color=colour, linewidth=1.1, markersize=2.2)
    axes.set(ylim=(-0.03, 1.05), xlim=(-0.3, layers.max() + 0.3))
    axes.set_xticks(layers[:: max(1, len(layers) // 6)])
    axes.grid(axis="y", color=style.PALE, linewidth=0.6)
