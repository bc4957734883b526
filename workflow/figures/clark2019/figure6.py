"""Clark et al. (2019), figure 6: 2-D projection (MDS) of heads by Jensen-Shannon distance, by behaviour and by layer.

Crosses are the best heads of relations and of coreference; heads are named as far as names can be read. Points are
found up to rotation and reflection.
"""

import json

import numpy as np

from headwork.papers.drawing import style
from headwork.papers.item import save
from headwork.papers.tables.encoders import read_chance, read_heads, read_points
from headwork.papers.tables.readers import gather
from headwork.papers.views.encoders import on_the_plane
from headwork.run.frame import job

NAMES = {
    "": "none of these",
    "broad": "broad",
    "previous": "previous token",
    "next": "next token",
    "cls": "[CLS]",
    "sep": "[SEP]",
    "punctuation": ". or ,",
}


SIDES = ((3, 2), (-14, -6), (3, -6), (-14, 2))  # of a point, where its name stands: others may be near
NAMED = 24  # heads: with more, only those that do something have their name beside them


def draw(points, statistics, words, facts, even):
    """The figure, and where each head lies, what it does and what it is best at."""
    table = on_the_plane(points, statistics, words, even)
    figure = style.new(style.PAGE, 7.6)
    left, right = figure.subplots(1, 2)
    colours = dict(zip(NAMES, (style.BASELINE, *style.SERIES), strict=True))
    for behaviour, rows in table.groupby("behaviour"):
        left.scatter(rows["x"], rows["y"], 22, colours[behaviour], label=NAMES[behaviour], linewidths=0)
    found = table.dropna(subset="best_at")
    left.scatter(found["x"], found["y"], 26, style.INK, "x", linewidths=0.8, label="best at a relation")
    drawn = right.scatter(table["x"], table["y"], 22, table["layer"], cmap="viridis", linewidths=0)
    named = table if len(table) <= NAMED else table[(table["behaviour"] != "") | table["best_at"].notna()]
    near = 0.06 * np.ptp(table[["x", "y"]].to_numpy(), axis=0).max()
    for number, row in enumerate(named.itertuples()):
        above = named[:number]
        close = (np.hypot(above["x"] - row.x, above["y"] - row.y) < near).sum()
        look = {"textcoords": "offset points", "fontsize": 5.5}
        left.annotate(f"{row.layer}-{row.head}", (row.x, row.y), SIDES[close % len(SIDES)], **look)
    for axes, title in ((left, "by behaviour"), (right, "by layer")):
        axes.set(title=title, aspect="equal", xticks=[], yticks=[])
    bar = figure.colorbar(drawn, ax=right, ticks=range(1, int(table["layer"].max()) + 1), shrink=0.7)
    bar.set_label("layer")
    apart = f"; heads closer within layers: p = {facts['p']:.2g}" if "p" in facts else ""
    figure.suptitle(f"MDS, stress {facts['stress']:.2f}{apart}", fontsize=7.5)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure, table


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        with open(given.plane[0]) as file:
            facts = json.load(file)
        even = read_chance(given.chance[0]).set_index("key")["value"]["entropy"]
        readers = {"plane_points": read_points, "segments": read_heads, "words": read_heads}
        tables = [gather(given[name], runs, read) for name, read in readers.items()]
        save(*draw(*tables, facts, even), snakemake.output)
