"""An example of each of five patterns of attention maps; rows attend to columns.

Patterns are assigned by the rules of headwork.heads.patterns. Clear examples are preferred, and among these a
short text; the heterogeneous example has the least weight near the diagonal. If no map has a pattern, its
panel says so. The paper's hand-labelled maps were not released. Published: not available as numbers.
"""

import numpy as np
import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.maps import map_panel, weights_table
from headwork.studies.drawing.panels import colour_bar, empty_panel

from .tables import PATTERNS

COLUMNS = 3
LETTERS = 100  # the height of a map, pt


def near_diagonal(weights):
    """The share of a map's attention that goes to the token itself and its neighbours."""
    weights = np.array(weights)
    return np.triu(np.tril(weights, 1), -1).sum() / weights.sum()


def typical(maps, pattern):
    """The map that stands for its pattern, of these."""
    ranked = maps.assign(
        unclear=~maps["clear"].astype(bool),
        diagonal=[near_diagonal(each) if pattern == "heterogeneous" else 0 for each in maps["weights"]],
        length=maps["pieces"].map(len),
    )
    return ranked.sort_values(["unclear", "diagonal", "length"], kind="stable").iloc[0]


def draw(task_examples):
    """The figure and its weights, a panel a pattern."""
    figure, shown = style.new(style.PAGE, 11.0), []
    *grid, free = figure.subplots(2, COLUMNS).flat
    free.remove()
    for axes, pattern in zip(grid, PATTERNS, strict=True):
        own = task_examples[task_examples["pattern"] == pattern]
        if own.empty:
            empty_panel(axes, f"none of the {len(task_examples)} maps\nof the examples is {pattern}")
            axes.set_box_aspect(1)  # as high as the maps beside it
            axes.set_title(f"{pattern}\n", fontsize=7)
            continue
        chosen = typical(own, pattern)
        pieces = chosen["pieces"]
        image = map_panel(axes, pieces, chosen["weights"], min(6.0, LETTERS / len(pieces)))
        doubt = ", not clear-cut" if chosen["unclear"] else ""
        axes.set_title(f"{pattern}{doubt}\n{chosen['domain']}, {chosen['head']}", fontsize=7)
        table = weights_table(pieces, chosen["weights"])
        shown.append(table.assign(pattern=pattern, run=chosen["run"], head=chosen["head"]))
    colour_bar(figure, image, grid, "attention weight", shrink=0.5)
    columns = ["pattern", "run", "head", "query", "query_piece", "key", "key_piece", "weight"]
    return figure, pd.concat(shown)[columns]
