"""PWCCA distance (variant {{ config.representations.distances.variant }}) between models (above) and between
consecutive layers (below).

All distances are over the same {{ config.representations.distances.tokens }} words. Dots: two objectives with
one initialisation; crosses: one objective with two initialisations. The projection weights are those of the
model named first, or of the lower layer. Published: read off a figure; embeddings were not shown.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.panels import depth_axis, same_y
from headwork.studies.rows import where

from .drawings import COLOURS
from .tables import OBJECTIVES, named_distances

PANELS = {"between": "between models", "layers": "from the layer below"}
PAIRS = {("MT", "MLM"): style.SERIES[3], ("LM", "MT"): style.SERIES[4], ("LM", "MLM"): style.SERIES[5]}


def curves(axes, rows, statistic):
    """The distances between objectives and seeds, or between layers."""
    rows = where(rows, statistic=statistic)
    if statistic == "layers":
        for pair in OBJECTIVES:
            own = where(rows, first=pair).sort_values("layer")
            axes.plot(own["layer"], own["value"], "-o", color=COLOURS[pair], markersize=2.6, label=pair)
    else:
        for (one, other), colour in PAIRS.items():
            either = [where(rows, first=one, second=other), where(rows, first=other, second=one)]
            own = pd.concat(either).sort_values("layer")
            # as the rows name them: the first is X of PWCCA
            name = ", ".join(own[["first", "second"]].iloc[0]) if len(own) else None
            axes.plot(own["layer"], own["value"], "-o", color=colour, markersize=2.6, label=name)
        for pair in OBJECTIVES:
            own = where(rows, first=pair, second=pair).sort_values("layer")
            look = {"color": COLOURS[pair], "linewidth": 0.8, "markersize": 3}
            name = f"{pair}, seeds" if len(own) else None
            axes.plot(own["layer"], own["value"], "-x", label=name, **look)
    depth_axis(axes, int(rows["layer"].max()))
    axes.set_ylim(0, None)


def draw(distances, published, runs):
    ours = named_distances(distances, runs)
    # the embeddings are no layer, and what the first makes of them was not published
    ours = ours[ours["layer"] > (ours["statistic"] == "layers").astype(int)]
    ours = ours[(ours["statistic"] == "between") | (ours["first_domain"] == runs[0]["domain"])]
    ours = ours.assign(first=ours["first_pair"], second=ours["second_pair"])
    theirs = published.astype({"layer": int})
    figure = style.new(style.PAGE, 11.0)
    grid = figure.subplots(2, 2)
    for column, (rows, title) in zip(grid.T, ((ours, "this run"), (theirs, "published")), strict=True):
        for axes, (statistic, what) in zip(column, PANELS.items(), strict=True):
            curves(axes, rows, statistic)
            axes.set(title=title, ylabel=f"PWCCA distance\n{what}")
    for row in grid:
        same_y(row)
    figure.axes[0].legend(ncols=2, fontsize=6, loc="lower right")
    figure.axes[2].legend(fontsize=6)
    table = [ours.assign(origin="this run", uncertainty=None, source=None), theirs.assign(origin="published")]
    columns = ["origin", "statistic", "first", "second", "layer", "value", "control", "n"]
    return figure, pd.concat(table, ignore_index=True)[[*columns, "uncertainty", "source"]]
