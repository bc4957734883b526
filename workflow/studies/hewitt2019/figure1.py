"""UUAS and Spearman correlation of tree distances (DSpr) by layer.

One distance probe is trained for each layer; layer 0 are the embeddings. Squares mark the layers with the
highest UUAS on validation sentences. Published curves are read off the paper's figure and drawn over relative
depth; their trees are Stanford dependencies of the Penn Treebank. The paper has no encoders of MT, LM and
MLM. These differ in their objective only.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.panels import depth_axis, same_y
from headwork.studies.rows import where

from . import tables
from .drawings import layer_curves, published_curve
from .tables import ENCODER, MEASURES

SHOWN = ("uuas", "dspr")


def draw(structural_probes, published):
    """The figure; and the scores of every layer, then the published ones."""
    domains = [domain for domain in (ENCODER, "objectives") if (structural_probes["domain"] == domain).any()]
    figure = style.new(style.PAGE, 1.4 + 5.4 * len(domains))
    grid = figure.subplots(len(domains), 2, squeeze=False)
    rows = {measure: tables.layers(structural_probes, measure) for measure in SHOWN}
    for panels, domain in zip(grid, domains, strict=True):
        for axes, measure in zip(panels, SHOWN, strict=True):
            own = where(rows[measure], domain=domain)
            depth = int(own["layer"].max())
            layer_curves(axes, own, "label" if domain == ENCODER else "pair")
            chain = tables.baseline(structural_probes, "linear", measure)
            axes.axhline(chain, color=style.BASELINE, linewidth=0.7, linestyle=":", label="linear chain")
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
