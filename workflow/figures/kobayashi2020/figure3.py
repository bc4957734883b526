"""Kobayashi et al. (2020), figure 3: attention to classes of tokens, by weights and by norms.

Weights are sums of attention to a class; norms are sums of the lengths of the weighted vectors. A dot is a head, a line
goes through the layers' means. The published weights are those of Clark et al. (2019), which the paper finds again; of
its norms no numbers are known.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.layers import heads_and_means, layer_means, published_line
from headwork.papers.drawing.scales import NOT_PUBLISHED, depth_axis, empty_panel, same_y
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_heads
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("layer", "key")
CLASSES = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": ". or ,", "other": "other tokens"}
PANELS = {
    "weight": ("(a) weights", "Σ α, share of attention"),
    "weighted-norm": ("(b) norms", "Σ ‖α f(x)‖"),
}


def draw(statistics, published):
    """The figure, and the mean, least and greatest of each layer."""
    figure, shown = style.new(style.PAGE, 11.0), []
    panels = figure.subplots(2, 2)
    for axes, (statistic, (title, unit)) in zip(panels[:, 0], PANELS.items(), strict=True):
        for (key, name), colour in zip(CLASSES.items(), style.SERIES, strict=False):
            own = statistics[(statistics["statistic"] == statistic) & (statistics["key"] == key)]
            heads_and_means(axes, own, colour, name)
            shown.append(layer_means(own).assign(origin="this run", statistic=statistic, key=key))
        depth_axis(axes, int(statistics["layer"].max()))
        axes.set(title=f"{title}, this run", ylabel=unit, ylim=(0, None))
    for (key, name), colour in zip(CLASSES.items(), style.SERIES, strict=False):
        theirs = published[published["key"] == key]
        if len(theirs):
            published_line(panels[0, 1], theirs, colour, name)
            shown.append(theirs.assign(origin="published", statistic="weight"))
    depth_axis(panels[0, 1], int(published["layer"].astype(int).max()))
    panels[0, 1].set(title="(a) weights, published (Clark et al. 2019)", ylim=(0, None))
    same_y(panels[0])
    empty_panel(panels[1, 1], NOT_PUBLISHED)
    panels[1, 1].set_title("(b) norms, published")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    columns = [
        "origin",
        "statistic",
        "key",
        "layer",
        "value",
        "low",
        "high",
        "heads",
        "uncertainty",
        "source",
    ]
    return figure, pd.concat(shown)[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        statistics = gather(snakemake.input.segments, snakemake.params.runs, read_heads)
        save(*draw(statistics, read_published(snakemake.input.published, KEYS)), snakemake.output)
