"""Voita et al. (2019b), figure 2: mutual information with the input and the output (target) token.

Above an LM, whose output is the next token; below an MLM at places whose input token is not the target.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.evolution import COLOURS, curve_handles, shown
from headwork.papers.drawing.scales import depth_axis, same_y
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.evolution import estimates, of_objective, read_evolution
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("pair", "of", "layer")
LOOKS = {"input": ("-o", "input token"), "output": ("--s", "output (target) token")}
READ = {"LM": "whole", "MLM": "masked"}


def draw(evolution, published):
    """The figure, and the information of every layer in nats."""
    figure, kept = style.new(style.PAGE, 9.6), []
    grid = figure.subplots(2, 2)
    for (left, right), (pair, key) in zip(grid, READ.items(), strict=True):
        for of, (look, name) in LOOKS.items():
            own = of_objective(estimates(evolution, f"information/{of}", key), pair)
            theirs = published[(published["pair"] == pair) & (published["of"] == of)].astype({"layer": int})
            style_of = {"color": COLOURS[pair], "linewidth": 1.1, "markersize": 2.6}
            left.plot(own["layer"], own["value"], look, label=name, **style_of)
            left.vlines(own["layer"], own["low"], own["high"], colors=COLOURS[pair], linewidth=0.7)
            left.plot(own["layer"], own["control"], ":", color=style.BASELINE, linewidth=0.8)
            right.plot(theirs["layer"], theirs["value"], look, **style_of)
            kept.append(shown(own, theirs.drop(columns="of"), statistic=f"information/{of}", key=key))
        for axes, title in ((left, f"{pair}, this run"), (right, f"{pair}, published")):
            axes.set(title=title, ylabel="mutual information, nats", ylim=(0, None))
        depth_axis(left, int(evolution["layer"].max()))
        depth_axis(right, int(published["layer"].astype(int).max()))
        left.legend(
            handles=curve_handles(left, "permuted labels"), loc="upper right", handlelength=4, fontsize=6
        )
    same_y(grid.flat)
    grid[0, 1].annotate("input token: see figure 1", (0.02, 0.06), xycoords="axes fraction", fontsize=6)
    return figure, pd.concat(kept, ignore_index=True)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.evolution, snakemake.params.runs, read_evolution)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
