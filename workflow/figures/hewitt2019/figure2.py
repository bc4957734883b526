"""Hewitt and Manning (2019), figure 2: gold trees, and below minimum spanning trees of predicted distances.

Arcs of the gold tree are solid, others dotted. The sentences are those of the dev part on which a chain of words has
nearly its usual UUAS, whatever the encoder.
"""

import pandas as pd

from headwork.papers.drawing import style
from headwork.papers.drawing.trees.arcs import draw_arcs, draw_words, word_places
from headwork.papers.item import save
from headwork.papers.tables.encoders import read_json
from headwork.papers.views.probing import gold_arcs, predictions
from headwork.run.frame import job


def draw(examples, runs):
    """The figure; and every arc, gold or predicted, of every sentence and representation."""
    sentences = predictions(examples, runs)
    figure = style.new(style.PAGE, sum(0.9 + 1.45 * (1 + len(each["systems"])) for each in sentences))
    shown = []
    parts = figure.subfigures(len(sentences), 1, squeeze=False)[:, 0]
    for number, (part, sentence) in enumerate(zip(parts, sentences, strict=True), start=1):
        places, gold = word_places(sentence["words"]), gold_arcs(sentence)
        rows = [("gold", style.INK, gold)]
        rows += [
            (name, colour, system["arcs"])
            for (name, system), colour in zip(sentence["systems"].items(), style.SERIES, strict=False)
        ]
        grid = part.subplots(len(rows) + 1, 1, height_ratios=[*[1] * len(rows), 0.35])
        for axes, (name, colour, arcs) in zip(grid, rows, strict=False):
            known = {frozenset(arc) for arc in gold}
            right = [frozenset(arc) in known for arc in arcs]
            label = name if name == "gold" else f"{name}\n{sum(right)} of {len(gold)}"
            draw_arcs(axes, places, arcs, gold, colour, label)
            shown += [
                (number, name, *_words(sentence, arc), own) for arc, own in zip(arcs, right, strict=True)
            ]
        draw_words(grid[-1], places, sentence["words"])
    columns = ["sentence", "representation", "place", "word", "other_place", "other_word", "gold"]
    return figure, pd.DataFrame(shown, columns=columns)


def _words(sentence, arc):
    one, other = sorted(arc)
    return one + 1, sentence["words"][one], other + 1, sentence["words"][other]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        examples = [read_json(path) for path in snakemake.input.spanning_trees]
        save(*draw(examples, snakemake.params.runs), snakemake.output)
