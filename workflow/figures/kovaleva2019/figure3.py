"""Kovaleva et al. (2019), figure 3: attention of each head along predicate-argument links.

Left: the mean over sentences of the strongest link from a core argument to its predicate. Right: the two best heads in
one sentence; links are of another colour. Of trees without roles (Universal Dependencies) nothing can be shown.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.grids import head_grid
from headwork.papers.drawing.lines import line_map
from headwork.papers.drawing.scales import colour_bar, heat_range
from headwork.papers.item import save
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_heads, read_json
from headwork.papers.tables.readers import gather
from headwork.papers.views.tasks import of_statistic
from headwork.run.frame import job

ROLE = "role"


def draw(statistics, examples, published):
    """The figure and its numbers: origin, layer, head, value, count."""
    rows = of_statistic(statistics, ROLE)
    shown = [example for example in examples if example["relation"] == ROLE][:2]
    figure = style.new(style.PAGE, 6.6 if len(rows) else 1.5)
    if rows.empty:
        figure.text(0.5, 0.5, "The trees of this text have no semantic roles.", ha="center", va="center")
    else:
        _show(figure, rows, shown)
    theirs = published.rename(columns={"quantity": "key"}).assign(origin="published")
    ours = rows.assign(origin="this run")
    ranked = rows["value"].sort_values(ascending=False).to_numpy()
    best = pd.DataFrame(
        {"origin": "this run", "key": ["highest", "second"][: len(ranked)], "value": ranked[:2]}
    )
    columns = ["origin", "key", "layer", "head", "value", "count", "uncertainty", "source"]
    return figure, pd.concat([ours, best, theirs])[columns]


def _show(figure, rows, shown):
    first, *others = figure.subplots(1, 3)
    image = head_grid(first, rows, "attention along predicate-\nargument links", *heat_range(rows["value"]))
    first.set(xlabel="head", ylabel="layer")
    colour_bar(
        figure, image, first, "mean of the largest weight on a link", orientation="horizontal", pad=0.05
    )
    for axes, example in zip(others, shown, strict=False):
        marked = {tuple(arc) for arc in example["arcs"]}
        line_map(axes, example["words"], example["weights"], style.SERIES[0], marked)
        axes.set_title(example["head"])
    for axes in others[len(shown) :]:
        axes.remove()


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given = snakemake.input
        table = gather(given.words, snakemake.params.runs, read_heads)
        published = read_published(given.published, ("quantity",))
        save(*draw(table, read_json(given.word_examples[0]), published), snakemake.output)
