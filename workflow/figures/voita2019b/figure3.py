"""Voita et al. (2019b), figure 3: PWCCA distances between objectives in each layer, and between layers.

PWCCA distances; thin with crosses, two seeds of one objective.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.evolution import COLOURS
from headwork.papers.drawing.scales import depth_axis, same_y
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.evolution import OBJECTIVES, named_distances, read_distances
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("statistic", "first", "second", "layer")
PAIRS = {("MT", "MLM"): style.SERIES[3], ("LM", "MT"): style.SERIES[4], ("LM", "MLM"): style.SERIES[5]}


def curves(axes, rows, statistic):
    """The distances between objectives and seeds, or between layers."""
    rows = rows[rows["statistic"] == statistic]
    if statistic == "layers":
        for pair in OBJECTIVES:
            own = rows[rows["first"] == pair].sort_values("layer")
            axes.plot(own["layer"], own["value"], "-o", color=COLOURS[pair], markersize=2.6, label=pair)
    else:
        for (one, other), colour in PAIRS.items():
            own = rows[
                ((rows["first"] == one) & (rows["second"] == other))
                | ((rows["first"] == other) & (rows["second"] == one))
            ].sort_values("layer")
            # as the rows name them: the first is X of PWCCA
            name = ", ".join(own[["first", "second"]].iloc[0]) if len(own) else None
            axes.plot(own["layer"], own["value"], "-o", color=colour, markersize=2.6, label=name)
        for pair in OBJECTIVES:
            own = rows[(rows["first"] == pair) & (rows["second"] == pair)].sort_values("layer")
            axes.plot(
                own["layer"],
                own["value"],
                "-x",
                color=COLOURS[pair],
                linewidth=0.8,
                markersize=3,
                label=f"{pair}, seeds" if len(own) else None,
            )
    depth_axis(axes, int(rows["layer"].max()))
    axes.set_ylim(0, None)


def draw(distances, published, runs):
    """The figure and its numbers."""
    ours = named_distances(distances, runs)
    # the embeddings are no layer, and what the first makes of them was not published
    ours = ours[ours["layer"] > (ours["statistic"] == "layers").astype(int)]
    ours = ours[(ours["statistic"] == "between") | (ours["first_domain"] == runs[0]["domain"])]
    ours = ours.drop(columns=["first", "second"]).rename(
        columns={"first_pair": "first", "second_pair": "second"}
    )
    theirs = published.astype({"layer": int})
    figure = style.new(style.PAGE, 11.0)
    grid = figure.subplots(2, 2)
    for column, (rows, title) in zip(grid.T, ((ours, "this run"), (theirs, "published")), strict=True):
        for axes, (statistic, what) in zip(
            column,
            {
                "between": "PWCCA distance\nbetween models",
                "layers": "PWCCA distance\nfrom the layer below",
            }.items(),
            strict=True,
        ):
            curves(axes, rows, statistic)
            axes.set(title=title, ylabel=what)
    for row in grid:
        same_y(row)
    figure.axes[0].legend(ncols=2, fontsize=6, loc="lower right")
    figure.axes[2].legend(fontsize=6)
    table = [ours.assign(origin="this run", uncertainty=None, source=None), theirs.assign(origin="published")]
    columns = [
        "origin",
        "statistic",
        "first",
        "second",
        "layer",
        "value",
        "control",
        "n",
        "uncertainty",
        "source",
    ]
    return figure, pd.concat(table, ignore_index=True)[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        runs = snakemake.params.runs
        table = gather(snakemake.input.distances, runs, read_distances)
        save(*draw(table, read_published(snakemake.input.published, KEYS), runs), snakemake.output)
