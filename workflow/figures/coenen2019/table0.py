"""Coenen et al. (2019), section 3: accuracy of linear probes on attention for dependencies, with controls."""

import pandas as pd

from headwork.papers.compare import beside, shares
from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import share
from headwork.papers.published import read_published
from headwork.papers.tables.geometry import read_attention
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("task", "features")
NAMES = {
    "majority": "most frequent label",
    "distance": "distance between the words, no attention",
    "random-labels": "attention, random labels of pairs of forms",
    "untrained": "attention of an untrained model",
    "attention": "attention of all heads",
    "both-directions": "attention of all heads, both directions",
}
TASKS = ("exists", "relation")


def draw(attention, published):
    """The table drawn, and its numbers; of untrained models only what attention tells."""
    trained = attention["trained"].astype(bool)
    own = attention[trained | (attention["features"] == "attention")]
    own = own.assign(features=own["features"].where(own["trained"].astype(bool), "untrained"))
    table = beside(shares(own, "accuracy", "n"), published, KEYS)
    table["order"] = table["features"].map({name: place for place, name in enumerate(NAMES)})
    table = table.sort_values(["task", "order", "split"], ignore_index=True)
    cells = table.set_index(["task", "features", "split"])
    rows = [
        ["", *[""] * 6],
        ["linear probe on", *("by sentence", "by pair", "published") * 2],
    ]
    for name, text in NAMES.items():
        row = [text]
        for task in TASKS:
            if (task, name, "sentence") not in cells.index:
                row += ["–"] * 3
                continue
            one, other = (cells.loc[(task, name, split)] for split in ("sentence", "pair"))
            row += [_with_spread(one), _with_spread(other), share(one["published"])]
        rows.append(row)
    chosen = table[table["split"] == "sentence"].drop_duplicates("task").set_index("task")
    counts = [f"{chosen.loc[task, 'n']:.0f} pairs" for task in TASKS]
    notes = [
        f"Accuracy, mean and standard deviation over splits; {counts[0]} scored on, and {counts[1]} in "
        f"{chosen.loc['relation', 'labels']:.0f} relations.",
        "The published split is by pairs. Random labels: one for each pair of word forms.",
    ]
    spans = [(0, 1, 3, "depends or not"), (0, 4, 6, "by which relation")]
    figure = draw_sheet(rows, [6.1, *(2.4, 2.4, 1.7) * 2], headings=2, spans=spans, notes=notes)
    columns = ["run", "label", "task", "split", "features", "labels", "ours", "sd", "low", "high", "n"]
    return figure, table[[*columns, "published", "uncertainty", "source"]]


def _with_spread(row):
    spread = "" if pd.isna(row["sd"]) or row["sd"] == 0 else f" ± {share(row['sd'])}"
    return share(row["ours"]) + spread


if "snakemake" in globals():
    with job(snakemake.log[0]):
        attention = gather(snakemake.input.attention_probe, snakemake.params.runs, read_attention)
        save(*draw(attention, read_published(snakemake.input.published, KEYS)), snakemake.output)
