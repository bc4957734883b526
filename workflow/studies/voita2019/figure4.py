"""Accuracy of the best encoder head for each relation and direction, on news, by language pair.

Bars: the best encoder head, with Wilson's 95 % interval. Lines across bars: the positional baseline, the
share of the most common offset in the measured text. Diamonds: published for English-Russian (the bars of the
other pairs were not published as numbers).
"""

import numpy as np

from headwork.studies import style
from headwork.studies.notation import SYNTACTIC, long

from .tables import accuracies


def draw(functions, published):
    """The figure and its numbers; one bar a run, its own positional baseline as a line across the bar."""
    table = accuracies(functions, SYNTACTIC, published)
    runs = table.groupby("run", sort=False)
    width = 0.8 / len(runs)
    figure = style.new(style.PAGE, 7.0)
    axes = figure.subplots()
    for number, (_, rows) in enumerate(runs):
        label, pair = rows[["label", "pair"]].iloc[0]
        x = np.arange(len(rows)) + (number + 0.5) * width - 0.4
        errors = np.clip([rows["ours"] - rows["low"], rows["high"] - rows["ours"]], 0, None)
        axes.bar(x, rows["ours"], 0.9 * width, color=style.SERIES[number], label=label)
        axes.errorbar(x, rows["ours"], errors, fmt="none", ecolor=style.INK, elinewidth=0.6)
        ends = x - width / 2, x + width / 2
        named = None if number else "baseline"
        axes.hlines(rows["baseline"], *ends, colors=style.SERIES[5], linewidth=1.6, label=named)
        if rows["published"].notna().any():
            look = {"edgecolors": style.PUBLISHED, "zorder": 3, "label": f"published, {pair}"}
            axes.scatter(x, rows["published"], 16, "white", "D", **look)
    names = [f"{name.split('/')[1]}\n{long(name)}".replace("→", "→\n") for name in SYNTACTIC]
    axes.set_xticks(range(len(SYNTACTIC)), names)
    axes.tick_params(axis="x", length=0, labelsize=6.5)
    axes.set_ylabel("accuracy of the best head")
    style.share_axis(axes)
    figure.legend(loc="outside upper center", ncols=3)
    return figure, table
