"""Attention maps of all heads for one example of each of four tasks.

Rows of maps are layers, the lowest at the top; within a map, rows attend to columns. The csv lists the
tokens. Published: not available as numbers.
"""

import pandas as pd

from headwork.studies import style
from headwork.studies.drawing.maps import weights_table
from headwork.studies.drawing.panels import colour_bar


def draw(task_examples):
    """The figure and its weights: a block of layers by heads for each task."""
    firsts = task_examples.groupby("run", sort=False)["example"].min()
    chosen = task_examples[task_examples["example"] == task_examples["run"].map(firsts)]
    domains = list(chosen["domain"].unique())
    lines = -(-len(domains) // 2)
    figure, shown = style.new(style.PAGE, 8.4 * lines), []
    blocks = figure.subfigures(lines, 2, squeeze=False).flat
    for block, domain in zip(blocks, domains, strict=False):
        own = chosen[chosen["domain"] == domain]
        layers, heads = own["layer"].max(), own["number"].max()
        block.suptitle(f"{domain}: {len(own['pieces'].iloc[0])} tokens", fontsize=8)
        grid = block.subplots(layers, heads, squeeze=False)
        for row in own.itertuples():
            axes = grid[row.layer - 1][row.number - 1]
            image = axes.imshow(row.weights, cmap=style.HEAT, vmin=0, vmax=1, aspect="equal")
            axes.set(xticks=[], yticks=[])
            axes.set_title(f"{row.layer}-{row.number}", fontsize=5.5, pad=1.5)
            table = weights_table(row.pieces, row.weights)
            shown.append(table.assign(domain=domain, run=row.run, head=row.head))
        colour_bar(block, image, list(grid.flat), "attention weight", shrink=0.5)
    columns = ["domain", "run", "head", "query", "query_piece", "key", "key_piece", "weight"]
    return figure, pd.concat(shown)[columns]
