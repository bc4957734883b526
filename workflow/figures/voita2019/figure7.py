"""Voita et al. (2019), figure 7: BLEU against the encoder heads that pruning keeps, news and subtitles.

Ours at the left, with each run's bootstrap interval; the published curve at the right. Both are drawn as the change
against the unpruned model, on one axis: levels are of other test sets.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.curves import curve, heads_axis
from headwork.papers.drawing.scales import same_y
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.readers import read_kept, read_sweeps
from headwork.papers.views.sweeps import FULL, of_role, retained, roles
from headwork.run.frame import job

KEYS = ("domain", "pair", "kept", "quantity")


def draw(sweeps, kept, published):
    """The figure, one row of panels per domain, and the points in it."""
    ours = retained(sweeps, kept, "encoder")
    ours = ours[ours["kind"] == "encoder"].assign(origin="this run", source="")
    theirs = published.rename(columns={"value": "bleu"}).astype({"kept": int})
    heads = theirs.groupby(["domain", "pair"])["kept"].transform("max")
    point = theirs["kept"].astype(str).where(theirs["kept"] < heads, FULL)
    theirs = theirs.assign(origin="published", point=point, heads=heads)
    figure = style.new(style.PAGE, 5.2 * len(roles(ours)))
    grid, shown = figure.subplots(len(roles(ours)), 2, squeeze=False), []
    for row, role in zip(grid, roles(ours), strict=True):
        titles = f"{role.label}, this run", f"{role.pair}, published"
        colours = style.SERIES[0], style.PUBLISHED
        for axes, rows, title, colour in zip(row, (ours, theirs), titles, colours, strict=True):
            part = of_role(rows, role).sort_values("kept", ascending=False, kind="stable")
            whole = part.loc[part["point"] == FULL, "bleu"].iloc[0]
            axes.axhline(0, color=style.BASELINE, linewidth=0.8, linestyle="--")
            names = [name for name in ("bleu", "low", "high") if name in part]
            change = part.assign(**{name: part[name] - whole for name in names})
            curve(axes, change, "kept", "bleu", colour, title)
            heads_axis(axes, int(part["heads"].max()), "encoder heads kept")
            axes.set(title=f"{role.domain}, {title}\nunpruned: {whole:.1f} BLEU", ylabel="change of BLEU")
            shown.append(part.assign(lost=whole - part["bleu"], share=part["kept"] / part["heads"]))
        same_y(row)
    columns = ["origin", "domain", "pair", "run", "seed", "penalty", "target", "heads", "kept", "share"]
    return figure, pd.concat(shown)[[*columns, "bleu", "low", "high", "lost", "source"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given = snakemake.input
        sweeps = read_sweeps(given.sweeps, snakemake.params.runs)
        save(*draw(sweeps, read_kept(given.kept), read_published(given.published, KEYS)), snakemake.output)
