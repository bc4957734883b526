"""Panels of layers by heads in their own order, coloured by one number a head (Kovaleva et al. 2019)."""

from numbers import Real

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.image import AxesImage

from headwork.studies import style

FEW = 6  # heads per layer up to which numbers in cells are readable
CHANGES = "PuOr"  # diverging, and readable with colour blindness


def head_grid(
    axes: Axes,
    rows: pd.DataFrame,
    title: str,
    low: Real,
    high: Real,
    cmap: str = style.HEAT,
    norm: Normalize | None = None,
) -> AxesImage:
    """`rows` are one a head, with layer, head and value; layer 1 is at the top. Returns the image, for a colour bar.

    Values are written in the cells where a layer has few heads. A `norm` takes the place of `low` and `high`.
    """
    grid = rows.pivot(index="layer", columns="head", values="value").to_numpy()
    layers, heads = grid.shape
    extent = (0.5, heads + 0.5, layers + 0.5, 0.5)
    norm = norm or Normalize(low, high)
    image = axes.imshow(grid, cmap=cmap, norm=norm, extent=extent, aspect="auto")
    axes.set(title=title)
    axes.set_xticks(range(1, heads + 1) if heads <= FEW else (1, heads // 2, heads))
    axes.set_yticks(range(1, layers + 1) if layers <= FEW else (1, layers // 2, layers))
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if heads <= FEW:
        for (row, column), value in np.ndenumerate(grid):
            known = np.isfinite(value)
            ink = style.ink_on(image.cmap(image.norm(value))[:3]) if known else style.BASELINE
            text = f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−") if known else "n/a"
            axes.text(column + 1, row + 1, text, ha="center", va="center", fontsize=5, color=ink)
    return image
