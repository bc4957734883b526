"""Voita et al. (2019), figure 9: heads kept of each kind of attention against all heads pruned, news and subtitles.

Ours at the left, published at the right, as shares of the heads of a kind. The paper's own axis has one place per
model, at equal distances; here pruned heads are counted.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.curves import curve, heads_axis, kept_axis
from headwork.papers.item import save
from headwork.papers.notation import ATTENTIONS
from headwork.papers.published import read_published
from headwork.papers.tables.readers import read_kept, read_sweeps
from headwork.papers.views.sweeps import of_role, published_models, retained, roles, with_pruned
from headwork.run.frame import job

LINES = ("-", "-", "--")  # both attentions of a decoder may keep as many
KEYS = ("domain", "pair", "pruned", "kind")


def draw(sweeps, kept, published):
    """The figure, one row of panels per domain, and its counts; a published model's run is the heads it lost."""
    ours = retained(sweeps, kept, "all").drop(columns=["low", "high"])  # which are those of BLEU
    tables = ours.assign(origin="this run", source=""), published_models(published, ["domain", "kind"])
    tables = [with_pruned(rows) for rows in tables]
    figure = style.new(style.PAGE, 5.2 * len(roles(ours)) + 0.6)
    grid, shown = figure.subplots(len(roles(ours)), 2, squeeze=False), []
    for row, role in zip(grid, roles(ours), strict=True):
        titles = f"{role.label}, this run", f"{role.pair}, published"
        for axes, rows, title in zip(row, tables, titles, strict=True):
            part = of_role(rows, role)
            part = part.assign(share=part["kept"] / part["heads"])
            for (kind, name), colour, line in zip(ATTENTIONS.items(), style.SERIES, LINES, strict=False):
                curve(axes, part[part["kind"] == kind], "pruned", "share", colour, name, line=line)
            heads_axis(axes, int(part["total"].max()), "heads pruned, all kinds")
            kept_axis(axes)
            axes.set_title(f"{role.domain}, {title}")
            shown.append(part)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    columns = [
        "origin",
        "domain",
        "pair",
        "run",
        "seed",
        "penalty",
        "target",
        "pruned",
        "kind",
        "heads",
        "kept",
    ]
    return figure, pd.concat(shown)[[*columns, "source"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given = snakemake.input
        sweeps = read_sweeps(given.sweeps, snakemake.params.runs)
        save(*draw(sweeps, read_kept(given.kept), read_published(given.published, KEYS)), snakemake.output)
