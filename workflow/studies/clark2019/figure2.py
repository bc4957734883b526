"""Attention of every head to [CLS], to [SEP] and to full stops and commas; below, attention to [SEP] from [SEP]
and from all other tokens.

Left: this run. A dot is a head, a line joins the means of layers, and the dotted line is the value under
uniform attention. Right: published means of layers, read off the figure, of a model with more layers and
longer segments. Layers are shown by relative depth. The attention axis is logarithmic (linear in the paper),
since the two models differ by a factor of ten. Means are taken over the tokens of a text, then over texts, as
in the paper.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.layers import heads_and_means, layer_means, published_line
from headwork.studies.drawing.panels import depth_axis, same_y

TICKS = (0.01, 0.03, 0.1, 0.3, 1)
ROWS = (
    {"cls": "[CLS]", "sep": "[SEP]", "punctuation": ". or ,"},
    {"sep-to-sep": "[SEP] to [SEP]", "other-to-sep": "other to [SEP]"},
)


def draw(segments, chance, published):
    """The figure, and the mean, least and greatest of each layer beside what was published."""
    rows = segments[segments["statistic"] == "attention"]
    even = chance.set_index("key")["value"]
    figure, shown = style.new(style.PAGE, 10.5), []
    grid = figure.subplots(2, 2)
    for (left, right), keys in zip(grid, ROWS, strict=True):
        for (key, name), colour in zip(keys.items(), style.SERIES, strict=False):
            own, theirs = rows[rows["key"] == key], published[published["key"] == key]
            heads_and_means(left, own, colour, name)
            left.axhline(even[key], color=colour, linewidth=0.7, linestyle=":")
            published_line(right, theirs, colour, name)
            shown.append(layer_means(own).assign(origin="this run", key=key, even=even[key]))
            shown.append(theirs.assign(origin="published", key=key))
        for axes, title in ((left, segments["label"].iloc[0] + ", this run"), (right, "published")):
            layers = rows["layer"].max() if axes is left else published["layer"].astype(int).max()
            depth_axis(axes, int(layers))
            axes.set(title=title, ylabel="share of attention", yscale="log")
            axes.set_yticks(TICKS, map(str, TICKS))
            axes.minorticks_off()
        left.plot([], [], ":", color=style.BASELINE, linewidth=0.7, label="uniform attention")
        left.plot([], [], "o", color=style.BASELINE, markersize=2.2, label="one head")
        left.legend(ncols=2, fontsize=6)
    same_y(grid.flat)
    grid[0, 0].set_ylim(top=1)
    same_y(grid.flat)
    columns = ["origin", "key", "layer", "value", "low", "high", "heads", "even", "uncertainty", "source"]
    return figure, pd.concat(shown)[columns]
