"""Clark et al. (2019), figure 2: attention to [CLS], [SEP] and punctuation, layer by layer; [SEP] to [SEP] below.

Ours at the left: a dot is a head, a line goes through the layers' means, dotted is even attention. Published means of
layers at the right.
"""

import pandas as pd

from headwork.jobs import job
from headwork.papers import style
from headwork.papers.encoder_tables import read_chance, read_heads
from headwork.papers.item import save
from headwork.papers.layers import heads_and_means, layer_axis, layer_means, published_line
from headwork.papers.published import read_published
from headwork.papers.tables import gather

KEYS = ("layer", "key")
ROWS = (
    {"cls": "[CLS]", "sep": "[SEP]", "punctuation": ". or ,"},
    {"sep-to-sep": "[SEP] to [SEP]", "other-to-sep": "other to [SEP]"},
)


def draw(statistics, chance, published):
    """The figure, and the mean, least and greatest of each layer beside what was published."""
    rows = statistics[statistics["statistic"] == "attention"]
    even = chance.set_index("key")["value"]
    figure, shown = style.new(style.PAGE, 10.5), []
    for (left, right), keys in zip(figure.subplots(2, 2), ROWS, strict=True):
        for (key, name), colour in zip(keys.items(), style.SERIES, strict=False):
            own, theirs = rows[rows["key"] == key], published[published["key"] == key]
            heads_and_means(left, own, colour, name)
            left.axhline(even[key], color=colour, linewidth=0.7, linestyle=":")
            published_line(right, theirs, colour, name)
            shown.append(layer_means(own).assign(origin="this run", key=key, even=even[key]))
            shown.append(theirs.assign(origin="published", key=key))
        for axes, title in ((left, statistics["label"].iloc[0] + ", this run"), (right, "published")):
            layers = rows["layer"].max() if axes is left else published["layer"].astype(int).max()
            layer_axis(axes, int(layers))
            style.percent_axis(axes)
            axes.set(title=title, ylabel="attention, %")
        right.legend()
    columns = ["origin", "key", "layer", "value", "low", "high", "heads", "even", "uncertainty", "source"]
    return figure, pd.concat(shown)[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = gather(given.segments, runs, read_heads), gather(given.chance, runs, read_chance)
        save(*draw(*tables, read_published(given.published, KEYS)), snakemake.output)
