"""Names beside the points of a panel, so placed that they cover neither each other, nor a point, nor a line."""

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox, BboxBase

from headwork.studies import style

NEAR = 4.0  # points from a mark to its name; farther away a line joins them
DISTANCES = (NEAR, 9.0, 14.0, 20.0, 28.0, 36.0)
AROUND = [np.array([np.cos(turn), np.sin(turn)]) for turn in np.arange(16) * np.pi / 8]  # from the right
MARK = 2.5  # points: half the width of a mark

Place = Iterable[float]  # x and y


def name_points(
    axes: Axes,
    named: Iterable[tuple[str, Place]],
    marks: Iterable[Place] = (),
    upright: Iterable[float] = (),
    size: float = 6.0,
) -> None:
    """Write each name at the nearest free place beside its point; if none is free, where it covers least.

    Free of other names, of all `marks` (and not as near to another one as to its own), of upright lines at these `x`,
    and within the panel. All are in data coordinates: set limits and scales before. Names do not move the layout.
    """
    figure = axes.get_figure(root=True)
    figure.draw_without_rendering()  # now the panel has its place
    unit, inside = figure.dpi / 72, axes.get_window_extent()
    places = axes.transData.transform(np.reshape([*marks], (-1, 2)).astype(float))
    taken = [
        Bbox.from_extents(x - unit, inside.y0, x + unit, inside.y1)
        for x, _ in (axes.transData.transform((x, 0)) for x in upright)
    ]
    for name, place in named:
        look = {"ha": "center", "va": "center", "fontsize": size, "in_layout": False}
        text = axes.annotate(name, place, (0, 0), textcoords="offset points", **look)
        extent, own = text.get_window_extent(), axes.transData.transform(place)
        apart = np.hypot(*(places - own).T) / unit
        wide = (MARK + NEAR * (apart > MARK)) * unit  # its own mark may be as near as NEAR
        others = [_around(other, half) for other, half in zip(places, wide, strict=True)]
        tried = []
        for distance in DISTANCES:
            for away in AROUND:
                middle = own + away * (distance * unit + np.array([extent.width, extent.height]) / 2)
                box = _around(middle, extent.width / 2, extent.height / 2)
                tried.append((_covered(box, [*others, *taken], inside), distance, middle - own, box))
        _, distance, (right, up), box = min(tried, key=lambda each: each[:2])
        taken.append(box)
        text.set_position((right / unit, up / unit))
        if distance > NEAR:
            line = {"arrowstyle": "-", "linewidth": 0.4, "color": style.BASELINE, "shrinkA": 0}
            end = (np.clip(own, box.min, box.max) - own) / unit
            axes.annotate("", place, end, textcoords="offset points", arrowprops=line).set_in_layout(False)


def _around(middle: np.ndarray, across: float, along: float | None = None) -> Bbox:
    (x, y), along = middle, across if along is None else along
    return Bbox.from_extents(x - across, y - along, x + across, y + along)


def _covered(box: Bbox, taken: Iterable[BboxBase], inside: BboxBase) -> float:
    """Return the area that a box shares with those taken, and that lies outside the panel."""
    shared = sum(_area(Bbox.intersection(box, other)) for other in taken)
    return round(shared + _area(box) - _area(Bbox.intersection(box, inside)), 3)


def _area(box: Bbox | None) -> float:
    return box.width * box.height if box is not None else 0.0
