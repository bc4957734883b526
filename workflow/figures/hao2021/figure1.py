"""Hao et al. (2021), figure 1: attention and attribution map of one head.

At the right, ours: what attributions by each quadrature lack of F(A) - F(0), against its number of nodes.
"""

import numpy as np
import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.scales import colour_bar
from headwork.papers.item import save
from headwork.papers.notation import head_name
from headwork.papers.tables.attribution import read_completeness, read_quadrature
from headwork.papers.tables.encoders import read_json
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

LETTER = 96  # the height of a map, pt
PLACES = ["query", "query_piece", "key", "key_piece"]
MAPS = ("attention", "attribution")
UNITS = ("weight", "change of P(gold)")
RULES = {
    "right": "right sum (paper)",
    "left": "left sum (released code)",
    "midpoint": "midpoint",
    "gauss": "Gauss-Legendre",
}


def draw(examples, quadrature, completeness):
    """The figure; the table has the weights of both maps, then what each quadrature lacks."""
    example = examples[0]
    figure = style.new(style.PAGE, 7.4)
    panels = figure.subplots(1, 3, width_ratios=[1, 1, 0.75])
    pieces, shown = example["pieces"], []
    size = min(5.8, LETTER / len(pieces))
    for axes, name in zip(panels, MAPS, strict=False):
        weights = np.array(example[name])
        most = np.abs(weights).max()
        signed = name == "attribution"
        colours = "RdBu" if signed else style.HEAT
        image = axes.imshow(weights, cmap=colours, vmin=-most if signed else 0, vmax=most, aspect="equal")
        axes.set_xticks(range(len(pieces)), pieces, rotation=90, fontsize=size)
        axes.set_yticks(range(len(pieces)), pieces, fontsize=size)
        axes.tick_params(length=0)
        axes.set_title(f"{name}, {head_name(example['layer'], example['head'])}")
        bar = colour_bar(figure, image, axes, UNITS[signed], location="bottom", shrink=0.6)
        bar.ax.tick_params(labelsize=6)
        cells = [
            (name, query, pieces[query], key, pieces[key], weight)
            for query, row in enumerate(weights.tolist())
            for key, weight in enumerate(row)
        ]
        shown.append(pd.DataFrame(cells, columns=["panel", *PLACES, "value"]))
    panels[0].set_ylabel(f"query token (gold: {example['gold']})")
    lacking = incomplete(quadrature)
    for (rule, name), colour in zip(RULES.items(), style.SERIES, strict=False):
        own = lacking[lacking["rule"] == rule]
        panels[2].plot(
            own["steps"], own["value"], "o-", color=colour, markersize=2.5, linewidth=1, label=name
        )
    panels[2].set(
        xscale="log", yscale="log", xlabel="nodes", title="completeness error", ylabel="share of F(A) − F(0)"
    )
    panels[2].set_xticks(sorted(lacking["steps"].unique()), map(str, sorted(lacking["steps"].unique())))
    panels[2].yaxis.set_major_formatter("{x:g}")
    panels[2].minorticks_off()
    panels[2].grid(axis="y", color=style.PALE, linewidth=0.6)
    figure.legend(*panels[2].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    shown.append(lacking.assign(panel="completeness"))
    summary = (
        completeness.assign(lack=completeness["missing"].abs())
        .groupby("layer")
        .agg(
            value=("lack", "mean"), change=("change", lambda values: values.abs().mean()), n=("lack", "size")
        )
    )
    shown.append(summary.reset_index().assign(panel="all examples, as measured"))
    columns = ["panel", *PLACES, "rule", "steps", "layer", "value", "change", "n"]
    return figure, pd.concat(shown)[columns]


def incomplete(quadrature):
    """rule, steps, value: the mean of what is missing, as a share of the mean change."""
    sizes = quadrature.assign(missing=quadrature["missing"].abs(), change=quadrature["change"].abs())
    sums = sizes.groupby(["rule", "steps"])[["missing", "change"]].mean()
    n = sizes.groupby(["rule", "steps"]).size().rename("n")
    # a quadrature may be exact to the last digit, which a logarithm cannot show
    return (
        (sums["missing"] / sums["change"]).clip(lower=1e-6).rename("value").to_frame().join(n).reset_index()
    )


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = (
            gather(given.quadrature, runs, read_quadrature),
            gather(given.completeness, runs, read_completeness),
        )
        save(*draw(read_json(given.maps[0]), *tables), snakemake.output)
