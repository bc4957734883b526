"""Importance of every head in one task against that in another, with their correlation.

Importance: the largest attribution in a head's map, averaged over {{ config.attribution.examples }} examples
of {{ "dev" if config.attribution.leak else "train" }} and over seeds. Intervals of Pearson's r: bootstrap
over seeds and examples; p: one-sided permutation test over heads. The csv also has Spearman's correlation and
the correlation between seeds of one task, an upper bound for that between tasks. Published: not available as
numbers.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.notation import head_name

from .tables import HEAD, across_tasks

COLUMNS = 3


def draw(importance):
    """The figure, a panel a pair of tasks, a dot a head; the table has the dots, then the correlations."""
    own = importance[importance["measure"] == "attribution"]
    values = own.pivot_table("value", HEAD, "domain")
    found = across_tasks(importance)
    pairs = found[found["first"] != found["second"]]
    figure = style.new(style.PAGE, 4.9 * max(1, -(-len(pairs) // COLUMNS)))
    grid = style.panels(figure, len(pairs), COLUMNS)
    layers = values.index.get_level_values("layer")
    for axes, (_, pair) in zip(grid, pairs.iterrows(), strict=True):
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
