"""Accuracy of each class when adversarial triggers are inserted into its examples.

A trigger consists of the tokens at the two largest attributions in the most important head's map of one
example, inserted at the same relative positions. The {{ config.attribution.triggers.tried }} best triggers of
each run are tried. Controls: random tokens of similar frequency, and triggers found by attention. Published
values were recalled from the paper and verified by arithmetic (whole numbers of examples). The published
triggers are chosen on the examples they are scored on, ours on the other half.
"""

import textwrap
from collections import Counter
from itertools import accumulate

import pandas as pd

from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import share

from .tables import TOP, by_class, chosen_triggers

KEYS = ("domain", "gold", "row")
ROWS = {
    "clean": "without a trigger",
    **{f"attribution {rank}": f"trigger {rank}" for rank in range(1, TOP + 1)},
    "attribution change": "mean change",
    "attention change": "by attention, mean change",
    "random change": "random tokens, mean change",
}
SHORT = {"contradiction": "contra.", "entailment": "entail.", "not_entailment": "not ent."}
SHORT |= {"equivalent": "equiv.", "not_equivalent": "not eq."}
LETTERS = 6.8  # of a note, in a cm
NOTE = (
    "Accuracy, and its change. The three triggers that lower a class most are chosen on one half of dev and scored on "
    "the other; means over seeds. By attention: tokens of the largest weights. Random tokens: of similar frequency, at "
    "the positions of the triggers. Published triggers are chosen and scored on the same examples."
)


def draw(triggers, published):
    """The table drawn, and its numbers: by class, then every trigger chosen."""
    chosen = chosen_triggers(triggers)
    theirs = published.rename(columns={"value": "published"})
    table = by_class(chosen).merge(theirs, on=list(KEYS), how="left")
    classes = list(dict.fromkeys(zip(table["domain"], table["gold"], strict=True)))
    counts = Counter(domain for domain, _ in classes)
    cells = table.set_index(list(KEYS))
    rows = [[""] * (1 + len(classes)), ["", *(SHORT.get(gold, gold) for _, gold in classes)]]
    blocks = []
    for origin, column in (("this run", "value"), ("published", "published")):
        blocks.append(len(rows))
        rows.append([f"{origin}:"])
        for row, name in ROWS.items():
            found = [_cell(cells, (*place, row), column) for place in classes]
            if any(cell != "–" for cell in found):
                rows.append([name, *found])
    ends = accumulate(counts.values())
    spans = [(0, 1 + end - count, end, name) for (name, count), end in zip(counts.items(), ends, strict=True)]
    widths = [4.3, *[1.3] * len(classes)]
    notes = textwrap.wrap(NOTE, int(LETTERS * sum(widths)))
    figure = draw_sheet(rows, widths, headings=2, spans=spans, rules=[blocks[1]], notes=notes)
    return figure, pd.concat([table, chosen.rename(columns={"rank": "rank_in_class"}).assign(row="trigger")])


def _cell(cells, key, column):
    if key not in cells.index or pd.isna(cells.loc[key, column]):
        return "–"
    return share(cells.loc[key, column])
