"""Mutual information, in nats, with the input token (solid) and the output (target) token (dashed), LM and MLM.

The target is the next token for the LM, and the original token at masked or replaced positions for the MLM.
The MLM's text has as many tokens chosen as in training; {% set masked = config.representations.masked %}of
these, a share of {{ masked["mask"] }} is masked and {{ masked["random"] }} are replaced by a random token of
{{ masked["types"] }} types (0.8 and 0.1 in training; more replaced tokens give more tokens to estimate from).
Dashed: masked and replaced positions. Solid, for the MLM: replaced positions, since a mask carries no
information on an input token. Dotted: permuted-label control. Error bars: jackknife intervals over tenths of
the text. Published: read off a figure; the curve of the LM's input is that of figure 1.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.panels import depth_axis, same_y
from headwork.studies.rows import where

from .drawings import COLOURS, curve_handles, shown
from .tables import estimates, of_objective

LOOKS = {"input": ("-o", "input token"), "output": ("--s", "output (target) token")}
READ = {"LM": "whole", "MLM": "masked"}


def draw(evolution, published):
    """The figure, and the information of every layer in nats."""
    figure, kept = style.new(style.PAGE, 9.6), []
    grid = figure.subplots(2, 2)
    for (left, right), (pair, key) in zip(grid, READ.items(), strict=True):
        for of, (look, name) in LOOKS.items():
            own = of_objective(estimates(evolution, f"information/{of}", key), pair)
            theirs = where(published, pair=pair, of=of).astype({"layer": int})
            style_of = {"color": COLOURS[pair], "linewidth": 1.1, "markersize": 2.6}
            left.plot(own["layer"], own["value"], look, label=name, **style_of)
            left.vlines(own["layer"], own["low"], own["high"], colors=COLOURS[pair], linewidth=0.7)
            left.plot(own["layer"], own["control"], ":", color=style.BASELINE, linewidth=0.8)
            right.plot(theirs["layer"], theirs["value"], look, **style_of)
            kept.append(shown(own, theirs.drop(columns="of"), statistic=f"information/{of}", key=key))
        for axes, title in ((left, f"{pair}, this run"), (right, f"{pair}, published")):
            axes.set(title=title, ylabel="mutual information, nats", ylim=(0, None))
        depth_axis(left, int(evolution["layer"].max()))
        depth_axis(right, int(published["layer"].astype(int).max()))
        handles = curve_handles(left, "permuted labels")
        left.legend(handles=handles, loc="upper right", handlelength=4, fontsize=6)
    same_y(grid.flat)
    grid[0, 1].annotate("input token: see figure 1", (0.02, 0.06), xycoords="axes fraction", fontsize=6)
    return figure, pd.concat(kept, ignore_index=True)
