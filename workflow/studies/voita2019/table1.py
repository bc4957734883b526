"""For each relation and direction, the accuracy of the best encoder head and, after the stroke, the positional
baseline (the share of the most common offset).

Accuracy is the share of instances in which the head's largest weight from one word is on the other. Bold: the
head exceeds the baseline by enough to count as syntactic. The best head is chosen on the same instances, as
in the paper. BLEU is on the test set, with its bootstrap interval (signature in the csv). The published BLEU
is the unpruned model's in figure 7 of the paper, on other test sets with another scorer, and not comparable.
The last row is the paper's footnote on the grammatical person of subjects. Published values have two digits
and are taken from reading notes of the paper.
"""

import pandas as pd

from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import SYNTACTIC, long, share

from .tables import accuracies, bleu, persons_of_subjects


def shares(*values):
    """``0.74 / 0.72``; a dash for what is not known."""
    return " / ".join(share(value, 2) for value in values)


def draw(functions, persons, scores, published):
    accuracy = accuracies(functions, SYNTACTIC, published)
    subjects, quality = persons_of_subjects(persons, published), bleu(scores, published)
    runs = list(dict.fromkeys(accuracy["run"]))
    rows = [["", *[""] * 3 * len(runs)], ["", *["head", "this run", "published"] * len(runs)]]
    rows += [[f"{name.split('/')[1]}  {long(name)}"] for name in SYNTACTIC]
    rows += [["BLEU"], ["1st / 2nd / 3rd person"]]
    bold, spans = set(), []
    for number, run in enumerate(runs):
        own = accuracy[accuracy["run"] == run]
        spans.append((0, 3 * number + 1, 3 * number + 3, ", ".join(own[["domain", "label"]].iloc[0])))
        for place, (_, row) in enumerate(own.iterrows(), start=2):
            name = "–" if pd.isna(row["head"]) else row["head"].removeprefix("encoder ")
            ours, theirs = (row["ours"], row["baseline"]), (row["published"], row["published_baseline"])
            rows[place] += [name, shares(*ours), shares(*theirs)]
        bold |= {(place, 3 * number + 2) for place, holds in enumerate(own["holds"].eq(True), 2) if holds}
        score = quality[quality["run"] == run].iloc[0]
        theirs = "–" if pd.isna(score["published"]) else f"{score['published']:.1f}"
        rows[-2] += ["", f"{score['ours']:.1f} [{score['low']:.1f}, {score['high']:.1f}]", theirs]
        people = subjects[subjects["run"] == run].sort_values("key")
        rows[-1] += ["", shares(*people["ours"]), shares(*people["published"])]
    notes = [
        "Accuracy of the best encoder head / positional baseline; bold: above it by the margin of a syntactic head.",
        f"This run: n from {accuracy['n'].min():.0f} to {accuracy['n'].max():.0f}; 95 % intervals are in the csv.",
    ]
    widths, rules = [4.1, *[1.1, 2.9, 2.5] * len(runs)], (4, 6, 8, 10)
    figure = draw_sheet(rows, widths, headings=2, spans=spans, rules=rules, bold=bold, notes=notes)
    return figure, pd.concat([accuracy, quality, subjects])
