"""Relevance, confidence and functions of every encoder head, on subtitles.

Rows are layers. In all panels of this run the heads of a layer are sorted by relevance, the highest first, as
in the paper. (a) Relevance: the head's share of its layer's relevance to the top-1 logit, by layer-wise
relevance propagation (LRP), averaged over all decoding steps; an equal share is 1 / number of heads. (b)
Confidence: the maximum attention weight, averaged over all queries. (c) Functions: positional heads (−1, +1),
syntactic heads (v→s: from the verb to its subject) and the rare-token head; the deeper the colour, the higher
the accuracy of the function. A cell names the two best functions of its head, with an ellipsis if there are
more. Right: published functions for English-Russian OpenSubtitles (6 layers of 8 heads), read off the
author's own figure; their accuracies were not published.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.notation import held

from . import drawings

UNITS = {"relevance": "share of the layer's relevance", "confidence": "mean maximum weight"}


def draw(functions, statistics, relevance, published):
    confidence = statistics[statistics["statistic"] == "confidence"]
    order = drawings.ranks(relevance)
    layers, heads = int(order["layer"].max()), int(order["place"].max())
    cells = held(functions).merge(order, on=["layer", "head"])
    theirs = drawings.published_cells(published)

    figure, grid = drawings.panel_grid(2, [layers, max(layers, 6)], max(heads, 8), style.PAGE, bars=1)
    measures = {"relevance": relevance, "confidence": confidence}
    for axes, (letter, name) in zip(grid[0], zip("ab", measures, strict=True), strict=True):
        placed = measures[name].merge(order, on=["layer", "head"])
        drawings.heat_panel(axes, placed, f"({letter}) {name}", "relevance", UNITS[name])
    drawings.function_panel(grid[1, 0], cells, (layers, heads), "(c) functions, this run", "relevance")
    drawings.function_panel(grid[1, 1], theirs, (6, 8), "(c) functions, published", "relevance")

    shown = [table.assign(quantity=name) for name, table in measures.items()]
    shown.append(cells.assign(quantity="function", key=cells["function"], value=cells["score"]))
    ours = pd.concat(shown).drop(columns="place", errors="ignore").merge(order, on=["layer", "head"])
    ours = ours.assign(origin="this run", source="")
    theirs = theirs.assign(origin="published", quantity="function", key=theirs["function"], value=None)
    columns = ["origin", "quantity", "layer", "head", "place", "key", "value", "count", "source"]
    return figure, pd.concat([ours, theirs])[columns]
