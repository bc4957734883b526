"""F1 of word-sense disambiguation by nearest centroid in every layer, and after semantic probes of decreasing
dimension.

A centroid is the mean hidden state of a sense's words in the training part; a test word is given the sense
whose centroid has the highest cosine. F1 as in Raganato et al. (2017). Published values are for their
training set (SemCor) and test sets. The semantic probe is a linear map trained to bring contexts of one sense
together and contexts of two senses apart; *random* is the Gaussian map that its training starts from.
"""

import pandas as pd

from headwork.studies.compare import shares
from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.notation import share
from headwork.studies.rows import where

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
        cells = _cells(table, place, "centroid", str(layer), known)
        rows.append([f"nearest centroid, layer {layer}", *cells])
    last = str(int(senses["layer"].max()))
    rows.append([f"after the semantic probe, layer {last}", *_cells(table, place, "probe", last, "12")])
    rows.append(["ELMo", "–", "–", "–", share(place["elmo", ""]["published"])])
    block = len(rows)
    names = [f"{matrix}, {words}" for words in ("amb.", "publ.") for matrix in ("trained", "random")]
    rows.append(["semantic probe of dimension", *names])
    dimensions = {int(key) for system, key in place if system in ("trained", "random")}
    for dimension in sorted(dimensions | set(map(int, semantic["dimension"])), reverse=True):
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
    rows = where(table, system=system, key=key, words=words, trained=trained)
    return float("nan") if rows.empty else rows["ours"].iloc[0]


def _cells(table, place, system, key, known):
    """Ambiguous words with their interval, all words, ambiguous words of an untrained model, published."""
    rows = where(table, system=system, key=key, trained=True).set_index("words")
    first = rows.loc["ambiguous"]
    interval = f"{share(first['ours'])} [{share(first['low'])}, {share(first['high'])}]"
    untrained = _own(table, system, key, "ambiguous", trained=False)
    theirs = place.get((system, known)) if known is not None else None
    published = share(theirs["published"]) if theirs is not None else "–"
    return [interval, share(rows.loc["all", "ours"]), share(untrained), published]
