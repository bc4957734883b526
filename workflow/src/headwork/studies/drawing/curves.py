"""Panels of curves over a sweep: a dot for each run, and a line through the means over seeds."""

import pandas as pd
from matplotlib.axes import Axes

from headwork.studies import style

STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)  # from one tick to the next, heads


def curve(
    axes: Axes,
    rows: pd.DataFrame,
    x: str,
    y: str,
    colour: str,
    label: str,
    marker: str = "o",
    line: str = "-",
) -> None:
    """Draw one curve from `rows`, one a run, with columns `x`, `y` and point (see `headwork.studies.sweeps`).

    Columns low and high, the interval of `y`, are drawn as error bars. A dashed `line` leaves a curve below it visible.
    """
    means = rows.groupby("point", sort=False)[[x, y]].mean().sort_values(x, kind="stable")
    axes.plot(means[x], means[y], line, color=colour, linewidth=1.0)
    if {"low", "high"} <= set(rows.columns):
        axes.vlines(rows[x], rows["low"], rows["high"], colors=colour, linewidth=0.5, alpha=0.6)
    axes.plot(rows[x], rows[y], marker, color=colour, markersize=2.8, markeredgewidth=0, label=label)


def heads_axis(axes: Axes, total: int, what: str) -> None:
    """The x axis counts heads from 0 to `total`, and is called `what`."""
    step = next((step for step in STEPS if total <= 8 * step), STEPS[-1])
    axes.set_xlim(-0.03 * total, 1.03 * total)
    axes.set_xticks(range(0, total + 1, step))
    axes.set_xlabel(what)
    axes.grid(axis="y", color=style.PALE, linewidth=0.6)
    axes.set_axisbelow(True)


def kept_axis(axes: Axes) -> None:
    """The y axis shows the share of heads kept, which is comparable between models with different numbers of heads."""
    axes.set_ylim(-0.03, 1.05)
    axes.set_ylabel("share of heads kept")
