"""UAS of dependency trees induced from single heads, against branching and random baselines.

A head's word-level map (mean over the subword tokens of the query word, sum over those of the key word) is a
weighted graph; the induced tree is its maximum spanning arborescence (Chu-Liu/Edmonds) with the gold root.
Tokenisation is gold, so that UAS equals precision, recall and F1. Right-branching: the head of every word is
the next one; left-branching: the previous one; a word without that neighbour is attached to the root. Random:
trees from random weights. Punctuation counts; the csv also has scores without it. Published: not available as
numbers.
"""

import textwrap

from headwork.studies.drawing.panels import NOT_PUBLISHED
from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import share

from .tables import BASELINES, BEST, MEAN, WAYS, induced_trees, runs_in_order

FIRST, CELL = 3.0, 1.95  # cm
LETTERS = 7.6  # of the notes, a cm


def cell(rows):
    """A score, with its head if it is one head's."""
    if rows.empty:
        return "–"
    row = rows.iloc[0]
    head = f" ({row['layer']:.0f}-{row['head']:.0f})" if row["head"] == row["head"] else ""
    return f"{share(row['ours'])}{head}"


def draw(trees, branching):
    """The table drawn, with the heads it is of, and its numbers, those without punctuation too."""
    table = induced_trees(trees, branching)
    shown, runs = table[table["words"] == "all"], runs_in_order(trees)
    layers = [f"layer {layer}" for layer in sorted(trees["layer"].unique())]
    systems = [MEAN, *layers, BEST, *BASELINES]
    lines = [[""] * (1 + 2 * len(runs)), ["", *WAYS.values()] + [*WAYS.values()] * (len(runs) - 1)]
    spans = [(0, 1 + 2 * place, 2 + 2 * place, name) for place, (_, name) in enumerate(runs)]
    bold = set()
    for number, system in enumerate(systems, start=2):
        line = [system]
        for run, _ in runs:
            own = shown[(shown["run"] == run) & (shown["system"] == system)]
            if system in BASELINES:
                line += [cell(own), ""]
            else:
                line += [cell(own[own["direction"] == way]) for way in WAYS]
        lines.append(line)
        if system == BEST:
            bold = {(number, column) for column in range(1, len(line))}
    widths = [FIRST, *[CELL] * (2 * len(runs))]
    notes = textwrap.wrap(
        f"Unlabelled attachment score (UAS); {table['n'].max():.0f} words, gold root. For each layer, "
        "the best head (layer-head), chosen on the scored sentences. d→h: words attend to their syntactic head; "
        f"h→d: to their dependents; {NOT_PUBLISHED}.",
        int(LETTERS * sum(widths)),
    )
    rules = [1 + 1 + len(layers) + 2]
    return draw_sheet(lines, widths, headings=2, spans=spans, rules=rules, bold=bold, notes=notes), table
