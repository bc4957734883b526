"""Voita et al. (2019), figure 2: functions of the encoder heads, EN-DE and EN-FR, news; ours and the published.

The relevance panels (a, c) join when relevance is measured; until then heads are sorted by confidence.
"""

import pandas as pd

from headwork.jobs import job
from headwork.papers import headmap, style
from headwork.papers.item import save
from headwork.papers.notation import held
from headwork.papers.published import read_published
from headwork.papers.tables import gather, read_functions, read_statistics

KEYS = ("domain", "pair", "layer", "place", "function")


def draw(functions, statistics, published):
    """The figure, one row of panels per pair, and the cells in it."""
    published = headmap.published_cells(published)
    pairs = list(dict.fromkeys(functions["pair"]))
    layers, heads = max(int(functions["layer"].max()), 6), max(int(functions["head"].max()), 8)
    figure, grid = headmap.panel_grid(2, [layers] * len(pairs), heads, style.PAGE * 0.75)
    shown = []
    for pair, row in zip(pairs, grid, strict=True):
        own, theirs = functions[functions["pair"] == pair], published[published["pair"] == pair]
        confidence = statistics[(statistics["pair"] == pair) & (statistics["statistic"] == "confidence")]
        order = headmap.ranks(confidence)
        cells = held(own).merge(order, on=["layer", "head"])
        title = f"functions, {own['label'].iloc[0]}"
        shape = int(order["layer"].max()), int(order["place"].max())
        headmap.function_panel(row[0], cells, shape, title, "confidence")
        headmap.function_panel(row[1], theirs, (6, 8), f"functions, {pair}, published", "relevance")
        shown += [cells.assign(origin="this run", source=""), theirs.assign(origin="published", score=None)]
    columns = ["origin", "pair", "layer", "head", "place", "function", "score", "count", "source"]
    return figure, pd.concat(shown)[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        runs = snakemake.params.runs
        figure, table = draw(
            gather(snakemake.input.functions, runs, read_functions),
            gather(snakemake.input.statistics, runs, read_statistics),
            read_published(snakemake.input.published, KEYS),
        )
        save(figure, table, snakemake.output)
