"""Tenney et al. (2019), figure 2: mixing weights and differential scores of every task by layer."""

import pandas as pd
from matplotlib.patches import Patch

from headwork.papers.drawing import style
from headwork.papers.drawing.pipeline import GRAVITY, NAMES, NEGATIVE, order, weight_bars
from headwork.papers.drawing.scales import empty_panel, same_y
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.probing import read_edge_layers, read_edge_probes
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("model", "task", "layer")
SUMMARIES = ("model", "task", "quantity")
COLUMNS = 4


def draw(probes, layers, published, summaries):
    """The figure, a column a run; and F1, difference and mixing weight of every task and layer, then the published."""
    tasks = order(set(probes["task"]))
    runs = list(dict.fromkeys(probes["run"]))
    figure = style.new(style.PAGE, 1.6 + 2.0 * len(tasks))
    grid = figure.subplots(len(tasks), len(runs), squeeze=False)
    for column, run in enumerate(runs):
        own = probes[probes["run"] == run]
        known = layers[layers["run"] == run].set_index(["task", "quantity"])["value"]
        for axes, task in zip(grid[:, column], tasks, strict=True):
            rows = own[own["task"] == task].sort_values("layer")
            if rows.empty:
                empty_panel(axes, "n/a")
                continue
            weight_bars(axes, rows)
            axes.set_title(
                _divergences(known, summaries, task, bool(own["trained"].iloc[0])), fontsize=5.5, pad=2
            )
        first = own.iloc[0]
        grid[0, column].annotate(
            f"{first['label']}" + ("" if first["trained"] else " (untrained)"),
            (0.5, 1.75),
            xycoords="axes fraction",
            ha="center",
            fontsize=7,
        )
        grid[-1, column].set_xlabel("layer")
    for row, task in zip(grid, tasks, strict=True):
        same_y(row)
        row[0].set_ylabel(NAMES[task].replace(" ", "\n"), fontsize=6.5)
    handles = [
        Patch(color=GRAVITY, alpha=0.75, label="mixing weight"),
        Patch(fill=False, edgecolor=style.INK, label="differential score (share of all changes)"),
        Patch(fill=False, edgecolor=NEGATIVE, label="negative"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    rows = probes.sort_values(["run", "task", "layer"], kind="stable")
    rows = rows.assign(difference=rows.groupby(["run", "task"])["f1"].diff())
    theirs = published.rename(columns={"value": "f1"}).astype({"layer": int})
    theirs = theirs.assign(label="published", difference=theirs.groupby(["model", "task"])["f1"].diff())
    columns = ["run", "domain", "pair", "label", "trained", "model", "task", "layer", "f1", "low", "high"]
    columns += [
        "difference",
        "weight",
        "weight_low",
        "weight_high",
        "n",
        "sentences",
        "uncertainty",
        "source",
    ]
    return figure, pd.concat([rows, theirs], ignore_index=True)[columns]


def _divergences(known, summaries, task, with_published):
    """K(s) and K(δ), and for trained runs beside them those of BERT-base, if the paper has the task."""
    theirs = summaries[summaries["model"] == "BERT-base"].set_index(["task", "quantity"])["value"]
    parts = []
    for quantity, name in (("k-s", "K(s)"), ("k-delta", "K(δ)")):
        value = known.get((task, quantity))
        text = "not defined" if pd.isna(value) else f"{value:.2f}"
        if with_published and (task, quantity) in theirs.index:
            text += f" (published {theirs[task, quantity]:.2f})"
        parts.append(f"{name} {text}")
    return "\n".join(parts)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = (
            gather(given.edge_probes, runs, read_edge_probes),
            gather(given.edge_layers, runs, read_edge_layers),
        )
        known = read_published(given.published, KEYS), read_published(given.summaries, SUMMARIES)
        save(*draw(*tables, *known), snakemake.output)
