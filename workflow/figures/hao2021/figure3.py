"""Hao et al. (2021), figure 3: accuracy when a share of all heads is removed, the least important first."""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.attribution import read_curves
from headwork.papers.tables.readers import gather
from headwork.papers.views.attributions import areas, over_seeds
from headwork.run.frame import job

KEYS = ("domain", "share")
MEASURES = {
    "attribution": ("attribution", style.SERIES[0], "-"),
    "taylor": ("Taylor", style.SERIES[5], "-"),
    "taylor-context-normalised": ("Taylor (Michel et al. 2019)", style.SERIES[3], "--"),
    "accuracy": ("accuracy difference", style.SERIES[1], "--"),
    "attention": ("largest attention", style.SERIES[2], "-"),
    "random": ("random", style.BASELINE, ":"),
}


def draw(curves, published):
    """The figure, a panel a task; the table has all measures, then the areas under their curves."""
    table = over_seeds(curves, ["domain", "measure", "share", "removed"])
    domains = list(dict.fromkeys(table["domain"]))
    figure = style.new(style.PAGE, 6.2)
    panels = figure.subplots(1, len(domains), sharey=True, squeeze=False)[0]
    for axes, domain in zip(panels, domains, strict=True):
        own = table[table["domain"] == domain]
        for measure, (name, colour, line) in MEASURES.items():
            rows = own[own["measure"] == measure].sort_values("share")
            axes.plot(rows["share"], rows["accuracy"], line, color=colour, linewidth=1.1, label=name)
        theirs = published[published["domain"] == domain]
        axes.plot(
            theirs["share"].astype(float),
            theirs["value"],
            "D",
            color=style.PUBLISHED,
            markersize=3,
            label="published, all heads",
        )
        style.share_axis(axes)
        axes.set(title=domain, xlabel="share of heads removed", xticks=[0, 0.25, 0.5, 0.75, 1])
        axes.xaxis.set_major_formatter(lambda share, _: f"{share:g}")
    panels[0].set_ylabel("accuracy")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, handlelength=3)
    means = (
        areas(curves)
        .groupby(["domain", "measure"], sort=False)
        .agg(area=("area", "mean"), runs=("run", "nunique"))
    )
    theirs = published.rename(columns={"value": "accuracy"}).astype({"share": float})
    parts = {"this run": table, "area": means.reset_index(), "published": theirs}
    found = pd.concat([rows.assign(origin=origin) for origin, rows in parts.items()])
    columns = [
        "origin",
        "domain",
        "measure",
        "share",
        "removed",
        "accuracy",
        "low",
        "high",
        "area",
        "runs",
        "n",
    ]
    return figure, found[[*columns, "uncertainty", "source"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        curves = gather(snakemake.input.curves, snakemake.params.runs, read_curves)
        save(*draw(curves, read_published(snakemake.input.published, KEYS)), snakemake.output)
