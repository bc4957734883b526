"""Accuracy of linear probes that predict dependencies from the attention between two words.

The input of both logistic regressions is the weights between two words in all heads. One predicts whether a
dependency links them (as many pairs with as without), the other predicts its relation. Pairs without a
dependency are drawn from the same sentences; the paper does not say where it takes them from. Controls: the
distance between the words, without attention; labels drawn at random for each pair of word forms; attention
of the untrained model. *By sentence*: no sentence is in both training and test part; *by pair*: pairs are
split at random, as published.
"""

import pandas as pd

from headwork.studies.compare import beside, shares
from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import share

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


def draw(attention_probe, published):
    """The table drawn, and its numbers; of untrained models only what attention tells."""
    trained = attention_probe["trained"].astype(bool)
    own = attention_probe[trained | (attention_probe["features"] == "attention")]
    own = own.assign(features=own["features"].where(own["trained"].astype(bool), "untrained"))
    table = beside(shares(own, "accuracy", "n"), published, KEYS)
    table["order"] = table["features"].map({name: place for place, name in enumerate(NAMES)})
    table = table.sort_values(["task", "order", "split"], ignore_index=True)
    cells = table.set_index(["task", "features", "split"])
    rows = [[""] * 7, ["linear probe on", *("by sentence", "by pair", "published") * 2]]
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
