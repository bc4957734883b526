"""Synthesis, figure 3: the best head of each function, the number of heads with a function, and dev loss, by update."""

import pandas as pd
from matplotlib.ticker import MaxNLocator

from headwork.papers.drawing import style
from headwork.papers.item import save
from headwork.papers.notation import SYNTACTIC, group, long
from headwork.papers.tables.readers import gather, read_curve, read_history
from headwork.run.frame import job

SHOWN = ("positional/-1", "positional/+1", *SYNTACTIC, "rare")
LINES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1)), (0, (5, 1, 1, 1, 1, 1)))
ROWS = ("score of the best head", "heads with a function", "dev loss, nats")


def draw(curves, histories):
    """The figure, a column of panels a run; the table has the best head of each function at each step, and dev loss."""
    by = ["run", "domain", "label", "step"]
    curves = curves.assign(group=curves["function"].map(group))
    chosen = curves[curves["function"].isin(SHOWN)]
    best = chosen.loc[chosen.groupby([*by, "function"], sort=False)["score"].idxmax()]
    holding = curves[curves["holds"]].drop_duplicates([*by, "group", "layer", "head"])
    counts = holding.groupby([*by, "group"]).size().rename("heads").reset_index()

    runs = list(dict.fromkeys(curves["run"]))
    figure = style.new(style.PAGE, 15.0)
    panels = figure.subplots(len(ROWS), len(runs), sharex="col", squeeze=False, height_ratios=(2, 1, 1))
    for column, run in enumerate(runs):
        scores, heads, loss = panels[:, column]
        own = best[best["run"] == run].sort_values("step")
        for kind in ("positional", "syntactic", "rare"):
            functions = [name for name in SHOWN if group(name) == kind and name in set(own["function"])]
            for name, line in zip(functions, LINES, strict=False):
                rows = own[own["function"] == name]
                scores.plot(
                    rows["step"], rows["score"], marker="o", markersize=2.5, linestyle=line, linewidth=1.0,
                    color=style.FUNCTIONS[kind], label=long(name),
                )  # fmt: skip
            found = counts[(counts["run"] == run) & (counts["group"] == kind)].set_index("step")["heads"]
            steps = sorted(set(own["step"]))
            heads.plot(
                steps,
                [found.get(step, 0) for step in steps],
                "o-",
                markersize=2.5,
                color=style.FUNCTIONS[kind],
            )
        # before the first update the loss is that of guessing, which would flatten the rest
        losses = histories[(histories["run"] == run) & (histories["step"] > 0)]
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
    losses = histories.assign(function="dev loss").rename(columns={"dev_loss": "score"})
    return figure, pd.concat([table, losses], ignore_index=True)[columns]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        curves = gather(snakemake.input.curve, snakemake.params.runs, read_curve)
        histories = gather(snakemake.input.history, snakemake.params.runs, read_history)
        save(*draw(curves, histories), snakemake.output)
