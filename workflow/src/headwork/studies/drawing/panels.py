"""Panels of curves and colours, on scales that make them comparable: shared limits, relative depth, heads kept.

The published models are deeper than those of the small scales, so curves over layers are drawn over relative depth.
A curve over a sweep has a dot for each run, and a line through the means over seeds.
"""

from collections.abc import Iterable, Sequence
from numbers import Real

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.figure import FigureBase

from headwork.studies import style

NOT_PUBLISHED = "published: not available as numbers"
QUARTERS = (0, 0.25, 0.5, 0.75, 1)
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


def same_y(panels: Iterable[Axes]) -> None:
    """Give all panels the y limits that contain every panel's data; inverted axes stay inverted."""
    panels = list(panels)
    ends = [sorted(axes.get_ylim()) for axes in panels]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    for axes in panels:
        axes.set_ylim((high, low) if axes.yaxis_inverted() else (low, high))


def depth_axis(axes: Axes, layers: int) -> None:
    """Label the x axis, in layer numbers, as a share of all `layers`, comparable between models."""
    axes.set_xlim(-0.04 * layers, 1.08 * layers)
    axes.set_xticks([share * layers for share in QUARTERS], [f"{share:g}" for share in QUARTERS])
    axes.set_xlabel(f"relative depth (layer / {layers})")
    axes.grid(axis="y", color=style.PALE, linewidth=0.6)
    axes.set_axisbelow(True)


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


def heat_range(values: Iterable[Real], step: float = 0.05) -> tuple[float, float]:
    """Return the ends of a colour scale for these shares: their range, rounded outwards to whole steps."""
    found = np.asarray([*values], dtype=float)
    found = found[np.isfinite(found)]
    if not len(found):
        return 0.0, 1.0
    low, high = np.floor(found.min() / step + 1e-9) * step, np.ceil(found.max() / step - 1e-9) * step
    return float(low), float(high if high > low else low + step)


def colour_bar(
    figure: FigureBase, image: ScalarMappable, panels: Axes | Sequence[Axes], what: str, **more: object
) -> Colorbar:
    """The colour bar of a heat map, without a frame; `what` says what is measured, and in which unit."""
    bar = figure.colorbar(image, ax=panels, **{"shrink": 0.8, "aspect": 25, "pad": 0.02, **more})
    bar.set_label(what)
    bar.outline.set_visible(False)
    return bar


def empty_panel(axes: Axes, why: str) -> None:
    """Write into an empty panel why nothing qualifies to be shown."""
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set(visible=True, color=style.PALE)
    axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", fontsize=6.5)


def not_measured(axes: Axes, grid: np.ndarray) -> None:
    """Write "n/a" into cells of an image without a value; cells are one unit wide and start at 0."""
    for row, column in np.argwhere(~np.isfinite(grid)):
        look = {"ha": "center", "va": "center", "fontsize": 5, "color": style.BASELINE}
        axes.text(column, row, "n/a", **look)
