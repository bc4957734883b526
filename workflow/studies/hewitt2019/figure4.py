"""Distances between all words of a sentence: gold tree distances, and squared distances under the distance
probe.

The sentence is the first of figure 2. Published: not available as numbers.
"""

import numpy as np
import pandas as pd

from headwork.representations.geometry.tree_embeddings import path_lengths
from headwork.studies import style
from headwork.studies.drawing.panels import colour_bar

from .tables import predictions


def draw(spanning_trees, runs):
    """The figure, of the first sentence; and the distance of any two words: gold and predicted."""
    sentence = predictions(spanning_trees, runs)[0]
    words, gold = sentence["words"], path_lengths(sentence["heads"])
    systems = sentence["systems"].items()
    matrices = {"gold": gold} | {name: np.array(system["distances"]) for name, system in systems}
    figure = style.new(style.PAGE, 7.2)
    panels = figure.subplots(1, len(matrices))
    for place, (axes, (name, matrix)) in enumerate(zip(panels, matrices.items(), strict=True)):
        image = axes.imshow(matrix, cmap="Blues_r", vmin=0, vmax=gold.max())
        axes.set_title(name if name == "gold" else name.replace(", ", "\n"), fontsize=7)
        axes.set_xticks(range(len(words)), words, rotation=90, fontsize=5.5)
        axes.set_yticks(range(len(words)), words if place == 0 else [], fontsize=5.5)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    what, place = "arcs (gold); squared distance (predicted)", {"location": "bottom", "fraction": 0.05}
    colour_bar(figure, image, list(panels), what, pad=0.04, **place)
    rows = [
        (one + 1, words[one], other + 1, words[other], name, matrix[one, other], gold[one, other])
        for name, matrix in matrices.items()
        if name != "gold"
        for one, other in zip(*np.triu_indices(len(words), 1), strict=True)
    ]
    columns = ["place", "word", "other_place", "other_word", "representation", "predicted", "gold"]
    return figure, pd.DataFrame(rows, columns=columns)
