"""Clark et al. (2019), figure 4: the entropy of every head's attention, over all queries and for [CLS].

Ours at the left, with the entropy of uniform attention dashed; published means, and the lowest and highest head of each
layer, at the right.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.layers import heads_and_means, layer_means, published_line
from headwork.papers.drawing.scales import depth_axis, same_y
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_chance, read_heads
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("layer", "key")
PANELS = {"": "all tokens", "first": "[CLS]"}


def draw(statistics, chance, published):
    """The figure and its numbers, in nats."""
    rows = statistics[statistics["statistic"] == "entropy"]
    even = float(chance.loc[chance["key"] == "entropy", "value"].iloc[0])
    figure, shown = style.new(style.PAGE, 6.0), []
    panels = figure.subplots(1, 3)
    for axes, (key, name) in zip(panels, PANELS.items(), strict=False):
        own = rows[rows["key"] == key]
        heads_and_means(axes, own, style.SERIES[0], name)
        axes.axhline(even, color=style.BASELINE, linewidth=0.8, linestyle="--")
        depth_axis(axes, int(own["layer"].max()))
        axes.set(title=f"{name}, this run", ylabel="entropy, nats", ylim=(0, 1.08 * even))
        shown.append(layer_means(own).assign(origin="this run", tokens=name, key="mean", even=even))
    for key, look in (("mean", style.SERIES[0]), ("max", style.BASELINE), ("min", style.SERIES[1])):
        theirs = published[published["key"] == key]
        published_line(
            panels[2], theirs, look, {"max": "highest head", "min": "lowest head"}.get(key, "mean")
        )
        shown.append(theirs.assign(origin="published", tokens="all tokens"))
    depth_axis(panels[2], int(published["layer"].astype(int).max()))
    panels[2].set(title="all tokens, published", ylim=(0, None))
    same_y(panels)
    panels[0].plot([], [], "--", color=style.BASELINE, linewidth=0.8, label="uniform attention")
    handles = [panels[0].get_lines()[-1], *panels[2].get_legend_handles_labels()[0]]
    figure.legend(handles=handles, loc="outside lower right", ncols=4)
    columns = ["origin", "tokens", "key", "layer", "value", "low", "high", "heads", "even"]
    return figure, pd.concat(shown)[[*columns, "uncertainty", "source"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = gather(given.segments, runs, read_heads), gather(given.chance, runs, read_chance)
        save(*draw(*tables, read_published(given.published, KEYS)), snakemake.output)
