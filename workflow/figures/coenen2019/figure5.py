"""Coenen et al. (2019), figure 5: words alone and in joined sentences, beside centroids of both senses, by layer."""

import numpy as np
from matplotlib.lines import Line2D

from headwork.jobs import job
from headwork.papers.claims.intervals import wilson
from headwork.papers.drawing import style
from headwork.papers.drawing.layers import layer_axis
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.geometry import read_concatenation
from headwork.papers.tables.readers import gather

KEYS = ("vectors", "kind", "quantity")
NAMES = {
    "alone": "alone",
    "joined": "joined with the other sense",
    "joined-at-random": "joined with any sentence",
}
PUBLISHED = {"markeredgecolor": style.PUBLISHED, "markeredgewidth": 0.9, "markersize": 4}


def draw(concatenation, published):
    """The figure, and the numbers: similarity ratio by layer and after the probe, and how often other is nearer."""
    table = (
        _long(concatenation)
        .merge(published, on=list(KEYS), how="left")
        .rename(columns={"value": "published"})
    )
    # what is published is of the last layer
    last = table["layer"] == table["layer"].max()
    table.loc[~last, ["published", "uncertainty", "source"]] = [np.nan, np.nan, ""]
    figure = style.new(style.PAGE, 7.2)
    left, right = figure.subplots(1, 2)
    for kind, colour in zip(NAMES, style.SERIES, strict=False):
        rows = table[table["kind"] == kind]
        states = rows[rows["vectors"] == "states"]
        for axes, quantity in ((left, "ratio"), (right, "misclassified")):
            own = states[states["quantity"] == quantity]
            axes.plot(
                own["layer"], own["ours"], "-o", color=colour, markersize=3, linewidth=1.2, label=NAMES[kind]
            )
    layers = int(table["layer"].max())
    for axes, what in ((left, "similarity ratio"), (right, "nearer to the other sense")):
        layer_axis(axes, layers)
        first = table["layer"].min()
        axes.set_xticks(range(int(first), layers + 1))
        axes.set_xlim(first - 0.4, layers + 0.4)
        axes.set_title(what)
    _after_probe(left, table, layers, "ratio")
    _after_probe(right, table, layers, "misclassified")
    left.set_ylabel("cosine with own / with other centroid")
    left.axhline(1, color=style.BASELINE, linewidth=0.7, linestyle=":")
    left.set_ylim(0.95, None)
    right.set_ylabel("share of words")
    style.share_axis(right, max(0.1, 1.15 * table.loc[table["quantity"] == "misclassified", "ours"].max()))
    theirs = Line2D(
        [], [], linestyle="", marker="D", color="white", label="published (from memory)", **PUBLISHED
    )
    handles = [*left.get_legend_handles_labels()[0], theirs]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    columns = ["run", "label", "layer", "vectors", "kind", "quantity", "ours", "low", "high", "n"]
    return figure, table[[*columns, "published", "uncertainty", "source"]]


def _long(concatenation):
    """A row for each quantity; shares with their interval."""
    labels = ["run", "domain", "pair", "label", "layer", "vectors", "kind", "n"]
    quantities = ["ratio", "own", "other", "misclassified"]
    table = concatenation.melt(labels, quantities, "quantity", "ours")
    ends = [
        wilson(row["ours"], row["n"]) if row["quantity"] == "misclassified" else (np.nan, np.nan)
        for _, row in table.iterrows()
    ]
    return table.assign(low=[low for low, _ in ends], high=[high for _, high in ends])


def _after_probe(axes, table, layers, quantity):
    """What holds after the semantic probe at the right of the layers' lines, and the published numbers as diamonds."""
    rows = table[table["quantity"] == quantity]
    for kind, colour in zip(NAMES, style.SERIES, strict=False):
        own = rows[(rows["kind"] == kind) & (rows["vectors"] == "probe")]
        axes.plot(layers + 1, own["ours"].iloc[0], "s", color=colour, markersize=4)
        known = rows[rows["kind"] == kind].dropna(subset="published")
        places = layers + (known["vectors"] == "probe")
        axes.plot(places, known["published"], "D", color=colour, **PUBLISHED)
    ticks = [*axes.get_xticks(), layers + 1]
    axes.set_xticks(ticks, [*(f"{tick:.0f}" for tick in ticks[:-1]), "probe"])
    axes.set_xlim(axes.get_xlim()[0], layers + 1.5)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        concatenation = gather(given.concatenation, runs, read_concatenation)
        save(*draw(concatenation, read_published(given.published, KEYS)), snakemake.output)
