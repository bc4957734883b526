"""Clark et al. (2019), figure 2: attention to [CLS], [SEP] and punctuation, by layer; [SEP] to [SEP] below.

Ours at the left: a dot is a head, a line goes through the layers' means, dotted is uniform attention. Published means
of layers at the right. The axis is logarithmic: attention to [CLS] and [SEP] differs that much between the models.
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
TICKS = (0.01, 0.03, 0.1, 0.3, 1)
ROWS = (
    {"cls": "[CLS]", "sep": "[SEP]", "punctuation": ". or ,"},
    {"sep-to-sep": "[SEP] to [SEP]", "other-to-sep": "other to [SEP]"},
)


def draw(statistics, chance, published):
    """The figure, and the mean, least and greatest of each layer beside what was published."""
    rows = statistics[statistics["statistic"] == "attention"]
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
        for axes, title in ((left, statistics["label"].iloc[0] + ", this run"), (right, "published")):
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


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = gather(given.segments, runs, read_heads), gather(given.chance, runs, read_chance)
        save(*draw(*tables, read_published(given.published, KEYS)), snakemake.output)
