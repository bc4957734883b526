"""Kovaleva et al. (2019), figure 10 (appendix): the maps of all heads for one example of each of four tasks."""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.scales import colour_bar
from headwork.papers.item import save
from headwork.papers.tables.tasks import read_shown
from headwork.run.frame import job


def draw(examples):
    """The figure and its weights: a block of layers by heads for each task."""
    firsts = examples.groupby("run", sort=False)["example"].min()
    chosen = examples[examples["example"] == examples["run"].map(firsts)]
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
            cells = [
                (domain, row.run, row.head, query, row.pieces[query], key, row.pieces[key], weight)
                for query, weights in enumerate(row.weights)
                for key, weight in enumerate(weights)
            ]
            columns = ["domain", "run", "head", "query", "query_piece", "key", "key_piece", "weight"]
            shown.append(pd.DataFrame(cells, columns=columns))
        colour_bar(block, image, list(grid.flat), "attention weight", shrink=0.5)
    return figure, pd.concat(shown)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(*draw(read_shown(snakemake.input.task_examples, snakemake.params.runs)), snakemake.output)
