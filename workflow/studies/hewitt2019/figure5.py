"""UUAS and Spearman correlation of tree distances (DSpr) by the largest rank of the distance probe.

Each encoder is probed on the layer with the highest UUAS on validation sentences. Published: BERT-base is
from the code of a later study by the same authors, BERT-large is read off the paper's figure.
"""

import pandas as pd

from headwork.studies import style

from .drawings import layer_curves
from .tables import MEASURES, test_rows

SHOWN = ("uuas", "dspr")
ENCODER = "Penn Treebank"


def draw(structural_probes, published):
    """The figure; and the scores of every rank, then the published ones."""
    rows = test_rows(structural_probes)
    rows = rows[(rows["representation"] == "rank") & rows["measure"].isin(SHOWN)]
    rows = rows.assign(
        name=[
            f"{row['label'] if row['domain'] == ENCODER else row['pair']}, layer {row['layer']:.0f}"
            for _, row in rows.iterrows()
        ],
        chosen=False,
    ).sort_values("rank", kind="stable")
    published = published.astype({"rank": int})
    figure = style.new(style.PAGE, 6.8)
    panels = figure.subplots(1, 2)
    for axes, measure in zip(panels, SHOWN, strict=True):
        layer_curves(axes, rows[rows["measure"] == measure], "name", "rank")
        theirs = published[published["measure"] == measure]
        for (model, own), line in zip(theirs.groupby("model", sort=False), ("-", ":"), strict=False):
            axes.plot(
                own["rank"],
                own["value"],
                line,
                color=style.PUBLISHED,
                linewidth=0.9,
                label=f"{model} (published)",
            )
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
