"""Grids of heads with their functions, stacks of heads kept by pruning, and densities of gates."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from scipy.special import expit, logit

from headwork.models.gates.hard_concrete import HardConcrete
from headwork.studies import style
from headwork.studies.drawing.panels import colour_bar, heat_range
from headwork.studies.notation import group, short

LABELS = 2  # functions written in one cell
BAR = 1.0  # cm: a horizontal colour bar with its name
CELL = 0.57  # cm: the least width of a cell whose text can be read


def panel_grid(
    columns: int, layers: Sequence[int], heads: int, width: float, bars: int
) -> tuple[Figure, np.ndarray]:
    """A figure `width` cm wide with square cells: rows of `columns` panels, row i of `layers[i]` layers.

    It is wider if cells would be smaller than `CELL`, and the first `bars` rows have room for a colour bar. Returns the
    figure and its axes, an array of (row, column). The colours of functions are explained below.
    """
    cell = max((width - 0.5) / columns / (heads + 1), CELL)
    heights = [cell * n + 1.7 + BAR * (number < bars) for number, n in enumerate(layers)]
    figure = style.new(cell * columns * (heads + 1) + 0.5, sum(heights) + 0.7)
    axes = figure.subplots(len(layers), columns, squeeze=False, height_ratios=heights)
    for row in axes:
        row[0].set_ylabel("layer")
    figure.legend(handles=style.function_key(), loc="outside lower center", ncols=4)
    return figure, axes


def ranks(values: pd.DataFrame) -> pd.DataFrame:
    """`layer`, `head` and `place`: 1 for the head of a layer with the highest `value`; ties go to the lower head."""
    ordered = values.sort_values(["layer", "value", "head"], ascending=[True, False, True])
    places = ordered.groupby("layer").cumcount() + 1
    return ordered.assign(place=places)[["layer", "head", "place"]].reset_index(drop=True)


def _frame(axes: Axes, shape: tuple[int, int], title: str, order: str) -> None:
    layers, heads = shape
    axes.set(xlim=(0.5, heads + 0.5), ylim=(layers + 0.5, 0.5), aspect="equal", anchor="N", title=title)
    axes.set_xticks(range(1, heads + 1))
    axes.set_yticks(range(1, layers + 1))
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(f"head, by {order}")


def heat_panel(axes: Axes, cells: pd.DataFrame, title: str, order: str, what: str) -> AxesImage:
    """One share a head: `cells` has layer, place and value; a colour bar below says what it is. Returns the image."""
    grid = cells.pivot(index="layer", columns="place", values="value").to_numpy()
    layers, heads = grid.shape
    extent = (0.5, heads + 0.5, layers + 0.5, 0.5)
    low, high = heat_range(cells["value"])
    image = axes.imshow(grid, cmap=style.HEAT, vmin=low, vmax=high, extent=extent)
    _frame(axes, (layers, heads), title, order)
    for (row, column), value in np.ndenumerate(grid):
        if np.isfinite(value):
            ink = style.ink_on(image.cmap(image.norm(value))[:3])
            axes.text(column + 1, row + 1, f"{value:.2f}", ha="center", va="center", fontsize=5, color=ink)
    colour_bar(axes.figure, image, axes, what, location="bottom", shrink=0.6)
    return image


def published_cells(published: pd.DataFrame) -> pd.DataFrame:
    """What `function_panel` draws, from published layer, place and function; scores were not published, so 0.7."""
    return published.astype({"layer": int, "place": int}).assign(
        group=published["function"].map(group), label=published["function"].map(short), score=0.7
    )


def function_panel(axes: Axes, cells: pd.DataFrame, shape: tuple[int, int], title: str, order: str) -> None:
    """The functions of each head: `cells` has layer, place, group, label and score, a head's best function first.

    `shape` is (layers, heads); `order` names what heads are sorted by. The colour is that of the best function, the
    deeper the higher its score. The two best are written in the cell, and an ellipsis if there are more.
    """
    layers, heads = shape
    for layer in range(1, layers + 1):
        for place in range(1, heads + 1):
            own = cells[(cells["layer"] == layer) & (cells["place"] == place)]
            colour = style.tint(style.FUNCTIONS["none"], 0.7)
            if len(own):
                best = own.iloc[0]
                colour = style.tint(style.FUNCTIONS[best["group"]], best["score"])
            corner = place - 0.47, layer - 0.47
            axes.add_patch(Rectangle(corner, 0.94, 0.94, facecolor=colour, edgecolor="none"))
            labels = [*own["label"][:LABELS], *["…"][: max(0, len(own) - LABELS)]]
            # font size for a cell of about 15 points, by the number of lines and the longest line
            size = min((6.5, 6.5, 5.2, 4.4)[len(labels)], 24 / max(map(len, labels), default=1))
            look = {"ha": "center", "va": "center", "linespacing": 1.0, "color": style.ink_on(colour)}
            axes.text(place, layer, "\n".join(labels), fontsize=size, **look)
    _frame(axes, (layers, heads), title, order)


# from the bottom to the top of a stack
ORDER = ("positional", "syntactic", "rare", "none")


def squares_of_counts(counts: pd.DataFrame) -> pd.DataFrame:
    """The squares of published counts (columns kept, group, value): kept, groups, functions (1, or 0 for none).

    A group may be two, ``positional or syntactic``, where the source does not distinguish them. A fraction of a count
    is half a square, and two halves of one stack make a square.
    """
    squares = []
    for kept, rows in counts.groupby("kept", sort=False):
        halves: list[str] = []
        for groups_of, value in zip(rows["group"], rows["value"], strict=True):
            groups = tuple(groups_of.split(" or "))
            squares += [(kept, groups, int(groups_of != "none"))] * int(value)
            halves += [groups_of] * (value % 1 > 0)
        squares += [(kept, pair, 1) for pair in zip(halves[::2], halves[1::2], strict=True)]
    return pd.DataFrame(squares, columns=["kept", "groups", "functions"])


def counts_of_squares(squares: pd.DataFrame) -> pd.DataFrame:
    """How many heads of each group a stack has: kept, group, value; a head of two groups is half a head of each."""
    parts = squares.assign(value=1 / squares["groups"].map(len)).explode("groups")
    stacks = sorted(set(squares["kept"]), reverse=True)
    places = pd.MultiIndex.from_product([stacks, ORDER], names=["kept", "group"])
    counts = parts.rename(columns={"groups": "group"}).groupby(["kept", "group"])["value"].sum()
    return counts.reindex(places, fill_value=0.0).reset_index()


def stack_panel(axes: Axes, squares: pd.DataFrame, title: str) -> None:
    """One stack for each value of `kept` in `squares` (columns kept, groups, functions), the most heads at the left."""
    stacks = sorted(set(squares["kept"]), reverse=True)
    highest = max(stacks)
    size = 6.0 if highest <= 20 else 4.5
    for column, kept in enumerate(stacks):
        own = squares[squares["kept"] == kept]
        place = own["groups"].map(lambda groups: [ORDER.index(group) for group in groups])
        own = own.assign(place=place).sort_values("place", kind="stable")
        for row, (groups, functions) in enumerate(zip(own["groups"], own["functions"], strict=True)):
            for part, name in enumerate(groups):
                width = 0.86 / len(groups)
                corner = column - 0.43 + part * width, row + 0.08
                colour = style.tint(style.FUNCTIONS[name], 0.8)
                axes.add_patch(Rectangle(corner, width, 0.84, facecolor=colour, edgecolor="none"))
            if functions > 1:
                axes.text(column, row + 0.5, str(functions), ha="center", va="center", fontsize=size)
    axes.set(xlim=(-0.6, len(stacks) - 0.4), ylim=(0, highest + 0.2), title=title)
    axes.set_xticks(range(len(stacks)), [str(kept) for kept in stacks])
    axes.tick_params(axis="x", length=0)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("encoder heads kept")


Places = Float[np.ndarray, " place"]


def concrete(x: Places, log_a: float, temperature: float) -> Places:
    """p(x) above; `x` lies strictly between 0 and 1."""
    below = expit(temperature * logit(x) - log_a)
    return below * (1 - below) * temperature / (x * (1 - x))


def stretched(x: Places, log_a: float, temperature: float, stretch: tuple[float, float]) -> Places:
    """q(x) above; `x` lies strictly between gamma and zeta, the two ends of `stretch`."""
    gamma, zeta = stretch
    return concrete((x - gamma) / (zeta - gamma), log_a, temperature) / (zeta - gamma)


def p_closed_and_open(log_a: float, temperature: float, stretch: tuple[float, float]) -> tuple[float, float]:
    """P(g = 0) and P(g = 1) of a Hard Concrete gate."""
    gate = HardConcrete(torch.tensor([log_a]), temperature, stretch)
    return gate.p_closed().item(), gate.p_open().item()


def gate_table(
    x: Places, locations: Sequence[float], temperature: float, stretch: tuple[float, float]
) -> pd.DataFrame:
    """distribution, temperature, log_a, quantity, x, ours: all that figure 6 draws.

    The Concrete density at the first of the `locations` (log_a), and of the Hard Concrete at each of them the density
    inside and the probabilities of exactly 0 and 1, quantities p_closed and p_open.
    """
    parts = [("Concrete", locations[0], "density", x, concrete(x, locations[0], temperature))]
    for log_a in locations:
        chances = p_closed_and_open(log_a, temperature, stretch)
        parts.append(("Hard Concrete", log_a, ["p_closed", "p_open"], [0.0, 1.0], chances))
        parts.append(("Hard Concrete", log_a, "density", x, stretched(x, log_a, temperature, stretch)))
    columns = ("distribution", "log_a", "quantity", "x", "ours")
    tables = [pd.DataFrame(dict(zip(columns, part, strict=True))) for part in parts]
    return pd.concat(tables, ignore_index=True).assign(temperature=temperature)
