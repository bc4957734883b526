"""Hao et al. (2021), figure 4: importance of heads in one task against another"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.item import save
from headwork.papers.notation import head_name
from headwork.papers.tables.attribution import read_importance
from headwork.papers.tables.readers import gather
from headwork.papers.views.attributions import HEAD, across_tasks
from headwork.run.frame import job

COLUMNS = 3


def draw(importance):
    """The figure, a panel a pair of tasks, a dot a head; the table has the dots, then the correlations."""
    own = importance[importance["measure"] == "attribution"]
    values = own.pivot_table("value", HEAD, "domain")
    found = across_tasks(importance)
    pairs = found[found["first"] != found["second"]]
    rows = max(1, -(-len(pairs) // COLUMNS))
    figure = style.new(style.PAGE, 4.9 * rows)
    grid = list(figure.subplots(rows, COLUMNS, squeeze=False).flat)
    for axes in grid[len(pairs) :]:
        axes.remove()
    layers = values.index.get_level_values("layer")
    for axes, (_, pair) in zip(grid, pairs.iterrows(), strict=False):
        first, second = values[pair["first"]], values[pair["second"]]
        for layer in sorted(set(layers)):
            chosen = layers == layer
            colour = style.SERIES[(layer - 1) % len(style.SERIES)]
            axes.plot(first[chosen], second[chosen], "o", color=colour, markersize=3, label=f"layer {layer}")
        axes.set(xlabel=f"importance, {pair['first']}", ylabel=f"importance, {pair['second']}")
        interval = f"[{pair['low']:.2f}, {pair['high']:.2f}]"
        axes.set_title(f"r = {pair['pearson']:.2f} {interval}, p = {pair['p']:.3f}", fontsize=6.5)
    if len(pairs):
        handles = grid[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=min(6, len(handles[0])))
    heads = values.reset_index()
    heads.insert(0, "unit", [head_name(*place) for place in zip(heads["layer"], heads["head"], strict=True)])
    return figure, pd.concat([found.assign(unit="pair of tasks"), heads.drop(columns=HEAD)])


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(
            *draw(gather(snakemake.input.importance, snakemake.params.runs, read_importance)),
            snakemake.output,
        )
