"""Coenen et al. (2019), figure 2: trees with branches as long as squared distances, and 2-D projections of words.

Left: the true tree, every branch of length 1. Middle: the same, branches as long as hidden states have it. Right: the
first two principal components of the words under the structural probe; dotted pairs are closer than the sentence's mean
arc and are no arc.
"""

import numpy as np
import pandas as pd
from matplotlib.cm import ScalarMappable

from headwork.papers.drawing import style
from headwork.papers.drawing.trees.embedded import COLOURS, NORM, draw_lengths, draw_plane
from headwork.papers.item import save
from headwork.papers.tables.encoders import read_json
from headwork.papers.tables.geometry import read_embeddings
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

NAMES = {
    "states": "these hidden states",
    "random-branches": "random branches",
    "exact": "exact embedding",
    "random-points": "random points",
}


def draw(examples, embeddings):
    """The figure; and for every pair of words its distance in the tree, in the states, and whether it is an arc."""
    figure = style.new(style.PAGE, 2.1 + sum(0.46 * len(each["words"]) + 0.9 for each in examples))
    grid = figure.subplots(
        len(examples),
        3,
        squeeze=False,
        height_ratios=[len(each["words"]) for each in examples],
        width_ratios=[1, 1.35, 1.35],
    )
    shown = []
    for number, (row, example) in enumerate(zip(grid, examples, strict=True), start=1):
        distances, heads = np.array(example["distances"]), example["heads"]
        lengths = [distances[place, head - 1] if head else 0.0 for place, head in enumerate(heads)]
        draw_lengths(row[0], example["words"], heads, [1.0 if head else 0.0 for head in heads], None)
        draw_lengths(row[1], example["words"], heads, lengths, lengths)
        draw_plane(row[2], example, distances)
        if number == 1:
            titles = (
                "the tree",
                f"lengths by the hidden states of layer {example['layer']}",
                "2-D projection (PCA)",
            )
            for axes, title in zip(row, titles, strict=True):
                axes.set_title(title)
        shown.append(_pairs(number, example, distances))
    bar = figure.colorbar(ScalarMappable(NORM, COLOURS), ax=grid, location="bottom", shrink=0.4, aspect=40)
    own = embeddings.set_index("embedding")["spearman"]
    bar.set_label("squared distance of a dependent from its head (1: as in the tree)")
    kept = ", ".join(f"{text} {own[name]:.2f}" for name, text in NAMES.items())
    count = f"{embeddings['sentences'].iloc[0]:.0f} sentences"
    text = f"rank correlation of squared distances and tree distances, {count}:\n{kept}"
    figure.supxlabel(text, fontsize=7)
    return figure, pd.concat(shown, ignore_index=True)


def _pairs(number, example, distances):
    heads, words = example["heads"], example["words"]
    arcs = {(place, head - 1): example["relations"][place] for place, head in enumerate(heads) if head}
    rows = []
    for one, other in zip(*np.triu_indices(len(words), 1), strict=True):
        relation = arcs.get((one, other)) or arcs.get((other, one)) or ""
        pair = (one, words[one], other, words[other], relation, distances[one, other])
        rows.append((number, example["layer"], *pair))
    columns = [
        "sentence",
        "layer",
        "place",
        "word",
        "other_place",
        "other_word",
        "relation",
        "squared_distance",
    ]
    return pd.DataFrame(rows, columns=columns)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        embeddings = gather(snakemake.input.embeddings, snakemake.params.runs, read_embeddings)
        save(*draw(read_json(snakemake.input.tree_examples[0]), embeddings), snakemake.output)
