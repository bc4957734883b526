"""Voita et al. (2019), figure 4: the best head's accuracy for each relation and direction, for every language pair."""

import numpy as np

from headwork.papers.drawing import style
from headwork.papers.item import save
from headwork.papers.notation import SYNTACTIC, long
from headwork.papers.published import read_published
from headwork.papers.tables.readers import gather, read_functions
from headwork.papers.views.accuracies import KEYS, accuracies
from headwork.run.frame import job


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


if "snakemake" in globals():
    with job(snakemake.log[0]):
        functions = gather(snakemake.input.functions, snakemake.params.runs, read_functions)
        save(*draw(functions, read_published(snakemake.input.published, KEYS)), snakemake.output)
