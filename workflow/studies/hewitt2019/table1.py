"""Dependency trees and depths that structural probes read off word representations.

The distance probe is a linear map under which squared distances are trained to be tree distances, the depth
probe one under which squared norms are trained to be depths. *UUAS*: share of gold arcs in the minimum
spanning tree of the distances. *DSpr*, *NSpr*: Spearman correlation of distances, and of depths, averaged
over sentences of one length, then over lengths 5 to 50. *root*: share of sentences whose least deep word is
the root. UUAS and root leave out punctuation. Encoders are shown by the layer with the highest UUAS on a
tenth of the training sentences. *Word embeddings* have neither context nor position; *decayed embeddings* are
their mean weighted by 2 to the power of minus the distance. *Permuted trees* is our control: probes trained
and scored on trees whose words have changed places. Rank of the probes: {{
config.representations.structural.probe.rank or "full" }}.
"""

import pandas as pd

from headwork.studies.compare import beside
from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import share

from .tables import ENCODER, MEASURES, test_rows

KEYS = ("representation", "measure")
# ours -> the published row that it stands beside
THEIRS = {"linear": "Linear", "embeddings": "ELMo0", "decayed": "Decay0"}
NAMES = {"linear": "linear chain", "embeddings": "word embeddings", "decayed": "decayed embeddings"}
DECIMALS = {"uuas": 3, "dspr": 2, "root": 3, "nspr": 2}  # as published
PAPER = ("Linear", "ELMo0", "Decay0", "Proj0", "ELMo1", "BERTbase7", "BERTlarge15", "BERTlarge16")


def draw(structural_probes, published):
    """The table drawn, and its numbers with their intervals, beside the published ones."""
    table = beside(_chosen(structural_probes), published, KEYS)
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
    encoder, trained = rows["domain"] == ENCODER, rows["trained"]
    states = (rows["representation"] == "states") & rows["chosen"].astype(bool)
    named = [(rows["representation"] == name, text) for name, text in NAMES.items()]
    parts = [rows[encoder & trained & own].assign(name=text) for own, text in named]
    permuted, objectives = rows["representation"] == "permuted", rows[~encoder & states]
    for own, name in (
        (rows[encoder & states & ~trained], "untrained encoder"),
        (rows[encoder & states & trained], "encoder"),
        (rows[encoder & trained & permuted], "permuted trees"),
        (objectives, objectives["pair"].where(objectives["trained"], "their untrained encoder")),
    ):
        parts.append(own.assign(name=name + own["layer"].map(", layer {:.0f}".format)))
    table = pd.concat(parts, ignore_index=True).rename(columns={"value": "ours"})
    return table.assign(representation=table["representation"].replace(THEIRS))
