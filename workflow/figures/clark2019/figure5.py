"""Clark et al. (2019), figure 5: attention of the best heads for relations and coreference."""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.lines import line_map
from headwork.papers.item import save
from headwork.papers.tables.encoders import read_json
from headwork.run.frame import job

# the paper's own relations first; others take the places of those that a text does not have
ORDER = (
    "obj",
    "det",
    "nmod:poss",
    "aux:pass",
    "obl",
    "coreference",
    "amod",
    "nsubj",
    "advmod",
    "case",
    "aux",
)
PANELS = 6


def draw(examples):
    """The figure and its weights: a panel a relation; the arcs of the relation are of another colour.

    Each word's weights are drawn relative to the largest of them, since a word may give most of its attention to tokens
    that are not shown.
    """
    first = {}
    for example in examples:
        first.setdefault(example["relation"], example)
    chosen = [name for name in ORDER if name in first][:PANELS]
    if "coreference" in first and "coreference" not in chosen:
        chosen[-1] = "coreference"
    figure, shown = style.new(style.PAGE, 6.4 * -(-len(chosen) // 3)), []
    grid = list(figure.subplots(-(-len(chosen) // 3), 3, squeeze=False).flat)
    for axes in grid[len(chosen) :]:
        axes.remove()
    for axes, name in zip(grid, chosen, strict=False):
        example = first[name]
        reverse = example["direction"] == "head-to-dependent"
        marked = {(head, word) if reverse else (word, head) for word, head in example["arcs"]}
        relative = [[weight / (max(row) or 1) for weight in row] for row in example["weights"]]
        line_map(axes, example["words"], relative, style.SERIES[0], marked)
        axes.set_title(f"{name}, {example['direction'].replace('-', ' ')}\n{example['head']}", fontsize=7.5)
        words = example["words"]
        cells = [
            (name, example["head"], query, words[query], key, words[key], (query, key) in marked, weight)
            for query, row in enumerate(example["weights"])
            for key, weight in enumerate(row)
        ]
        columns = ["relation", "head", "query", "query_word", "key", "key_word", "of_the_relation", "weight"]
        shown.append(pd.DataFrame(cells, columns=columns))
    return figure, pd.concat(shown)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(*draw(read_json(snakemake.input.word_examples[0])), snakemake.output)
