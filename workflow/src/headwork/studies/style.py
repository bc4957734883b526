"""The style of all figures: fonts, sizes in centimetres, colours distinguishable with colour blindness.

Importing this module sets matplotlib's parameters, whatever the user's own matplotlibrc says. Text is laid out in
matplotlib's own DejaVu. In svg it stays text that can be searched, copied and read aloud, with fonts to fall back on
where DejaVu is not installed; a pdf embeds it. Ids are salted with a constant and no date is written, so the same
numbers give the same bytes (`save`). Figures are made without pyplot: nothing here depends on a display.
"""

import logging
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure, FigureBase
from matplotlib.patches import Patch

CENTIMETRE = 1 / 2.54  # matplotlib counts in inches

PAGE = 16.0  # cm: the text width of a two-column page

# Okabe and Ito (2008), "Color universal design".
INK = "#222222"
PALE = "#ECECEC"
FUNCTIONS = {"positional": "#0072B2", "syntactic": "#E69F00", "rare": "#CC79A7", "none": PALE}
SERIES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
BASELINE = "#7F7F7F"
PUBLISHED = INK
HEAT = "Blues"

RC: dict[str, Any] = {
    # the generic name makes an svg list all fonts below, which are as wide as the one used for layout
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Bitstream Vera Sans", "Verdana", "Noto Sans", "Arial"],
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.labelsize": 7.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "text.color": INK,
    "figure.dpi": 150,
    "svg.fonttype": "none",
    "svg.hashsalt": "headwork",
    "pdf.fonttype": 42,
}

# it logs every glyph of every embedded font
logging.getLogger("fontTools").setLevel(logging.WARNING)

matplotlib.rcdefaults()
matplotlib.rcParams.update(RC)


def new(width: float, height: float) -> Figure:
    """Return an empty figure of that size in cm, with constrained layout."""
    return Figure(figsize=(width * CENTIMETRE, height * CENTIMETRE), layout="constrained")


def panels(figure: FigureBase, count: int, columns: int) -> list[Axes]:
    """`count` panels in `columns` columns; the rest of the last line is empty."""
    grid = list(figure.subplots(max(1, -(-count // columns)), columns, squeeze=False).flat)
    for axes in grid[count:]:
        axes.remove()
    return grid[:count]


def tint(colour: str, strength: float) -> tuple[float, float, float]:
    """The colour mixed with white: `strength` 0 is nearly white, 1 the full colour."""
    share = 0.15 + 0.85 * min(max(strength, 0.0), 1.0)
    red, green, blue = (1 - share * (1 - part) for part in to_rgb(colour))
    return red, green, blue


def ink_on(colour: str | tuple[float, float, float]) -> str:
    """Return black or white, whichever is more readable on that colour (by its relative luminance)."""
    red, green, blue = to_rgb(colour)
    return INK if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 else "white"


def function_key() -> list[Patch]:
    """Return the legend entries for the colours of functions."""
    names = {"rare": "rare token", "none": "none of these"}
    return [
        Patch(facecolor=tint(FUNCTIONS[group], 0.8), label=names.get(group, group)) for group in FUNCTIONS
    ]


def share_axis(axes: Axes, highest: float = 1.0) -> None:
    """The y axis shows shares in 0..highest, with a light grid behind."""
    axes.set_ylim(0, highest)
    axes.grid(axis="y", color=PALE, linewidth=0.6)
    axes.set_axisbelow(True)


def save(figure: Figure, svg: str | Path, pdf: str | Path) -> None:
    """Write the figure as svg and pdf, without dates: equal figures give equal bytes."""
    drawn = BytesIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    Path(svg).write_bytes(_numbered_clips(drawn.getvalue()))
    figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})


def _numbered_clips(svg: bytes) -> bytes:
    """Rename the clipping paths of an svg in order of occurrence.

    Matplotlib names them by a hash of coordinates, whose last digits differ between processes.
    """
    names = dict.fromkeys(re.findall(rb"url\(#(p[0-9a-f]{10})\)", svg))
    for number, name in enumerate(names):
        svg = svg.replace(name, f"clip{number}".encode())
    return svg
