"""Raganato & Tiedemann (2018), table 3: what probes find in each layer of an encoder.

The published scores were not at hand; ours stand alone.
"""

import pandas as pd

from headwork.jobs import job
from headwork.papers.encoder_tables import read_tags
from headwork.papers.inside_encoders import known_tags
from headwork.papers.item import save
from headwork.papers.notation import share
from headwork.papers.sheet import draw_sheet
from headwork.papers.tables import gather

TASKS = {"pos": "parts of speech", "chunks": "chunks", "entities": "entities", "semantic": "semantic tags"}
KNOWN = "Published, over all tasks and layers: precision from 0.70 to 0.90, length errors from 0.02 to 0.50."
COLUMNS = ("linear", "decoder", "decoder_of_all", "length_errors")


def draw(tags):
    """The table drawn, and its numbers."""
    table = known_tags(tags)
    trained, control = (table[table["trained"] == flag] for flag in (True, False))
    rows = [[""] * 6, ["precision", "linear", "decoder", "of all words", "length errors", "linear"]]
    rules, bold = [], set()
    for task in dict.fromkeys(trained["task"]):
        own = trained[trained["task"] == task].sort_values("layer")
        rules.append(len(rows))
        rows.append([TASKS.get(task, task)])
        usual = share(own["most_frequent"].iloc[0])
        rows.append(["   most frequent tag", usual])
        layers = own[own["layer"] > 0]
        for _, row in own.iterrows():
            name = f"   layer {row['layer']}" if row["layer"] else "   embeddings"
            other = control[(control["task"] == task) & (control["layer"] == row["layer"])]["linear"]
            for column, key in enumerate(COLUMNS[:3], start=1):
                if row["layer"] and pd.notna(row[key]) and row[key] == layers[key].max():
                    bold.add((len(rows), column))
            last = share(other.iloc[0]) if len(other) else "–"
            rows.append([name, *(share(row[key]) for key in COLUMNS), last])
    notes = [
        f"Share of right tags, of {trained['n'].max():.0f} words at most. A linear probe sees one word; a decoder sees",
        "the sentence and writes all tags. Its precision is of sentences with the right number of tags, or of all",
        "words; length errors: the share of sentences with more or fewer tags than words. Bold: the best layer.",
        KNOWN,
    ]
    spans = [(0, 1, 4, trained["label"].iloc[0]), (0, 5, 5, "untrained")]
    figure = draw_sheet(
        rows, [3.8, 2.2, 2.2, 2.4, 2.6, 2.4], headings=2, spans=spans, rules=rules[1:], bold=bold, notes=notes
    )
    return figure, table


if "snakemake" in globals():
    with job(snakemake.log[0]):
        save(*draw(gather(snakemake.input.tags, snakemake.params.runs, read_tags)), snakemake.output)
