"""Change of the task score with all heads of a layer disabled, by uniform attention or by zeroed output.

Points are means over seeds; error bars are 95 % intervals (paired bootstrap over examples and Student's t
over seeds). Layers are shown by relative depth, since the published model has more of them; all panels share
one axis. Published: read off the figure, relative to the full scores of figure 8; one seed.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.panels import same_y
from headwork.studies.rows import where

from .drawings import COLUMNS
from .tables import over_seeds, without_a_layer

SERIES = {"uniform": "uniform attention", "zero": "output zeroed"}


def draw(disabling, published, heads):
    """The figure and its numbers; `heads` are those published with figure 8, where the undisturbed scores stand."""
    rows = over_seeds(without_a_layer(disabling))
    domains = list(rows["domain"].unique())
    undisturbed = heads[heads["quantity"] == "baseline"].set_index("domain")["value"]
    theirs = published.astype({"layer": int}).sort_values(["domain", "layer"])
    theirs = theirs.assign(change=theirs["value"] - theirs["domain"].map(undisturbed))
    figure = style.new(style.PAGE, 8.6)
    grid = style.panels(figure, len(domains), COLUMNS)
    for axes, domain in zip(grid, domains, strict=True):
        for (method, name), colour in zip(SERIES.items(), style.SERIES, strict=False):
            own = where(rows, domain=domain, method=method).sort_values("layer")
            if own.empty:  # only the ways of `disabling.ways` are measured
                continue
            ends = own["change"] - own["low"], own["high"] - own["change"]
            depth = own["layer"] / own["layer"].max()
            look = {"color": colour, "linewidth": 1.1, "elinewidth": 0.7, "capsize": 1.5}
            axes.errorbar(depth, own["change"], ends, marker="o", markersize=2.4, label=name, **look)
        known = theirs[theirs["domain"] == domain]
        depth = known["layer"] / known["layer"].max() if len(known) else []
        look = {"color": style.PUBLISHED, "linewidth": 0.8, "markersize": 2}
        axes.plot(depth, known["change"], "-D", label="published", **look)
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
