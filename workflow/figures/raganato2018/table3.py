"""Raganato & Tiedemann (2018), table 3: accuracy of probes in each layer of an encoder.

Of the published scores only their range over all tasks and layers is known.
"""

import pandas as pd

from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import share
from headwork.papers.published import read_published
from headwork.papers.tables.encoders import read_tags
from headwork.papers.tables.readers import gather
from headwork.papers.views.translation_encoders import known_tags
from headwork.run.frame import job

KEYS = ("measure", "end")
TASKS = {"pos": "parts of speech", "chunks": "chunks", "entities": "entities", "semantic": "semantic tags"}
COLUMNS = ("linear", "decoder", "decoder_of_all", "length_errors")


def draw(tags, published):
    """The table drawn, and its numbers."""
    table = known_tags(tags)
    ends = published.assign(measure=published["measure"].str.replace("-", "_"))
    known = {measure: rows.set_index("end")["value"] for measure, rows in ends.groupby("measure")}
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
        f"Share of correct tags, over at most {trained['n'].max():.0f} words. The linear probe tags one word; the",
        "decoder generates all tags of a sentence. Its precision is over sentences with the right number of tags, or",
        "over all words. Length errors: the share of sentences with more or fewer tags than words. Bold: best layer.",
        "Published, over all tasks and layers: precision from {precision[lowest]:.2f} to {precision[highest]:.2f}, "
        "length errors from {length_errors[lowest]:.2f} to {length_errors[highest]:.2f}.".format(**known),
    ]
    spans = [(0, 1, 4, trained["label"].iloc[0]), (0, 5, 5, "untrained")]
    figure = draw_sheet(
        rows, [3.8, 2.2, 2.2, 2.4, 2.6, 2.4], headings=2, spans=spans, rules=rules[1:], bold=bold, notes=notes
    )
    return figure, pd.concat([table, published.assign(label="published, all tasks and layers", trained=True)])


if "snakemake" in globals():
    with job(snakemake.log[0]):
        tags = gather(snakemake.input.tags, snakemake.params.runs, read_tags)
        save(*draw(tags, read_published(snakemake.input.published, KEYS)), snakemake.output)
