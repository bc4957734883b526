"""Attention weight α against the norm ‖f(x)‖ of the transformed vector.

Left: mean weight and mean norm of [SEP] in every layer. Right: a dot is a pair of query and key token, by
class of the key. ρ is Spearman's correlation over a sample of pairs, the same for all heads, with all heads
pooled. Published: not available as numbers.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.layers import heads_and_means, layer_axis, layer_means
from headwork.studies.rows import where

CLASSES = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": ". or ,", "other": "other"}
LINES = {"pair-weight": ("mean weight α", style.SERIES[0]), "norm": ("mean norm ‖f(x)‖", style.SERIES[1])}


def draw(segments, pairs, correlations):
    """The figure: [SEP] layer by layer, and pairs of a query and a token of each class; and the numbers of both."""
    figure, shown = style.new(style.PAGE, 9.0), []
    lines = ("cls", "sep"), ("punctuation", "other")
    grid = figure.subplot_mosaic([["layers", "layers", *classes] for classes in lines])
    left = grid["layers"]
    right = left.twinx()
    for axes, (statistic, (name, colour)) in zip((left, right), LINES.items(), strict=True):
        own = where(segments, statistic=statistic, key="sep")
        heads_and_means(axes, own, colour, name)
        axes.set_ylabel(name, color=colour)
        axes.set_ylim(0, None)
        shown.append(layer_means(own).assign(what="layer", statistic=statistic, key="sep"))
    layer_axis(left, int(segments["layer"].max()))
    right.spines["right"].set_visible(True)
    left.set_title("[SEP], layer by layer")
    rho = where(correlations, statistic="weight-norm-rho").set_index("key")
    for key, name in CLASSES.items():
        axes, own = grid[key], pairs[pairs["class"] == key]
        look = {"color": style.SERIES[0], "markersize": 1.4, "alpha": 0.3, "markeredgewidth": 0}
        axes.plot(own["norm"], own["weight"], "o", rasterized=True, **look)
        known = f"ρ = {rho.loc[key, 'value']:.2f}" if key in rho.index else "no pairs"
        axes.set(xlabel="norm ‖f(x)‖", ylabel="weight α", xlim=(0, None), ylim=(0, 1))
        axes.set_title(f"{name}: {known}")
        if key in rho.index:
            row = {"value": rho.loc[key, "value"], "heads": rho.loc[key, "count"]}
            shown.append(pd.DataFrame([row | {"what": "pairs, rank correlation", "key": key}]))
    columns = ["what", "statistic", "key", "layer", "value", "low", "high", "heads"]
    return figure, pd.concat(shown)[columns].rename(columns={"heads": "n"})
