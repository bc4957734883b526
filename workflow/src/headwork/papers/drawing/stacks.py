"""Stacks of squares (Voita et al. 2019, figure 8): one per amount of pruning, one square per head kept.

A square has the colours of the groups its head's functions are of, and the number of its functions if it has several.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from headwork.papers.drawing import style

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
        for group, value in zip(rows["group"], rows["value"], strict=True):
            groups = tuple(group.split(" or "))
            squares += [(kept, groups, int(group != "none"))] * int(value)
            halves += [group] * (value % 1 > 0)
        squares += [(kept, pair, 1) for pair in zip(halves[::2], halves[1::2], strict=True)]
    return pd.DataFrame(squares, columns=["kept", "groups", "functions"])


def counts_of_squares(squares: pd.DataFrame) -> pd.DataFrame:
    """How many heads of each group a stack has: kept, group, value; a head of two groups is half a head of each."""
    parts = squares.assign(value=1 / squares["groups"].map(len)).explode("groups")
    places = pd.MultiIndex.from_product(
        [sorted(set(squares["kept"]), reverse=True), ORDER], names=["kept", "group"]
    )
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
            for part, group in enumerate(groups):
                width = 0.86 / len(groups)
                corner = column - 0.43 + part * width, row + 0.08
                colour = style.tint(style.FUNCTIONS[group], 0.8)
                axes.add_patch(Rectangle(corner, width, 0.84, facecolor=colour, edgecolor="none"))
            if functions > 1:
                axes.text(column, row + 0.5, str(functions), ha="center", va="center", fontsize=size)
    axes.set(xlim=(-0.6, len(stacks) - 0.4), ylim=(0, highest + 0.2), title=title)
    axes.set_xticks(range(len(stacks)), [str(kept) for kept in stacks])
    axes.tick_params(axis="x", length=0)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("encoder heads kept")
