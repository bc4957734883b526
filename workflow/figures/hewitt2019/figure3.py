"""Hewitt and Manning (2019), figure 3: gold depths of words, and squared norms under the depth probe."""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.probing import depth_lines
from headwork.papers.item import save
from headwork.papers.tables.encoders import read_json
from headwork.papers.views.probing import gold_depths, predictions
from headwork.run.frame import job


def draw(examples, runs):
    """The figure, and the depth of every word: gold and predicted."""
    sentences = predictions(examples, runs)
    figure = style.new(style.PAGE, 0.8 + 5.2 * len(sentences))
    panels = figure.subplots(len(sentences), 1, squeeze=False)[:, 0]
    rows = []
    for number, (axes, sentence) in enumerate(zip(panels, sentences, strict=True), start=1):
        gold, systems = gold_depths(sentence), sentence["systems"]
        lines = [
            (name, colour, system["depths"])
            for (name, system), colour in zip(systems.items(), style.SERIES, strict=False)
        ]
        depth_lines(axes, sentence["words"], gold, lines)
        for place, (word, depth) in enumerate(zip(sentence["words"], gold, strict=True)):
            rows += [(number, place + 1, word, name, depths[place], depth) for name, _, depths in lines]
    figure.legend(handles=panels[0].get_legend_handles_labels()[0], loc="outside lower center", ncols=4)
    columns = ["sentence", "place", "word", "representation", "predicted", "gold"]
    return figure, pd.DataFrame(rows, columns=columns)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        examples = [read_json(path) for path in snakemake.input.spanning_trees]
        save(*draw(examples, snakemake.params.runs), snakemake.output)
