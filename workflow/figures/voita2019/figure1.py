"""Voita et al. (2019), figure 1: importance, confidence and functions of every encoder head, subtitles EN-RU.

Panels: (a) relevance to the top-1 logit; (b) mean maximal attention weight; (c) the functions each head holds; and the
functions published. Heads of a layer are sorted by relevance.
"""

import pandas as pd

from headwork.papers.drawing import headmap, style
from headwork.papers.item import save
from headwork.papers.notation import held
from headwork.papers.published import read_published
from headwork.papers.tables.readers import gather, read_functions, read_relevance, read_statistics
from headwork.run.frame import job

UNITS = {"relevance": "share of the layer's relevance", "confidence": "mean maximum weight"}
KEYS = ("domain", "pair", "layer", "place", "function")


def draw(functions, statistics, relevance, published):
    """The figure and its numbers."""
    confidence = statistics[statistics["statistic"] == "confidence"]
    order = headmap.ranks(relevance)
    layers, heads = int(order["layer"].max()), int(order["place"].max())
    cells = held(functions).merge(order, on=["layer", "head"])
    theirs = headmap.published_cells(published)

    figure, grid = headmap.panel_grid(2, [layers, max(layers, 6)], max(heads, 8), style.PAGE, bars=1)
    measures = {"relevance": relevance, "confidence": confidence}
    for axes, (letter, name) in zip(grid[0], zip("ab", measures, strict=True), strict=True):
        placed = measures[name].merge(order, on=["layer", "head"])
        headmap.heat_panel(axes, placed, f"({letter}) {name}", "relevance", UNITS[name])
    headmap.function_panel(grid[1, 0], cells, (layers, heads), "(c) functions, this run", "relevance")
    headmap.function_panel(grid[1, 1], theirs, (6, 8), "(c) functions, published", "relevance")

    shown = [table.assign(quantity=name) for name, table in measures.items()]
    shown.append(cells.assign(quantity="function", key=cells["function"], value=cells["score"]))
    ours = pd.concat(shown).drop(columns="place", errors="ignore").merge(order, on=["layer", "head"])
    ours = ours.assign(origin="this run", source="")
    theirs = theirs.assign(origin="published", quantity="function", key=theirs["function"], value=None)
    columns = ["origin", "quantity", "layer", "head", "place", "key", "value", "count", "source"]
    return figure, pd.concat([ours, theirs])[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        runs = snakemake.params.runs
        figure, table = draw(
            gather(snakemake.input.functions, runs, read_functions),
            gather(snakemake.input.statistics, runs, read_statistics),
            gather(snakemake.input.relevance, runs, read_relevance),
            read_published(snakemake.input.published, KEYS),
        )
        save(figure, table, snakemake.output)
