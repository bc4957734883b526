"""Coenen et al. (2019), table 1: word senses by nearest centroid, by layer, and after semantic probes.

Published figures are of all annotated words, most of which have one sense; ambiguous ones tell more.
"""

import pandas as pd

from headwork.papers.compare import shares
from headwork.papers.drawing.sheet import draw_sheet
from headwork.papers.item import save
from headwork.papers.notation import share
from headwork.papers.published import read_published
from headwork.papers.tables.geometry import read_semantic, read_senses
from headwork.papers.tables.readers import gather
from headwork.run.frame import job

KEYS = ("system", "key")
COLUMNS = ["ambiguous words", "all words", "untrained, amb.", "published"]


def draw(senses, semantic, published):
    """The table drawn, and its numbers: F1 of every system, run, and choice of words, beside the published."""
    table = _gathered(senses, semantic)
    theirs = published.rename(columns={"value": "published"}).astype({"key": str})
    # the paper's model has 12 layers, and only the last one's figure is given
    place = {(row["system"], row["key"]): row for _, row in theirs.iterrows()}
    rows = [["F1", *COLUMNS]]
    rows.append(["most frequent sense", *_cells(table, place, "most-frequent", "", "")])
    for layer in sorted({int(each) for each in senses["layer"].dropna()}):
        known = "12" if layer == senses["layer"].max() else None
        rows.append(
            [f"nearest centroid, layer {layer}", *_cells(table, place, "centroid", str(layer), known)]
        )
    last = str(int(senses["layer"].max()))
    rows.append([f"after the semantic probe, layer {last}", *_cells(table, place, "probe", last, "12")])
    rows.append(["ELMo", "–", "–", "–", share(place["elmo", ""]["published"])])
    block = len(rows)
    rows.append(
        ["semantic probe of dimension", "trained, amb.", "random, amb.", "trained, publ.", "random, publ."]
    )
    dimensions = {int(key) for system, key in place if system in ("trained", "random")} | set(
        semantic["dimension"]
    )
    for dimension in sorted(map(int, dimensions), reverse=True):
        ours = [_own(table, matrix, str(dimension), "ambiguous") for matrix in ("trained", "random")]
        known = [place.get((matrix, str(dimension))) for matrix in ("trained", "random")]
        cells = [share(row["published"]) if row is not None else "–" for row in known]
        rows.append([str(dimension), *(share(value) for value in ours), *cells])
    counts = table[table["trained"]].groupby("words")["n"].max()
    notes = [
        f"{counts['ambiguous']:.0f} ambiguous words, {counts['all']:.0f} annotated words in all. Published: all words.",
        "The probe is applied to the last layer's hidden states. Trained and random: means over seeds.",
    ]
    figure = draw_sheet(rows, [5.6, 2.7, 2.4, 2.7, 2.4], rules=(block, block + 1), notes=notes)
    merged = table.merge(_published_keys(theirs, last), on=["system", "key", "words"], how="left")
    columns = ["run", "label", "trained", "system", "key", "words", "ours", "low", "high", "sd", "n"]
    return figure, merged[[*columns, "published", "uncertainty", "source"]]


def _gathered(senses, semantic):
    """Both tables in one: `key` is the layer, or the dimension."""
    layers = senses.assign(key=[str(int(each)) if pd.notna(each) else "" for each in senses["layer"]])
    probes = semantic.assign(system=semantic["matrix"], key=semantic["dimension"].astype(int).astype(str))
    table = pd.concat([layers, probes], ignore_index=True)
    return shares(table.assign(trained=table["trained"].astype(bool)), "f1", "n")


def _published_keys(theirs, last):
    """Published rows under our keys: what is of their last layer stands beside ours."""
    own = theirs.assign(words="all", key=theirs["key"].where(theirs["key"] != "12", last))
    return own[["system", "key", "words", "published", "uncertainty", "source"]]


def _own(table, system, key, words, trained=True):
    rows = table[(table["system"] == system) & (table["key"] == key) & (table["words"] == words)]
    rows = rows[rows["trained"] == trained]
    return float("nan") if rows.empty else rows["ours"].iloc[0]


def _cells(table, place, system, key, known):
    """Ambiguous words with their interval, all words, ambiguous words of an untrained model, published."""
    rows = table[(table["system"] == system) & (table["key"] == key) & table["trained"]].set_index("words")
    first = rows.loc["ambiguous"]
    interval = f"{share(first['ours'])} [{share(first['low'])}, {share(first['high'])}]"
    untrained = _own(table, system, key, "ambiguous", trained=False)
    theirs = place.get((system, known)) if known is not None else None
    return [
        interval,
        share(rows.loc["all", "ours"]),
        share(untrained),
        share(theirs["published"]) if theirs is not None else "–",
    ]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given, runs = snakemake.input, snakemake.params.runs
        tables = gather(given.senses, runs, read_senses), gather(given.semantic, runs, read_semantic)
        save(*draw(*tables, read_published(given.published, KEYS)), snakemake.output)
