"""Unlabelled attachment score (UAS) of probes, in ascending order.

Probes are trained for one epoch on gold trees and scored on other sentences. Word vectors are learned on the
model's training text, unless the config names a file of GloVe vectors. *Attention of random layers*: all
weights except the embeddings are redrawn at random.
"""

from headwork.studies.compare import beside, shares
from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import share

KEYS = ("probe",)
NAMES = {
    "right-branching": "right-branching",
    "distances-and-words": "distances and word vectors",
    "random-attention-and-words": "attention of random layers, and word vectors",
    "attention": "attention",
    "attention-and-words": "attention and word vectors",
}


def draw(probes, published):
    table = beside(shares(probes, "uas", "n"), published, KEYS)
    table = table[table["probe"].isin(NAMES)].sort_values("ours", kind="stable", ignore_index=True)
    rows = [["", "this run", "published"]]
    for _, row in table.iterrows():
        ours = f"{share(row['ours'])} [{share(row['low'])}, {share(row['high'])}]"
        rows.append([NAMES[row["probe"]], ours, share(row["published"], 2)])
    notes = [
        f"Unlabelled attachment score; {table['n'].max():.0f} words, without punctuation. The published probes are",
        "trained on the Penn Treebank, with GloVe vectors.",
    ]
    figure = draw_sheet(rows, [7.0, 3.4, 2.2], notes=notes)
    columns = ["run", "label", "probe", "ours", "low", "high", "n", "published", "uncertainty", "source"]
    return figure, table[columns]
