"""Clark et al. (2019), figure 3: gradient of the loss with respect to attention to all tokens, [SEP] and punctuation.

The paper does not say how losses and gradients were averaged, so both panels are relative to all tokens in layer 1.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.layers import heads_and_means, layer_means, published_line
from headwork.papers.drawing.scales import depth_axis, same_y
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_heads
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("layer", "key")
NAMES = {"unmasked": "all tokens but masked ones", "sep": "[SEP]", "punctuation": "full stops, commas"}


def relative(rows, layer_of_first=1):
    """The rows with their value divided by the mean over all tokens in the first layer."""
    first = rows[(rows["layer"].astype(int) == layer_of_first) & (rows["key"] == "unmasked")]["value"].mean()
    return rows.assign(value=rows["value"] / first, gradient=rows["value"])


def draw(sensitivity, published):
    """The figure and its numbers: relative, and the gradients themselves."""
    ours, theirs = relative(sensitivity), relative(published)
    figure, shown = style.new(style.PAGE, 6.4), []
    left, right = figure.subplots(1, 2)
    for (key, name), colour in zip(NAMES.items(), style.SERIES, strict=False):
        own, other = ours[ours["key"] == key], theirs[theirs["key"] == key]
        heads_and_means(left, own, colour, name)
        published_line(right, other, colour, name)
        gradient = layer_means(own, "gradient")["value"]
        shown.append(layer_means(own).assign(origin="this run", key=key, gradient=gradient))
        shown.append(other.assign(origin="published"))
    for axes, rows, title in ((left, ours, "this run"), (right, theirs, "published")):
        depth_axis(axes, int(rows["layer"].astype(int).max()))
        axes.set(title=title, ylabel="mean |gradient|, relative to\nall tokens in layer 1", ylim=(0, None))
    same_y([left, right])
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=len(NAMES))
    columns = ["origin", "key", "layer", "value", "low", "high", "heads", "gradient", "uncertainty", "source"]
    return figure, pd.concat(shown)[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.sensitivity, snakemake.params.runs, read_heads)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
