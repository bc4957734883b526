"""Attention and attribution map of the most important head of a fine-tuned model, for one example.

Attribution: contribution of each attention weight to the probability of the gold label, by integrated
gradients from zero attention. The example is the one, among short ones answered correctly, in which this head
is most important. Right (this project's own check): the difference between the sum of attributions and the
change of the probability that a layer's maps make, by quadrature rule and number of nodes, on a few examples.
Measurements use {{ config.attribution.attribution.rule }} nodes, and more where completeness requires it; the
csv has the difference over all examples by layer. Published: not available as numbers.
"""

import numpy as np
import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.maps import weights_table
from headwork.studies.drawing.panels import colour_bar
from headwork.studies.notation import head_name
from headwork.studies.rows import where

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


def draw(maps, quadrature, completeness):
    """The figure; the table has the weights of both maps, then what each quadrature lacks."""
    example = maps[0][0]
    figure = style.new(style.PAGE, 7.4)
    *panels, right = figure.subplots(1, 3, width_ratios=[1, 1, 0.75])
    pieces, shown = example["pieces"], []
    size = min(5.8, LETTER / len(pieces))
    for axes, name in zip(panels, MAPS, strict=True):
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
        table = weights_table(pieces, weights.tolist()).rename(columns={"weight": "value"})
        shown.append(table.assign(panel=name))
    panels[0].set_ylabel(f"query token (gold: {example['gold']})")
    lacking = incomplete(quadrature)
    for (rule, name), colour in zip(RULES.items(), style.SERIES, strict=False):
        own, look = where(lacking, rule=rule), {"color": colour, "markersize": 2.5, "linewidth": 1}
        right.plot(own["steps"], own["value"], "o-", label=name, **look)
    right.set(xscale="log", yscale="log", xlabel="nodes", ylabel="share of F(A) − F(0)")
    right.set_title("completeness error")
    steps = sorted(lacking["steps"].unique())
    right.set_xticks(steps, map(str, steps))
    right.yaxis.set_major_formatter("{x:g}")
    right.minorticks_off()
    right.grid(axis="y", color=style.PALE, linewidth=0.6)
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    shown.append(lacking.assign(panel="completeness"))
    sizes = completeness.assign(value=completeness["missing"].abs(), change=completeness["change"].abs())
    summary = sizes.groupby("layer").agg(
        value=("value", "mean"), change=("change", "mean"), n=("value", "size")
    )
    shown.append(summary.reset_index().assign(panel="all examples, as measured"))
    columns = ["panel", *PLACES, "rule", "steps", "layer", "value", "change", "n"]
    return figure, pd.concat(shown)[columns]


def incomplete(quadrature):
    """rule, steps, value: the mean of what is missing, as a share of the mean change."""
    sizes = quadrature.assign(missing=quadrature["missing"].abs(), change=quadrature["change"].abs())
    groups = sizes.groupby(["rule", "steps"])
    means = groups[["missing", "change"]].mean()
    # a quadrature may be exact to the last digit, which a logarithm cannot show
    value = (means["missing"] / means["change"]).clip(lower=1e-6)
    return pd.DataFrame({"value": value, "n": groups.size()}).reset_index()
