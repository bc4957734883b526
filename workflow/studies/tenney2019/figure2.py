"""Mixing weights of the layers, and differential scores, of every task.

Solid bars are the weights of the scalar mix of all layers, outlined bars the gain in F1 when a layer is added
to the mix, as a share of all absolute changes. *K(s)*, *K(δ)*: Kullback-Leibler divergence of either from the
uniform distribution, in bits; for K(δ) negative gains count as 0, as in the authors' notebook. Published
divergences are those of BERT-base.
"""

import pandas as pd
from matplotlib.patches import Patch

from headwork.studies import style
from headwork.studies.drawing.panels import empty_panel, same_y

from .drawings import GRAVITY, NAMES, NEGATIVE, order, weight_bars


def draw(edge_probes, edge_layers, published, summaries):
    """The figure, a column a run; and F1, difference and mixing weight of every task and layer, then the published."""
    tasks = order(set(edge_probes["task"]))
    runs = list(dict.fromkeys(edge_probes["run"]))
    figure = style.new(style.PAGE, 1.6 + 2.0 * len(tasks))
    grid = figure.subplots(len(tasks), len(runs), squeeze=False)
    for column, run in enumerate(runs):
        own = edge_probes[edge_probes["run"] == run]
        known = edge_layers[edge_layers["run"] == run].set_index(["task", "quantity"])["value"]
        for axes, task in zip(grid[:, column], tasks, strict=True):
            rows = own[own["task"] == task].sort_values("layer")
            if rows.empty:
                empty_panel(axes, "n/a")
                continue
            weight_bars(axes, rows)
            title = _divergences(known, summaries, task, bool(own["trained"].iloc[0]))
            axes.set_title(title, fontsize=5.5, pad=2)
        first = own.iloc[0]
        name = f"{first['label']}" + ("" if first["trained"] else " (untrained)")
        look = {"xycoords": "axes fraction", "ha": "center", "fontsize": 7}
        grid[0, column].annotate(name, (0.5, 1.75), **look)
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
    rows = edge_probes.sort_values(["run", "task", "layer"], kind="stable")
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
