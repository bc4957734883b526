"""UUAS and Spearman correlation of tree distances (DSpr) by the largest rank of the distance probe.

Each encoder is probed on the layer with the highest UUAS on validation sentences. Published: BERT-base is
from the code of a later study by the same authors, BERT-large is read off the paper's figure.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.rows import where

from .drawings import layer_curves
from .tables import ENCODER, MEASURES

SHOWN = ("uuas", "dspr")


def draw(structural_probes, published):
    """The figure; and the scores of every rank, then the published ones."""
    rows = where(structural_probes, part="test", representation="rank", measure=list(SHOWN))
    names = rows["label"].where(rows["domain"] == ENCODER, rows["pair"])
    layers = [f", layer {layer:.0f}" for layer in rows["layer"]]
    rows = rows.assign(name=names + layers, chosen=False).sort_values("rank", kind="stable")
    published = published.astype({"rank": int})
    figure = style.new(style.PAGE, 6.8)
    panels = figure.subplots(1, 2)
    for axes, measure in zip(panels, SHOWN, strict=True):
        layer_curves(axes, rows[rows["measure"] == measure], "name", "rank")
        theirs = where(published, measure=measure)
        for (model, own), line in zip(theirs.groupby("model", sort=False), ("-", ":"), strict=False):
            look = {"color": style.PUBLISHED, "linewidth": 0.9, "label": f"{model} (published)"}
            axes.plot(own["rank"], own["value"], line, **look)
        axes.set_xscale("log", base=2)
        ticks = sorted({*rows["rank"], *published["rank"]})
        axes.set_xticks(ticks, [f"{each:.0f}" for each in ticks], fontsize=6)
        axes.set(xlabel="largest rank of the probe", ylabel=MEASURES[measure])
        axes.grid(axis="y", color=style.PALE, linewidth=0.6)
    handles = panels[0].get_legend_handles_labels()[0]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    columns = ["run", "domain", "pair", "label", "model", "layer", "rank", "measure"]
    table = pd.concat([rows, published.assign(label="published")], ignore_index=True)
    return figure, table[[*columns, "value", "low", "high", "n", "uncertainty", "source"]]
