"""Gold dependency trees, and minimum spanning trees of the distances that probes predict.

Arcs of the gold tree are solid, others dotted and grey; below each name: how many of the gold tree's arcs are
predicted. Punctuation is left out. The sentences are those of the dev part for which the share of arcs
between adjacent words is closest to the mean, whatever the encoder. Published: not available as numbers.
"""

import pandas as pd

from headwork.studies import style

from .drawings import arc_key, draw_arcs, draw_words, word_places
from .tables import gold_arcs, predictions


def draw(spanning_trees, runs):
    """The figure; and every arc, gold or predicted, of every sentence and representation."""
    sentences = predictions(spanning_trees, runs)
    figure = style.new(style.PAGE, sum(0.9 + 1.45 * (1 + len(each["systems"])) for each in sentences))
    shown = []
    parts = figure.subfigures(len(sentences), 1, squeeze=False)[:, 0]
    for number, (part, sentence) in enumerate(zip(parts, sentences, strict=True), start=1):
        places, gold = word_places(sentence["words"]), gold_arcs(sentence)
        rows = [("gold", style.INK, gold)]
        systems = zip(sentence["systems"].items(), style.SERIES, strict=False)
        rows += [(name, colour, system["arcs"]) for (name, system), colour in systems]
        grid = part.subplots(len(rows) + 1, 1, height_ratios=[*[1] * len(rows), 0.35])
        for axes, (name, colour, arcs) in zip(grid, rows, strict=False):
            known = {frozenset(arc) for arc in gold}
            right = [frozenset(arc) in known for arc in arcs]
            label = name if name == "gold" else f"{name}\n{sum(right)} of {len(gold)}"
            draw_arcs(axes, places, arcs, gold, colour, label)
            words = [_words(sentence, arc) for arc in arcs]
            shown += [(number, name, *own, hit) for own, hit in zip(words, right, strict=True)]
        draw_words(grid[-1], places, sentence["words"])
    parts[-1].legend(handles=arc_key(), loc="outside lower center", ncols=2)
    columns = ["sentence", "representation", "place", "word", "other_place", "other_word", "gold"]
    return figure, pd.DataFrame(shown, columns=columns)


def _words(sentence, arc):
    one, other = sorted(arc)
    return one + 1, sentence["words"][one], other + 1, sentence["words"][other]
