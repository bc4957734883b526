"""BLEU of models whose encoder heads are pruned with Hard Concrete gates, against the number of encoder heads
kept.

Decoder and output layer are not trained. Left: this run. A dot is a run with its 95 % bootstrap interval;
runs with the same penalty or the same target number of heads form a point, and the line joins the means of
points over seeds. Both panels show the change relative to the unpruned model (dashed), on one axis. Right:
the published curves, read off the author's own figure. Their BLEU is on other test sets with another scorer:
compare shapes, not levels. The paper does not give the penalties of its points; those of this run are in the
csv and in the run sheet.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.panels import curve, heads_axis, same_y
from headwork.studies.sweeps import FULL, of_role, retained, roles


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
