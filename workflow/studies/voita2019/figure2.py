"""Relevance and functions of the encoder heads for two more language pairs, as in figure 1a and c.

The heads of a layer are sorted by relevance. At the right of each: published functions, read off the author's
own figure. Where the source gives no rank in the layer, a published function is drawn in the next free cell.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.notation import held

from . import drawings

LETTERS = {"EN-DE": "ab", "EN-FR": "cd"}  # as in the paper, also where a scale has only one of the pairs


def draw(functions, relevance, published):
    """The figure, and the numbers and functions of its cells."""
    published = drawings.published_cells(published)
    pairs = list(dict.fromkeys(functions["pair"]))
    layers, heads = max(int(functions["layer"].max()), 6), max(int(functions["head"].max()), 8)
    figure, grid = drawings.panel_grid(3, [layers] * len(pairs), heads, style.PAGE, bars=len(pairs))
    shown = []
    for pair, row in zip(pairs, grid, strict=True):
        own, theirs = functions[functions["pair"] == pair], published[published["pair"] == pair]
        shares = relevance[relevance["pair"] == pair]
        order = drawings.ranks(shares)
        cells, placed = (rows.merge(order, on=["layer", "head"]) for rows in (held(own), shares))
        (first, second), label = LETTERS[pair], own["label"].iloc[0]
        unit = "share of the layer's relevance"
        drawings.heat_panel(row[0], placed, f"({first}) relevance, {label}", "relevance", unit)
        shape = int(order["layer"].max()), int(order["place"].max())
        drawings.function_panel(row[1], cells, shape, f"({second}) functions, {label}", "relevance")
        drawings.function_panel(row[2], theirs, (6, 8), f"({second}) published, {pair}", "relevance")
        shown.append(placed.assign(origin="this run", quantity="relevance", source=""))
        cells = cells.assign(key=cells["function"], value=cells["score"])
        shown.append(cells.assign(origin="this run", quantity="function", source=""))
        theirs = theirs.assign(origin="published", quantity="function", key=theirs["function"], value=None)
        shown.append(theirs)
    columns = ["origin", "pair", "quantity", "layer", "head", "place", "key", "value", "count", "source"]
    return figure, pd.concat(shown)[columns]
