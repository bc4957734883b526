"""Kovaleva et al. (2019), figure 8: head ablation, change of the score with one head disabled, by task.

Panels: by how much the score changes on average over seeds when a head's attention is made uniform. The last panel:
least and greatest change, of this run both ways of disabling, and as published. Colours are logarithmic beyond
`LINEAR`, so that one head that matters greatly does not make the others look alike.
"""

import pandas as pd
from matplotlib.colors import SymLogNorm

from headwork.papers.drawing import style
from headwork.papers.drawing.grids import CHANGES
from headwork.papers.drawing.task_panels import task_grids
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.readers import gather
from headwork.papers.tables.tasks import read_disabling
from headwork.papers.views.tasks import over_seeds, without_a_head
from headwork.run.frame import job

KEYS = ("domain", "quantity")
SERIES = {"uniform": "uniform attention", "zero": "output zeroed"}
LINEAR = 0.02
TICKS = (-0.5, -0.1, -0.02, 0, 0.02, 0.1, 0.5)


def draw(disabling, published):
    """The figure and its numbers: every head's score and its change, mean over seeds, and the published range."""
    rows = over_seeds(without_a_head(disabling))
    domains = list(rows["domain"].unique())
    shown = rows[rows["method"] == "uniform"].assign(value=lambda table: table["change"])
    bound = max(abs(shown["value"].min()), abs(shown["value"].max()), LINEAR)
    norm = SymLogNorm(LINEAR, vmin=-bound, vmax=bound)
    figure = style.new(style.PAGE, 9.2)
    free, bar = task_grids(figure, shown, "change of the score", -bound, bound, CHANGES, norm)
    ticks = [tick for tick in TICKS if abs(tick) <= bound]
    bar.set_ticks(ticks, labels=[f"{tick:g}".replace("-", "−") for tick in ticks])
    bar.minorticks_off()
    theirs = published.pivot_table("value", "domain", "quantity").reindex(domains)
    ends = pd.DataFrame({name: theirs[name] - theirs["baseline"] for name in ("lowest", "highest")})
    for place, domain in enumerate(domains):
        for shift, (method, name) in zip((-0.22, 0.0), SERIES.items(), strict=True):
            own = rows[(rows["domain"] == domain) & (rows["method"] == method)]["change"]
            if own.empty:  # only the ways of `disabling.ways` are measured
                continue
            _span(
                free,
                place + shift,
                own.min(),
                own.max(),
                style.SERIES[list(SERIES).index(method)],
                name,
                place,
            )
        _span(free, place + 0.22, *ends.loc[domain], style.PUBLISHED, "published", place)
    free.axvline(0, color=style.BASELINE, linewidth=0.6)
    free.set_yticks(range(len(domains)), domains)
    free.invert_yaxis()
    free.set(title="smallest and largest", xlabel="change of the score")
    figure.legend(*free.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    ours = rows.assign(origin="this run")
    columns = [
        "origin",
        "domain",
        "layer",
        "head",
        "method",
        "quantity",
        "metric",
        "value",
        "change",
        "low",
        "high",
    ]
    table = pd.concat([ours, published.assign(origin="published")])
    return figure, table[[*columns, "n", "seeds", "uncertainty", "source"]]


def _span(axes, level, low, high, colour, name, place):
    label = name if place == 0 else None
    axes.plot(
        [low, high],
        [level, level],
        color=colour,
        linewidth=2.2,
        solid_capstyle="butt",
        label=label,
    )


if "snakemake" in globals():
    with job(snakemake.log[0]):
        table = gather(snakemake.input.disabling, snakemake.params.runs, read_disabling)
        save(*draw(table, read_published(snakemake.input.published, KEYS)), snakemake.output)
