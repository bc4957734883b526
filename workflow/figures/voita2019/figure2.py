"""Voita et al. (2019), figure 2: relevance and functions of the encoder heads, EN-DE and EN-FR, news.

A row of panels per language pair: (a, c) relevance, (b, d) functions, and the functions published. Heads of a layer are
sorted by relevance.
"""

import pandas as pd

from headwork.papers.drawing import headmap, style
from headwork.papers.item import save
from headwork.papers.notation import held
from headwork.papers.published import read_published
from headwork.papers.tables.readers import gather, read_functions, read_relevance
from headwork.run.frame import job

KEYS = ("domain", "pair", "layer", "place", "function")
LETTERS = {"EN-DE": "ab", "EN-FR": "cd"}  # as in the paper, also where a scale has only one of the pairs


def draw(functions, relevance, published):
    """The figure, and the numbers and functions of its cells."""
    published = headmap.published_cells(published)
    pairs = list(dict.fromkeys(functions["pair"]))
    layers, heads = max(int(functions["layer"].max()), 6), max(int(functions["head"].max()), 8)
    figure, grid = headmap.panel_grid(3, [layers] * len(pairs), heads, style.PAGE, bars=len(pairs))
    shown = []
    for pair, row in zip(pairs, grid, strict=True):
        own, theirs = functions[functions["pair"] == pair], published[published["pair"] == pair]
        shares = relevance[relevance["pair"] == pair]
        order = headmap.ranks(shares)
        cells, placed = (rows.merge(order, on=["layer", "head"]) for rows in (held(own), shares))
        (first, second), label = LETTERS[pair], own["label"].iloc[0]
        title = f"({first}) relevance, {label}"
        headmap.heat_panel(row[0], placed, title, "relevance", "share of the layer's relevance")
        shape, title = (
            (int(order["layer"].max()), int(order["place"].max())),
            f"({second}) functions, {label}",
        )
        headmap.function_panel(row[1], cells, shape, title, "relevance")
        headmap.function_panel(row[2], theirs, (6, 8), f"({second}) published, {pair}", "relevance")
        shown.append(placed.assign(origin="this run", quantity="relevance", source=""))
        cells = cells.assign(key=cells["function"], value=cells["score"])
        shown.append(cells.assign(origin="this run", quantity="function", source=""))
        theirs = theirs.assign(origin="published", quantity="function", key=theirs["function"], value=None)
        shown.append(theirs)
    columns = ["origin", "pair", "quantity", "layer", "head", "place", "key", "value", "count", "source"]
    return figure, pd.concat(shown)[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        runs = snakemake.params.runs
        figure, table = draw(
            gather(snakemake.input.functions, runs, read_functions),
            gather(snakemake.input.relevance, runs, read_relevance),
            read_published(snakemake.input.published, KEYS),
        )
        save(figure, table, snakemake.output)
