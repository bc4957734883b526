"""Precision and recall of the attention probe for each dependency relation.

The probe is the relation classifier of the table of section 3.1, scored on the split by sentence. Labels are
those of Universal Dependencies; the paper has 30 relations of Stanford Dependencies. Relations that the probe
never predicts are listed below the table. Published: not available as numbers.
"""

import textwrap

from headwork.studies.compare import shares
from headwork.studies.drawing.panels import NOT_PUBLISHED
from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import share

LETTERS = 68  # of a line of the notes


def draw(attention_relations):
    """The table drawn, most frequent relations first, and its numbers."""
    table = attention_relations
    for name, count in (("recall", "n"), ("precision", "predicted")):
        table = table.join(shares(attention_relations, name, count)[["low", "high"]].add_prefix(f"{name}_"))
    table = table.sort_values(["n", "relation"], ascending=[False, True])
    rows = [["relation", "n", "precision", "recall", "F1"]]
    never = table[table["recall"] == 0]
    for _, row in table[table["recall"] > 0].iterrows():
        f1 = 2 * row["precision"] * row["recall"] / (row["precision"] + row["recall"])
        numbers = map(share, (row["precision"], row["recall"], f1))
        rows.append([row["relation"], f"{row['n']:.0f}", *numbers])
    names = ", ".join(f"{row['relation']} ({row['n']:.0f})" for _, row in never.iterrows())
    told = f"Never predicted (F1 0), with n: {names}. " if names else ""
    notes = textwrap.wrap(f"{told}Linear probe on attention, split by sentence; {NOT_PUBLISHED}.", LETTERS)
    columns = ["run", "label", "relation", "precision", "precision_low", "precision_high", "predicted"]
    figure = draw_sheet(rows, [3.0, 1.6, 2.2, 2.2, 1.6], notes=notes)
    return figure, table[[*columns, "recall", "recall_low", "recall_high", "n"]]
