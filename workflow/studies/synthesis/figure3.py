"""How heads develop in training. Top: score of the best encoder head for each function (share of arg-maxima at
the offset; accuracy at the relation; rate of looking at one of the two rarest tokens). Middle: encoder heads
with a function of each group. Bottom: loss on dev.

The recipe's `snapshots` are the updates after which the weights were kept; the last point is the final model.
Functions are as in Voita et al. (2019), with their thresholds (0.9, 10 points above the best fixed offset,
0.5). The best head is chosen at each point on the sentences it is scored on.

This item is headwork's own; it has no published counterpart.
"""

import pandas as pd
from matplotlib.ticker import MaxNLocator

from headwork.studies import style
from headwork.studies.notation import SYNTACTIC, group, long
from headwork.studies.rows import where

SHOWN = ("positional/-1", "positional/+1", *SYNTACTIC, "rare")
LINES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1)), (0, (5, 1, 1, 1, 1, 1)))
ROWS = ("score of the best head", "heads with a function", "dev loss, nats")


def draw(curve, history):
    """The figure, a column of panels a run; the table has the best head of each function at each step, and dev loss."""
    by = ["run", "domain", "label", "step"]
    curve = curve.assign(group=curve["function"].map(group))
    chosen = curve[curve["function"].isin(SHOWN)]
    best = chosen.loc[chosen.groupby([*by, "function"], sort=False)["score"].idxmax()]
    holding = curve[curve["holds"]].drop_duplicates([*by, "group", "layer", "head"])
    counts = holding.groupby([*by, "group"]).size().rename("heads").reset_index()

    runs = list(dict.fromkeys(curve["run"]))
    figure = style.new(style.PAGE, 15.0)
    panels = figure.subplots(len(ROWS), len(runs), sharex="col", squeeze=False, height_ratios=(2, 1, 1))
    for column, run in enumerate(runs):
        scores, heads, loss = panels[:, column]
        own = best[best["run"] == run].sort_values("step")
        for kind in ("positional", "syntactic", "rare"):
            colour = style.FUNCTIONS[kind]
            functions = [name for name in SHOWN if group(name) == kind and name in set(own["function"])]
            for name, line in zip(functions, LINES, strict=False):
                rows = own[own["function"] == name]
                look = {"linestyle": line, "linewidth": 1.0, "marker": "o", "markersize": 2.5}
                scores.plot(rows["step"], rows["score"], color=colour, label=long(name), **look)
            found = where(counts, run=run, group=kind).set_index("step")["heads"]
            steps = sorted(set(own["step"]))
            heads.plot(steps, [found.get(step, 0) for step in steps], "o-", markersize=2.5, color=colour)
        # before the first update the loss is that of guessing, which would flatten the rest
        losses = history[(history["run"] == run) & (history["step"] > 0)]
        loss.plot(losses["step"], losses["dev_loss"], "o-", markersize=2.5, color=style.INK)
        style.share_axis(scores)
        scores.set_title(own["label"].iloc[0])
        loss.set_xlabel("updates")
        for axes, name in zip(panels[:, column], ROWS, strict=True):
            axes.set_ylabel(name if column == 0 else "")
            axes.grid(axis="y", color=style.PALE, linewidth=0.6)
        heads.set_ylim(bottom=0)
        heads.yaxis.set_major_locator(MaxNLocator(integer=True))
        loss.set_xlim(left=0)
    handles = {}
    for axes in panels[0]:
        handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4, handlelength=3)
    columns = [*by, "function", "layer", "head", "score", "baseline", "count", "holds"]
    table = best.sort_values(["run", "function", "step"], kind="stable")
    losses = history.assign(function="dev loss").rename(columns={"dev_loss": "score"})
    return figure, pd.concat([table, losses], ignore_index=True)[columns]
