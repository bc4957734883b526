"""Coenen et al. (2019), table 2: precision and recall of the attention probe for each dependency relation.

The published values are not available as numbers; the paper has 30 relations of Stanford Dependencies.
"""

import textwrap

from headwork.papers.compare import shares
from headwork.papers.drawing.scales import NOT_PUBLISHED
from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import share
from headwork.papers.tables.geometry import read_relations
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

LETTERS = 68  # of a line of the notes


def draw(relations):
    """The table drawn, most frequent relations first, and its numbers."""
    recall = shares(relations, "recall", "n")[["low", "high"]].add_prefix("recall_")
    precision = shares(relations, "precision", "predicted")[["low", "high"]].add_prefix("precision_")
    table = relations.join(recall).join(precision).sort_values(["n", "relation"], ascending=[False, True])
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


if "snakemake" in globals():
    with job(snakemake.log[0]):
        relations = gather(snakemake.input.attention_relations, snakemake.params.runs, read_relations)
        save(*draw(relations), snakemake.output)
