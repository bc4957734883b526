"""Kovaleva et al. (2019), figure 9: change of the score with all heads of a layer disabled, by task.

Layers by their depth, for models have different numbers of them; bars are intervals of the mean change over seeds.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.scales import same_y
from headwork.papers.drawing.task_panels import COLUMNS, panels
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.readers import gather
from headwork.papers.tables.tasks import read_disabling
from headwork.papers.views.tasks import over_seeds, without_a_layer
from headwork.run.frame import job

SERIES = {"uniform": "uniform attention", "zero": "output zeroed"}


def draw(disabling, published, heads):
    """The figure and its numbers; `heads` are those published with figure 8, where the undisturbed scores stand."""
    rows = over_seeds(without_a_layer(disabling))
    domains = list(rows["domain"].unique())
    undisturbed = heads[heads["quantity"] == "baseline"].set_index("domain")["value"]
    theirs = published.astype({"layer": int}).sort_values(["domain", "layer"])
    theirs = theirs.assign(change=theirs["value"] - theirs["domain"].map(undisturbed))
    figure = style.new(style.PAGE, 8.6)
    grid = panels(figure, len(domains))
    for axes, domain in zip(grid, domains, strict=True):
        for (method, name), colour in zip(SERIES.items(), style.SERIES, strict=False):
            own = rows[(rows["domain"] == domain) & (rows["method"] == method)].sort_values("layer")
            if own.empty:  # only the ways of `disabling.ways` are measured
                continue
            ends = own["change"] - own["low"], own["high"] - own["change"]
            depth = own["layer"] / own["layer"].max()
            axes.errorbar(
                depth,
                own["change"],
                ends,
                color=colour,
                linewidth=1.1,
                marker="o",
                markersize=2.4,
                elinewidth=0.7,
                capsize=1.5,
                label=name,
            )
        known = theirs[theirs["domain"] == domain]
        depth = known["layer"] / known["layer"].max() if len(known) else []
        axes.plot(
            depth,
            known["change"],
            "-D",
            color=style.PUBLISHED,
            linewidth=0.8,
            markersize=2,
            label="published",
        )
        axes.axhline(0, color=style.BASELINE, linewidth=0.6)
        axes.set(title=domain, xlim=(0, 1.05), xlabel="relative depth")
        axes.grid(axis="y", color=style.PALE, linewidth=0.6)
    same_y(grid)
    for axes in grid[::COLUMNS]:
        axes.set_ylabel("change of the score")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    columns = [
        "origin",
        "domain",
        "layer",
        "method",
        "metric",
        "value",
        "change",
        "low",
        "high",
        "n",
        "seeds",
    ]
    table = pd.concat([rows.assign(origin="this run"), theirs.assign(origin="published", method="uniform")])
    return figure, table[[*columns, "uncertainty", "source"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given = snakemake.input
        table = gather(given.disabling, snakemake.params.runs, read_disabling)
        known = (
            read_published(given.published, ("domain", "layer")),
            read_published(given.heads, ("domain", "quantity")),
        )
        save(*draw(table, *known), snakemake.output)
