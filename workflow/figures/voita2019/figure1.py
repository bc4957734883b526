"""Voita et al. (2019), figure 1: importance, confidence and functions of every encoder head, subtitles EN-RU.

Panels: (a) relevance to the top-1 logit, once its table is given; (b) mean maximal attention weight; (c) the
functions each head holds; and the functions published. Heads of a layer are sorted by relevance, or, until that
is there, by confidence.
"""

import pandas as pd

from headwork.jobs import job
from headwork.papers import headmap, style
from headwork.papers.item import save
from headwork.papers.notation import held
from headwork.papers.published import read_published
from headwork.papers.tables import gather, read_functions, read_statistics

KEYS = ("domain", "pair", "layer", "place", "function")


def draw(functions, statistics, published, relevance=None):
    """The figure and its numbers. `relevance`: layer, head, value, count of one run, or None as yet."""
    confidence = statistics[statistics["statistic"] == "confidence"]
    measures = {"relevance": relevance, "confidence": confidence}
    measures = {name: table for name, table in measures.items() if table is not None}
    first = next(iter(measures))
    order = headmap.ranks(measures[first])
    layers, heads = int(order["layer"].max()), int(order["place"].max())
    cells = held(functions).merge(order, on=["layer", "head"])
    theirs = headmap.published_cells(published)

    columns, rows = (3, [max(layers, 6)]) if relevance is None else (2, [layers, max(layers, 6)])
    figure, grid = headmap.panel_grid(columns, rows, max(heads, 8), style.PAGE)
    panels = iter(grid.flat)
    titles = {"relevance": "(a) relevance", "confidence": "(b) confidence"}
    for name, table in measures.items():
        highest = 1.0 if name == "confidence" else float(table["value"].max())
        placed = table.merge(order, on=["layer", "head"])
        headmap.heat_panel(next(panels), placed, titles[name], first, highest)
    headmap.function_panel(next(panels), cells, (layers, heads), "(c) functions, this run", first)
    headmap.function_panel(next(panels), theirs, (6, 8), "(c) functions, published", "relevance")

    shown = [table.assign(quantity=name, key="") for name, table in measures.items()]
    shown.append(cells.assign(quantity="function", key=cells["function"], value=cells["score"]))
    ours = pd.concat(shown).drop(columns="place", errors="ignore").merge(order, on=["layer", "head"])
    ours = ours.assign(origin="this run", source="")
    theirs = theirs.assign(origin="published", quantity="function", key=theirs["function"], value=None)
    columns = ["origin", "quantity", "layer", "head", "place", "key", "value", "count", "source"]
    return figure, pd.concat([ours, theirs])[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        runs, given = snakemake.params.runs, snakemake.input.get("relevance")
        figure, table = draw(
            gather(snakemake.input.functions, runs, read_functions),
            gather(snakemake.input.statistics, runs, read_statistics),
            read_published(snakemake.input.published, KEYS),
            gather(given, runs, read_statistics) if given else None,
        )
        save(figure, table, snakemake.output)
