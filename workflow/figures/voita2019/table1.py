"""Voita et al. (2019), table 1: the best head's accuracy per relation and direction against the positional baseline.

News and subtitles, ours beside the published; below, the BLEU of the models and the persons of the subjects.
"""

import pandas as pd

from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import SYNTACTIC, long, share
from headwork.papers.published import read_published
from headwork.papers.tables.readers import gather, read_functions, read_persons, read_scores
from headwork.papers.views.accuracies import KEYS, accuracies, bleu, persons_of_subjects
from headwork.run.frame import job


def shares(*values):
    """``0.74 / 0.72``; a dash for what is not known."""
    return " / ".join(share(value, 2) for value in values)


def draw(functions, persons, scores, published):
    """The table drawn, and its numbers."""
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


if "snakemake" in globals():
    with job(snakemake.log[0]):
        runs, given = snakemake.params.runs, snakemake.input
        functions = gather(given.functions, runs, read_functions)
        persons, scores = gather(given.persons, runs, read_persons), gather(given.scores, runs, read_scores)
        save(*draw(functions, persons, scores, read_published(given.published, KEYS)), snakemake.output)
