"""Hewitt and Manning (2019), figure 4: distances between all words of a sentence, gold and predicted."""

import numpy as np
import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.scales import colour_bar
from headwork.papers.item import save
from headwork.papers.tables.encoders import read_json
from headwork.papers.views.probing import gold_distances, predictions
from headwork.run.frame import job


def draw(examples, runs):
    """The figure, of the first sentence; and the distance of any two words: gold and predicted."""
    sentence = predictions(examples, runs)[0]
    words, gold = sentence["words"], gold_distances(sentence)
    matrices = {"gold": gold} | {
        name: np.array(system["distances"]) for name, system in sentence["systems"].items()
    }
    figure = style.new(style.PAGE, 7.2)
    panels = figure.subplots(1, len(matrices))
    for place, (axes, (name, matrix)) in enumerate(zip(panels, matrices.items(), strict=True)):
        image = axes.imshow(matrix, cmap="Blues_r", vmin=0, vmax=gold.max())
        axes.set_title(name if name == "gold" else name.replace(", ", "\n"), fontsize=7)
        axes.set_xticks(range(len(words)), words, rotation=90, fontsize=5.5)
        axes.set_yticks(range(len(words)), words if place == 0 else [], fontsize=5.5)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    colour_bar(
        figure,
        image,
        list(panels),
        "arcs (gold); squared distance (predicted)",
        location="bottom",
        fraction=0.05,
        pad=0.04,
    )
    rows = [
        (one + 1, words[one], other + 1, words[other], name, matrix[one, other], gold[one, other])
        for name, matrix in matrices.items()
        if name != "gold"
        for one, other in zip(*np.triu_indices(len(words), 1), strict=True)
    ]
    columns = ["place", "word", "other_place", "other_word", "representation", "predicted", "gold"]
    return figure, pd.DataFrame(rows, columns=columns)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        examples = [read_json(path) for path in snakemake.input.spanning_trees]
        save(*draw(examples, snakemake.params.runs), snakemake.output)
