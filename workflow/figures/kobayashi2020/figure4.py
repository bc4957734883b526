"""Kobayashi et al. (2020), figure 4: attention weights against norms of the transformed vectors."""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.layers import heads_and_means, layer_axis, layer_means
from headwork.papers.item import save
from headwork.papers.tables.encoders import read_correlations, read_heads, read_pairs
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

CLASSES = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": ". or ,", "other": "other"}
LINES = {"pair-weight": ("mean weight α", style.SERIES[0]), "norm": ("mean norm ‖f(x)‖", style.SERIES[1])}


def draw(statistics, pairs, correlations):
    """The figure: [SEP] layer by layer, and pairs of a query and a token of each class; and the numbers of both."""
    figure, shown = style.new(style.PAGE, 9.0), []
    grid = figure.subplot_mosaic(
        [["layers", "layers", "cls", "sep"], ["layers", "layers", "punctuation", "other"]]
    )
    left = grid["layers"]
    right = left.twinx()
    for axes, (statistic, (name, colour)) in zip((left, right), LINES.items(), strict=True):
        own = statistics[(statistics["statistic"] == statistic) & (statistics["key"] == "sep")]
        heads_and_means(axes, own, colour, name)
        axes.set_ylabel(name, color=colour)
        axes.set_ylim(0, None)
        shown.append(layer_means(own).assign(what="layer", statistic=statistic, key="sep"))
    layer_axis(left, int(statistics["layer"].max()))
    right.spines["right"].set_visible(True)
    left.set_title("[SEP], layer by layer")
    rho = correlations[correlations["statistic"] == "weight-norm-rho"].set_index("key")
    for key, name in CLASSES.items():
        axes, own = grid[key], pairs[pairs["class"] == key]
        axes.plot(
            own["norm"],
            own["weight"],
            "o",
            color=style.SERIES[0],
            markersize=1.4,
            rasterized=True,
            alpha=0.3,
            markeredgewidth=0,
        )
        known = f"ρ = {rho.loc[key, 'value']:.2f}" if key in rho.index else "no pairs"
        axes.set(
            title=f"{name}: {known}", xlabel="norm ‖f(x)‖", ylabel="weight α", xlim=(0, None), ylim=(0, 1)
        )
        if key in rho.index:
            row = {"value": rho.loc[key, "value"], "heads": rho.loc[key, "count"]}
            shown.append(pd.DataFrame([row | {"what": "pairs, rank correlation", "key": key}]))
    columns = ["what", "statistic", "key", "layer", "value", "low", "high", "heads"]
    return figure, pd.concat(shown)[columns].rename(columns={"heads": "n"})


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        statistics = gather(given.segments, runs, read_heads)
        pairs = gather(given.pairs, runs, read_pairs)
        save(*draw(statistics, pairs, gather(given.correlations, runs, read_correlations)), snakemake.output)
