"""For each dependency relation, the accuracy of the best head and direction, and of the best fixed offset.

Relations are those of Universal Dependencies here and of Stanford Dependencies in the paper; a published
value is shown where both cover the same arcs. d→h: the word that the dependent attends to most; h→d: the word
that attends most to the dependent. *Split-half*: the head is chosen on one half of the sentences and scored
on the other. The published values for auxpass (0.825 against 0.405) disagree with the authors' notebook
(0.941 against 0.825) and are probably an error of transcription.
"""

from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import share

from .tables import relations_found

MANY = 20  # rows that are drawn; the csv has all
WAYS = {"dependent-to-head": "d→h", "head-to-dependent": "h→d"}


def draw(words, offsets, published):
    """The table drawn, and its numbers: every relation of 100 words or more."""
    table = relations_found(words, offsets, published)
    shown = table.head(MANY)
    names = [
        "relation",
        "n",
        "head",
        "direction",
        "accuracy",
        "split-half",
        "best offset",
        "accuracy",
        "offset",
    ]
    rows = [[""] * len(names), names]
    for _, row in shown.iterrows():
        theirs = "" if row["stanford"] in ("", row["relation"]) else f" ({row['stanford']})"
        ours = [share(row[name]) for name in ("accuracy", "split_half")]
        offset = f"{share(row['baseline'])} ({row['offset']:+d})"
        known = [share(row[f"published_{name}"]) for name in ("accuracy", "baseline")]
        place = [f"{row['n']:.0f}", f"{row['layer']}-{row['head']}", WAYS[row["direction"]]]
        rows.append([row["relation"] + theirs, *place, *ours, offset, *known])
    bold = {(place, 4) for place, holds in enumerate(shown["accuracy"] > shown["baseline"] + 0.1, 2) if holds}
    notes = [
        "Bold: 0.1 above the best fixed offset. Heads are chosen on the sentences they are",
        "scored on; split-half: chosen on one half, scored on the other. In brackets: the Stanford label.",
    ]
    spans = [(0, 1, 6, "this run"), (0, 7, 8, "published")]
    widths = [3.6, 1.1, 1.1, 1.5, 1.6, 1.7, 2.1, 1.6, 1.3]
    return draw_sheet(rows, widths, headings=2, spans=spans, bold=bold, notes=notes), table
