"""Kovaleva et al. (2019), figure 1: an example of each of five patterns of attention maps, by the rules.

Of the maps of a pattern, clear-cut ones first, it is one of the shortest text; a heterogeneous one with least weight
near the diagonal, for a pale diagonal is there in many. A pattern that no map has, has a panel that says so.
"""

import numpy as np
import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.scales import colour_bar, empty_panel
from headwork.papers.item import save
from headwork.papers.tables.examples import map_panel
from headwork.papers.tables.tasks import read_shown
from headwork.papers.views.tasks import PATTERNS
from headwork.run.frame import job

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


def draw(examples):
    """The figure and its weights, a panel a pattern."""
    figure, shown = style.new(style.PAGE, 11.0), []
    *grid, free = figure.subplots(2, COLUMNS).flat
    free.remove()
    for axes, pattern in zip(grid, PATTERNS, strict=True):
        own = examples[examples["pattern"] == pattern]
        if own.empty:
            empty_panel(axes, f"none of the {len(examples)} maps\nof the examples is {pattern}")
            axes.set_box_aspect(1)  # as high as the maps beside it
            axes.set_title(f"{pattern}\n", fontsize=7)
            continue
        chosen = typical(own, pattern)
        pieces = chosen["pieces"]
        image = map_panel(axes, pieces, chosen["weights"], min(6.0, LETTERS / len(pieces)))
        doubt = ", not clear-cut" if chosen["unclear"] else ""
        axes.set_title(f"{pattern}{doubt}\n{chosen['domain']}, {chosen['head']}", fontsize=7)
        cells = [
            (pattern, chosen["run"], chosen["head"], query, pieces[query], key, pieces[key], weight)
            for query, row in enumerate(chosen["weights"])
            for key, weight in enumerate(row)
        ]
        columns = ["pattern", "run", "head", "query", "query_piece", "key", "key_piece", "weight"]
        shown.append(pd.DataFrame(cells, columns=columns))
    colour_bar(figure, image, grid, "attention weight", shrink=0.5)
    return figure, pd.concat(shown)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(*draw(read_shown(snakemake.input.task_examples, snakemake.params.runs)), snakemake.output)
