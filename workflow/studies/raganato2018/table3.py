"""Accuracy of probes for parts of speech, chunks, entities and semantic tags in each layer of a frozen encoder.

The linear probe tags a word from its vector. The decoder probe, as in the paper, is one decoder layer that
attends to all subword tokens and generates the tag sequence, which may be too long or too short.
*Embeddings*: the input of layer 1. *Untrained*: the same encoder before training. Without gold semantic tags,
rules derive them from the tree and the entities (``headwork.parses.semantic_tags``).
"""

import pandas as pd

from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import share
from headwork.studies.rows import where

from .tables import known_tags

TASKS = {"pos": "parts of speech", "chunks": "chunks", "entities": "entities", "semantic": "semantic tags"}
COLUMNS = ("linear", "decoder", "decoder_of_all", "length_errors")


def draw(tags, published):
    table = known_tags(tags)
    ends = published.assign(measure=published["measure"].str.replace("-", "_"))
    known = {measure: rows.set_index("end")["value"] for measure, rows in ends.groupby("measure")}
    trained, control = (table[table["trained"] == flag] for flag in (True, False))
    rows = [[""] * 6, ["precision", "linear", "decoder", "of all words", "length errors", "linear"]]
    rules, bold = [], set()
    for task in dict.fromkeys(trained["task"]):
        own = where(trained, task=task).sort_values("layer")
        rules.append(len(rows))
        rows += [[TASKS.get(task, task)], ["   most frequent tag", share(own["most_frequent"].iloc[0])]]
        layers = own[own["layer"] > 0]
        for _, row in own.iterrows():
            name = f"   layer {row['layer']}" if row["layer"] else "   embeddings"
            other = where(control, task=task, layer=row["layer"])["linear"]
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
    widths = [3.8, 2.2, 2.2, 2.4, 2.6, 2.4]
    figure = draw_sheet(rows, widths, headings=2, spans=spans, rules=rules[1:], bold=bold, notes=notes)
    return figure, pd.concat([table, published.assign(label="published, all tasks and layers", trained=True)])
