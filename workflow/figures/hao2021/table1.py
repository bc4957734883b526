"""Hao et al. (2021), table 1: accuracy of every class with adversarial triggers."""

import textwrap

import pandas as pd

from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import share
from headwork.papers.published import read_published
from headwork.papers.tables.attribution import read_triggers
from headwork.papers.tables.readers import gather
from headwork.papers.views.attributions import TOP, by_class, chosen_triggers
from headwork.run.frame import job

KEYS = ("domain", "gold", "row")
ROWS = {
    "clean": "without a trigger",
    **{f"attribution {rank}": f"trigger {rank}" for rank in range(1, TOP + 1)},
    "attribution change": "mean change",
    "attention change": "by attention, mean change",
    "random change": "random tokens, mean change",
}
SHORT = {
    "contradiction": "contra.",
    "entailment": "entail.",
    "neutral": "neutral",
    "not_entailment": "not ent.",
    "equivalent": "equiv.",
    "not_equivalent": "not eq.",
}

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
    domains = [domain for domain, _ in classes]
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
    spans = [
        (0, 1 + domains.index(domain), len(domains) - domains[::-1].index(domain), domain)
        for domain in dict.fromkeys(domains)
    ]
    widths = [4.3, *[1.3] * len(classes)]
    notes = textwrap.wrap(NOTE, int(LETTERS * sum(widths)))
    figure = draw_sheet(rows, widths, headings=2, spans=spans, rules=[blocks[1]], notes=notes)
    return figure, pd.concat([table, chosen.rename(columns={"rank": "rank_in_class"}).assign(row="trigger")])


def _cell(cells, key, column):
    if key not in cells.index or pd.isna(cells.loc[key, column]):
        return "–"
    return share(cells.loc[key, column])


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given = snakemake.input
        triggers = gather(given.triggers, snakemake.params.runs, read_triggers)
        save(*draw(triggers, read_published(given.published, KEYS)), snakemake.output)
