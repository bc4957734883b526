"""Attention entropy of every head in nats, over all query tokens and for [CLS] as the query.

A dot is a head. Dashed: the entropy of uniform attention, ln n, averaged over texts. Published: the means of
layers and the highest and lowest head, read off the figure; uniform attention is at 4.785 nats there.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.layers import heads_and_means, layer_means, one_head, published_line
from headwork.studies.drawing.panels import depth_axis, same_y

PANELS = {"": "all tokens", "first": "[CLS]"}
PUBLISHED = {
    "mean": ("mean", style.SERIES[0]),
    "max": ("highest head", style.BASELINE),
    "min": ("lowest head", style.SERIES[1]),
}


def draw(segments, chance, published):
    rows = segments[segments["statistic"] == "entropy"]
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
    for key, (name, colour) in PUBLISHED.items():
        theirs = published[published["key"] == key]
        published_line(panels[2], theirs, colour, name)
        shown.append(theirs.assign(origin="published", tokens="all tokens"))
    depth_axis(panels[2], int(published["layer"].astype(int).max()))
    panels[2].set(title="all tokens, published", ylim=(0, None))
    same_y(panels)
    panels[0].plot([], [], "--", color=style.BASELINE, linewidth=0.8, label="uniform attention")
    handles = [panels[0].get_lines()[-1], one_head(), *panels[2].get_legend_handles_labels()[0]]
    figure.legend(handles=handles, loc="outside lower right", ncols=len(handles))
    columns = ["origin", "tokens", "key", "layer", "value", "low", "high", "heads", "even"]
    return figure, pd.concat(shown)[[*columns, "uncertainty", "source"]]
