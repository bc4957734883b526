r"""Accuracy on dev when a share of all heads is removed, the least important first, without further training.

Heads are ranked on {{ config.attribution.examples }} examples of {{ "dev" if config.attribution.leak else
"train" }}. Accuracy difference: the accuracy lost there by removing one head alone. Random: the mean of
several orders. Taylor: \|Σ A ∂L/∂A\|; the code of Michel et al. uses the heads' contexts instead of the
weights A, and normalises by layer. Lines are means over seeds. The csv has both measures with and without
this normalisation, intervals, and areas under the curves.
"""

import pandas as pd

from headwork.studies import style

from .tables import areas, over_seeds

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
    theirs = published.rename(columns={"value": "accuracy"}).astype({"share": float})
    domains = list(dict.fromkeys(table["domain"]))
    figure = style.new(style.PAGE, 6.2)
    panels = figure.subplots(1, len(domains), sharey=True, squeeze=False)[0]
    for axes, domain in zip(panels, domains, strict=True):
        own = table[table["domain"] == domain]
        for measure, (name, colour, line) in MEASURES.items():
            rows = own[own["measure"] == measure].sort_values("share")
            axes.plot(rows["share"], rows["accuracy"], line, color=colour, linewidth=1.1, label=name)
        known, look = theirs[theirs["domain"] == domain], {"color": style.PUBLISHED, "markersize": 3}
        axes.plot(known["share"], known["accuracy"], "D", label="published, all heads", **look)
        style.share_axis(axes)
        axes.set(title=domain, xlabel="share of heads removed", xticks=[0, 0.25, 0.5, 0.75, 1])
        axes.xaxis.set_major_formatter(lambda share, _: f"{share:g}")
    panels[0].set_ylabel("accuracy")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, handlelength=3)
    groups = areas(curves).groupby(["domain", "measure"], sort=False)
    means = groups.agg(area=("area", "mean"), runs=("run", "nunique"))
    parts = {"this run": table, "area": means.reset_index(), "published": theirs}
    found = pd.concat([rows.assign(origin=origin) for origin, rows in parts.items()])
    columns = ["origin", "domain", "measure", "share", "removed", "accuracy", "low", "high", "area", "runs"]
    return figure, found[[*columns, "n", "uncertainty", "source"]]
