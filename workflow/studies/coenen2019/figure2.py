"""Dependency trees drawn from the squared distances of words under the structural probe, beside the gold trees.

The linear map is trained on other sentences (structural probe of Hewitt and Manning 2019), on the layer with
the highest UUAS. The sentences are those of the dev part with a score closest to the mean. *2-D projection*:
the first two principal components. Dotted lines join pairs of words that are closer than the mean arc but not
linked by an arc. If squared distances equalled tree distances, every arc would be white and of length 1.
Published: not available as numbers.
"""

import numpy as np
import pandas as pd
from matplotlib.cm import ScalarMappable

from headwork.studies import style

from .drawings import COLOURS, NORM, draw_lengths, draw_plane

NAMES = {
    "states": "these hidden states",
    "random-branches": "random branches",
    "exact": "exact embedding",
    "random-points": "random points",
}


def draw(tree_examples, embeddings):
    """The figure; and for every pair of words its distance in the tree, in the states, and whether it is an arc."""
    examples = tree_examples[0]
    counts = [len(each["words"]) for each in examples]
    figure = style.new(style.PAGE, 2.1 + sum(0.46 * count + 0.9 for count in counts))
    ratios = {"height_ratios": counts, "width_ratios": [1, 1.35, 1.35]}
    grid = figure.subplots(len(examples), 3, squeeze=False, **ratios)
    shown = []
    for number, (row, example) in enumerate(zip(grid, examples, strict=True), start=1):
        distances, heads = np.array(example["distances"]), example["heads"]
        lengths = [distances[place, head - 1] if head else 0.0 for place, head in enumerate(heads)]
        draw_lengths(row[0], example["words"], heads, [1.0 if head else 0.0 for head in heads], False)
        draw_lengths(row[1], example["words"], heads, lengths, True)
        draw_plane(row[2], example, distances)
        if number == 1:
            lengths_of = f"lengths by the hidden states of layer {example['layer']}"
            for axes, title in zip(row, ("the tree", lengths_of, "2-D projection (PCA)"), strict=True):
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
    columns = ["sentence", "layer", "place", "word", "other_place", "other_word", "relation"]
    return pd.DataFrame(rows, columns=[*columns, "squared_distance"])
