"""Coenen et al. (2019), table 2: precision and recall of the attention probe for each dependency relation.

The published values were not to be had; the paper has 30 relations of Stanford Dependencies.
"""

from headwork.jobs import job
from headwork.papers.compare import shares
from headwork.papers.geometry_tables import read_relations
from headwork.papers.item import save
from headwork.papers.notation import percent
from headwork.papers.sheet import draw_sheet
from headwork.papers.tables import gather


def draw(relations):
    """The table drawn, most frequent relations first, and its numbers."""
    recall = shares(relations, "recall", "n")[["low", "high"]].add_prefix("recall_")
    precision = shares(relations, "precision", "predicted")[["low", "high"]].add_prefix("precision_")
    table = relations.join(recall).join(precision).sort_values(["n", "relation"], ascending=[False, True])
    rows = [["relation", "n", "precision, %", "recall, %", "F1, %"]]
    for _, row in table.iterrows():
        both = row["precision"] + row["recall"]
        f1 = 2 * row["precision"] * row["recall"] / both if both else 0.0
        found = percent(row["precision"], 1) if row["predicted"] else "–"
        rows.append([row["relation"], f"{row['n']:.0f}", found, percent(row["recall"], 1), percent(f1, 1)])
    notes = [
        "Linear probe on attention, split by sentence.",
        "–: the probe never gives that label.",
    ]
    columns = ["run", "label", "relation", "precision", "precision_low", "precision_high", "predicted"]
    figure = draw_sheet(rows, [3.0, 1.6, 2.2, 2.2, 1.6], notes=notes)
    return figure, table[[*columns, "recall", "recall_low", "recall_high", "n"]]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        relations = gather(snakemake.input.attention_relations, snakemake.params.runs, read_relations)
        save(*draw(relations), snakemake.output)
