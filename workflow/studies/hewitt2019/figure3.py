"""Depths of words in the gold tree, and squared norms under the depth probe.

The sentences are those of figure 2. Published: not available as numbers.
"""

import pandas as pd

from headwork.studies import style

from .drawings import depth_lines
from .tables import gold_depths, predictions


def draw(spanning_trees, runs):
    """The figure, and the depth of every word: gold and predicted."""
    sentences = predictions(spanning_trees, runs)
    figure = style.new(style.PAGE, 0.8 + 5.2 * len(sentences))
    panels = figure.subplots(len(sentences), 1, squeeze=False)[:, 0]
    rows = []
    for number, (axes, sentence) in enumerate(zip(panels, sentences, strict=True), start=1):
        gold, systems = gold_depths(sentence), zip(sentence["systems"].items(), style.SERIES, strict=False)
        lines = [(name, colour, system["depths"]) for (name, system), colour in systems]
        depth_lines(axes, sentence["words"], gold, lines)
        for place, (word, depth) in enumerate(zip(sentence["words"], gold, strict=True)):
            rows += [(number, place + 1, word, name, depths[place], depth) for name, _, depths in lines]
    figure.legend(handles=panels[0].get_legend_handles_labels()[0], loc="outside lower center", ncols=4)
    columns = ["sentence", "place", "word", "representation", "predicted", "gold"]
    return figure, pd.DataFrame(rows, columns=columns)
