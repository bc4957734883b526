"""Hewitt and Manning (2019), figure 1: UUAS and distance Spearman of the distance probe by layer.

Above the paper's kind of encoder, below encoders of MT, LM and MLM, which the paper does not have.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.probing import layer_curves, published_curve, reference
from headwork.papers.drawing.scales import depth_axis, same_y
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.probing import MEASURES, read_structural_probes
from headwork.papers.tables.readers import gather
from headwork.papers.views import probing
from headwork.run.frame import job

KEYS = ("model", "layer", "measure")
ENCODER = "Penn Treebank"
SHOWN = ("uuas", "dspr")


def draw(scores, published):
    """The figure; and the scores of every layer, then the published ones."""
    domains = [domain for domain in (ENCODER, "objectives") if (scores["domain"] == domain).any()]
    figure = style.new(style.PAGE, 1.4 + 5.4 * len(domains))
    grid = figure.subplots(len(domains), 2, squeeze=False)
    rows = {measure: probing.layers(scores, measure) for measure in SHOWN}
    for panels, domain in zip(grid, domains, strict=True):
        for axes, measure in zip(panels, SHOWN, strict=True):
            own = rows[measure][rows[measure]["domain"] == domain]
            depth = int(own["layer"].max())
            layer_curves(axes, own, "label" if domain == ENCODER else "pair")
            reference(axes, probing.baseline(scores, "linear", measure), "linear chain")
            if domain == ENCODER:
                published_curve(axes, published[published["measure"] == measure], depth)
            depth_axis(axes, depth)
            axes.set(ylabel=MEASURES[measure])
        panels[1].legend(fontsize=6.5, loc="center left", bbox_to_anchor=(1.0, 0.5))
    for column in grid.T:
        same_y(column)
    ours = pd.concat(rows.values(), ignore_index=True)
    theirs = published.assign(layer=published["layer"].astype(int), label="published")
    columns = ["run", "domain", "pair", "label", "trained", "model", "layer", "rank", "chosen", "measure"]
    table = pd.concat([ours, theirs], ignore_index=True)
    return figure, table[[*columns, "value", "low", "high", "n", "uncertainty", "source"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        scores = gather(snakemake.input.structural_probes, snakemake.params.runs, read_structural_probes)
        save(*draw(scores, read_published(snakemake.input.published, KEYS)), snakemake.output)
