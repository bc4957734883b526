"""Share of heads kept of each kind of attention, in models pruned in all of them, against the share of all heads
pruned.

Left: this run; a dot is a run, and the line joins the means of runs that differ in their seeds alone. Kinds
may have different numbers of heads here; each has 48 in the paper. Right: published, read off the author's
own figure, whose horizontal axis spaces its models equally.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.panels import curve, heads_axis, kept_axis
from headwork.studies.notation import ATTENTIONS
from headwork.studies.sweeps import of_role, published_models, retained, roles, with_pruned

LINES = ("-", "-", "--")  # both attentions of a decoder may keep as many


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
    columns = ["origin", "domain", "pair", "run", "seed", "penalty", "target", "pruned", "kind", "heads"]
    return figure, pd.concat(shown)[[*columns, "kept", "source"]]
