"""Hao et al. (2021), figure 5: attribution trees of one example per task."""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.trees.attribution import draw_tree
from headwork.papers.item import save
from headwork.papers.tables.attribution import read_tree_answers
from headwork.papers.tables.encoders import read_json
from headwork.papers.tables.readers import gather
from headwork.papers.views.attributions import answers_kept
from headwork.run.frame import job


def draw(examples, answers):
    """The figure; `examples` are those of each run. The table has edges, then how often answers stay."""
    kept = answers_kept(answers)
    domains = list(dict.fromkeys(answers["domain"]))
    figure = style.new(style.PAGE, 5.6 * -(-len(domains) // 2) if len(domains) > 1 else 6.0)
    grid = list(figure.subplots(-(-len(domains) // 2), min(2, len(domains)), squeeze=False).flat)
    for axes in grid[len(domains) :]:
        axes.remove()
    shown = []
    for axes, domain, own in zip(grid, domains, examples, strict=False):
        example = own[0]
        draw_tree(axes, example)
        shares = kept[kept["domain"] == domain].set_index("edges")["share"]
        told = f"predictions preserved: tree {shares['tree']:.2f}, random edges {shares['random']:.2f}"
        axes.set_title(f"{domain}: {example['predicted']}\n{told}", fontsize=6.5)
        rows = pd.DataFrame(example["edges"])
        for name in ("reader", "read"):
            rows[f"{name}_piece"] = [example["pieces"][place] for place in rows[name]]
        shown.append(rows.assign(domain=domain, example=example["example"], predicted=example["predicted"]))
    columns = [
        "domain",
        "example",
        "predicted",
        "layer",
        "reader",
        "reader_piece",
        "read",
        "read_piece",
        "score",
    ]
    kept = kept.rename(columns={"edges": "answers_with"})
    return figure, pd.concat([pd.concat(shown)[columns], kept])


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given = snakemake.input
        answers = gather(given.tree_answers, snakemake.params.runs, read_tree_answers)
        save(*draw([read_json(path) for path in given.attribution_trees], answers), snakemake.output)
