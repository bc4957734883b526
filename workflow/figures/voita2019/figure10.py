"""Voita et al. (2019), figure 10: decoder heads kept in each pair of layers against heads of that kind pruned, news.

Ours at the left, published at the right. A decoder with fewer than four layers is shown layer by layer.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.curves import curve, heads_axis, kept_axis
from headwork.papers.item import save
from headwork.papers.notation import ATTENTIONS
from headwork.papers.published import read_published
from headwork.papers.tables.readers import read_kept, read_sweeps
from headwork.papers.views.sweeps import in_layer_groups, published_models, retained, with_pruned
from headwork.run.frame import job

KEYS = ("domain", "pair", "pruned", "kind", "layers")


def draw(sweeps, kept, published):
    """The figure, one row of panels per kind of attention, and its counts; a published model's run is what it lost."""
    ours = retained(sweeps, kept, "all", by=["kind", "layer"])
    ours = in_layer_groups(ours[ours["kind"] != "encoder"]).assign(origin="this run", source="")
    tables = ours, published_models(published, ["kind", "layers"])
    titles = f"{ours['label'].iloc[0]}, this run", f"{ours['pair'].iloc[0]}, published"
    figure = style.new(style.PAGE, 10.4)
    grid, shown = figure.subplots(2, 2), []
    for row, kind in zip(grid, ("decoder", "cross"), strict=True):
        for axes, rows, title in zip(row, tables, titles, strict=True):
            part = with_pruned(rows[rows["kind"] == kind])
            part = part.assign(share=part["kept"] / part["heads"])
            for (layers, own), colour in zip(part.groupby("layers"), style.SERIES, strict=False):
                curve(axes, own, "pruned", "share", colour, layers)
            heads_axis(axes, int(part["total"].max()), "heads pruned, this kind")
            kept_axis(axes)
            axes.set_title(f"{ATTENTIONS[kind]}\n{title}")
            axes.legend(title="layers", loc="upper right")
            shown.append(part)
    columns = [
        "origin",
        "run",
        "seed",
        "penalty",
        "target",
        "kind",
        "layers",
        "heads",
        "pruned",
        "kept",
        "source",
    ]
    return figure, pd.concat(shown)[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given = snakemake.input
        sweeps = read_sweeps(given.sweeps, snakemake.params.runs)
        save(*draw(sweeps, read_kept(given.kept), read_published(given.published, KEYS)), snakemake.output)
