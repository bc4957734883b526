"""Hewitt and Manning (2019), figure 5: UUAS and distance Spearman by the rank of the distance probe.

Each encoder's probes are of the layer with the highest UUAS on validation sentences.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.probing import layer_curves
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.probing import MEASURES, read_structural_probes
from headwork.papers.tables.readers import gather
from headwork.papers.views.probing import test_rows
from headwork.run.frame import job

KEYS = ("model", "rank", "measure")
SHOWN = ("uuas", "dspr")
ENCODER = "Penn Treebank"


def draw(scores, published):
    """The figure; and the scores of every rank, then the published ones."""
    rows = test_rows(scores)
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


if "snakemake" in globals():
    with job(snakemake.log[0]):
        scores = gather(snakemake.input.structural_probes, snakemake.params.runs, read_structural_probes)
        save(*draw(scores, read_published(snakemake.input.published, KEYS)), snakemake.output)
