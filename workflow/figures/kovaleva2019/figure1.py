"""Kovaleva et al. (2019), figure 1: an example of each of five patterns of attention maps, as the rules tell them."""

import pandas as pd

from headwork.jobs import job
from headwork.papers import style
from headwork.papers.examples import map_panel
from headwork.papers.item import save
from headwork.papers.task_tables import read_shown
from headwork.papers.tasks import PATTERNS


def draw(examples):
    """The figure and its weights: of each pattern the first map that is clear-cut, else the first."""
    figure, shown = style.new(style.PAGE, 5.0), []
    grid = figure.subplots(1, len(PATTERNS))
    for axes, pattern in zip(grid, PATTERNS, strict=True):
        own = examples[examples["pattern"] == pattern].sort_values("clear", ascending=False, kind="stable")
        if own.empty:
            axes.text(0.5, 0.5, "no such map\nin the examples", ha="center", va="center")
            axes.set(xticks=[], yticks=[])
            axes.set_box_aspect(1)  # as high as the maps beside it
            axes.set_title(f"{pattern}\n", fontsize=7)
            axes.spines[:].set_visible(False)
            continue
        chosen = own.iloc[0]
        map_panel(axes, chosen["pieces"], chosen["weights"])
        axes.set_title(f"{pattern}\n{chosen['domain']}, {chosen['head']}", fontsize=7)
        cells = [
            (
                pattern,
                chosen["run"],
                chosen["head"],
                query,
                chosen["pieces"][query],
                key,
                chosen["pieces"][key],
                weight,
            )
            for query, row in enumerate(chosen["weights"])
            for key, weight in enumerate(row)
        ]
        columns = ["pattern", "run", "head", "query", "query_piece", "key", "key_piece", "weight"]
        shown.append(pd.DataFrame(cells, columns=columns))
    return figure, pd.concat(shown)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(*draw(read_shown(snakemake.input.task_examples, snakemake.params.runs)), snakemake.output)
