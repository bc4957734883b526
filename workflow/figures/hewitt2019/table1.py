"""Hewitt and Manning (2019), table 1: trees and depths that structural probes read off word representations.

Of hidden states the layer with the highest UUAS on validation sentences is shown.
"""

import pandas as pd

from headwork.papers.compare import beside
from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import share
from headwork.papers.published import read_published
from headwork.papers.tables.probing import MEASURES, read_structural_probes
from headwork.papers.tables.readers import gather
from headwork.papers.views.probing import test_rows
from headwork.run.frame import job

KEYS = ("representation", "measure")
# ours -> the published row that it stands beside
THEIRS = {"linear": "Linear", "embeddings": "ELMo0", "decayed": "Decay0"}
NAMES = {
    "linear": "linear chain",
    "embeddings": "word embeddings",
    "decayed": "decayed embeddings",
    "permuted": "permuted trees",
}
ENCODER = "Penn Treebank"
DECIMALS = {"uuas": 3, "dspr": 2, "root": 3, "nspr": 2}  # as published
PAPER = ("Linear", "ELMo0", "Decay0", "Proj0", "ELMo1", "BERTbase7", "BERTlarge15", "BERTlarge16")


def draw(scores, published):
    """The table drawn, and its numbers with their intervals, beside the published ones."""
    table = beside(_chosen(scores), published, KEYS)
    rows = [["", *MEASURES.values()]]
    for name, own in table.groupby("name", sort=False):
        cells = own.set_index("measure")
        rows.append([name, *(_with_interval(cells.loc[each]) for each in MEASURES)])
    block = len(rows)
    rows.append(["published", *[""] * len(MEASURES)])
    known = published.set_index(list(KEYS))["value"]
    for name in PAPER:
        rows.append([f"  {name}", *(share(known[name, each], DECIMALS[each]) for each in MEASURES)])
    counts = table.drop_duplicates("measure").set_index("measure")["n"]
    notes = [
        f"UUAS of {counts['uuas']:.0f} arcs, root of {counts['root']:.0f} sentences, Spearman correlations "
        f"(DSpr, NSpr) of {counts['dspr']:.0f} sentences of 5 to 50 words.",
        "95 % intervals by bootstrap over sentences. Proj0 is an untrained BiLSTM, our untrained encoder the same "
        "model with random weights.",
        "Published layers are counted from 0, without the embeddings: BERTbase7 is the output of layer 8.",
    ]
    figure = draw_sheet(rows, [5.4, 3.7, 3.7, 3.7, 3.7], rules=(block, block + 1), notes=notes)
    columns = ["run", "domain", "pair", "trained", "name", "representation", "layer", "rank", "measure"]
    return figure, table[[*columns, "ours", "low", "high", "n", "published", "uncertainty", "source"]]


def _with_interval(row):
    return f"{share(row['ours'])} [{share(row['low'])}, {share(row['high'])}]"


def _chosen(scores):
    """Rows in the table's order: baselines, untrained, the encoder, the control, encoders of the objectives."""
    rows = test_rows(scores).assign(trained=scores["trained"].astype(bool))
    encoder = rows["domain"] == ENCODER
    states = (rows["representation"] == "states") & rows["chosen"].astype(bool)
    layer = [f"layer {each:.0f}" if pd.notna(each) else "" for each in rows["layer"]]
    named = rows.assign(where=layer)
    parts = [
        named[encoder & rows["trained"] & (rows["representation"] == name)].assign(name=text)
        for name, text in NAMES.items()
        if name != "permuted"
    ]
    parts += [
        own.assign(name=[f"{start}, {each}" for each in own["where"]])
        for start, own in (
            ("untrained encoder", named[encoder & states & ~rows["trained"]]),
            ("encoder", named[encoder & states & rows["trained"]]),
            ("permuted trees", named[encoder & rows["trained"] & (rows["representation"] == "permuted")]),
        )
    ]
    objectives = named[~encoder & states]
    parts.append(
        objectives.assign(
            name=[
                f"{pair if trained else 'their untrained encoder'}, {each}"
                for pair, trained, each in zip(
                    objectives["pair"], objectives["trained"], objectives["where"], strict=True
                )
            ]
        )
    )
    table = pd.concat(parts, ignore_index=True)
    return table.rename(columns={"value": "ours"}).assign(
        representation=table["representation"].replace(THEIRS)
    )


if "snakemake" in globals():
    with job(snakemake.log[0]):
        scores = gather(snakemake.input.structural_probes, snakemake.params.runs, read_structural_probes)
        save(*draw(scores, read_published(snakemake.input.published, KEYS)), snakemake.output)
