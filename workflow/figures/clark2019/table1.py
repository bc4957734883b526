"""Clark et al. (2019), table 1: the best head of each dependency relation against the best fixed offset.

Labels are those of Universal Dependencies; a published number stands beside one that is on the same arcs as
a label of Stanford's.
"""

from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import share
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_heads, read_offsets
from headwork.papers.tables.readers import gather
from headwork.papers.views.encoders import relations_found
from headwork.run.frame import job

KEYS = ("relation", "quantity")
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
    spans, widths = (
        [(0, 1, 6, "this run"), (0, 7, 8, "published")],
        [3.6, 1.1, 1.1, 1.5, 1.6, 1.7, 2.1, 1.6, 1.3],
    )
    return draw_sheet(rows, widths, headings=2, spans=spans, bold=bold, notes=notes), table


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = gather(given.words, runs, read_heads), gather(given.offsets, runs, read_offsets)
        save(*draw(*tables, read_published(given.published, KEYS)), snakemake.output)
