"""Similarity of a word's hidden state to the centroids of its own and its other sense, for the sentence alone
and in joined sentences.

Two sentences with one word in two senses are joined with "and". *Similarity ratio*: mean cosine with the
centroid of the own sense, divided by that with the other's. *Misclassified*: the other centroid is nearer;
vertical lines are Wilson's 95 % intervals. Squares at the right of both panels: last layer, after the
semantic probe. Control: the sentence is joined with a random sentence that lacks the word. Centroids are
estimated on other sentences. Published: not available as numbers.
"""

import numpy as np

from headwork.intervals import wilson
from headwork.studies import style
from headwork.studies.drawing.layers import layer_axis

NAMES = {
    "alone": "alone",
    "joined": "joined with the other sense",
    "joined-at-random": "joined with a random sentence",
}
TITLES = {"ratio": "similarity ratio", "misclassified": "misclassified words"}


def draw(concatenation):
    """The figure, and the numbers: similarity ratio by layer and after the probe, and how often other is nearer."""
    table = _long(concatenation)
    layers, first = int(table["layer"].max()), int(table["layer"].min())
    figure = style.new(style.PAGE, 7.2)
    left, right = figure.subplots(1, 2)
    for axes, quantity in ((left, "ratio"), (right, "misclassified")):
        _panel(axes, table[table["quantity"] == quantity], layers)
        layer_axis(axes, layers)
        ticks = range(first, layers + 1)
        axes.set_xticks([*ticks, layers + 1], [*map(str, ticks), "probe"])
        axes.set_xlim(first - 0.4, layers + 1.5)
        axes.set_title(TITLES[quantity])
    left.set_ylabel("cosine with own / with other centroid")
    left.axhline(1, color=style.BASELINE, linewidth=0.7, linestyle=":")
    left.set_ylim(min(0.95, left.get_ylim()[0]), None)
    right.set_ylabel("share of words")
    style.share_axis(right, max(0.1, 1.15 * table.loc[table["quantity"] == "misclassified", "ours"].max()))
    handles = left.get_legend_handles_labels()[0]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    columns = ["run", "label", "layer", "vectors", "kind", "quantity", "ours", "low", "high", "n"]
    return figure, table[columns]


def _panel(axes, rows, layers):
    """A line a kind of context over the layers, and at their right a square for the last layer after the probe."""
    for kind, colour in zip(NAMES, style.SERIES, strict=False):
        own = rows[rows["kind"] == kind]
        states = own[own["vectors"] == "states"]
        look = {"color": colour, "markersize": 3, "linewidth": 1.2}
        axes.plot(states["layer"], states["ours"], "-o", label=NAMES[kind], **look)
        probe = own[own["vectors"] == "probe"]
        axes.plot(layers + 1, probe["ours"].iloc[0], "s", color=colour, markersize=4)
        places = own["layer"].where(own["vectors"] == "states", layers + 1)
        axes.vlines(places, own["low"], own["high"], colors=colour, linewidth=0.7)


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
