"""Made-up tables of what encoders know of trees and senses, whose numbers can be checked in the head."""

import pandas as pd
from made_up_encoder import LABELS

TREES = LABELS | {"domain": "Penn Treebank"}
SENSES = LABELS | {"domain": "SemCor"}
UNTRAINED = {"run": "bert-untrained", "trained": False}


def labelled(rows, columns, labels=TREES):
    return pd.DataFrame(rows, columns=columns).assign(**labels)


def attention_probe(trained=0.8, untrained=0.55, by_pair=0.0):
    columns = ["task", "split", "features", "accuracy", "sd", "labels", "n"]
    parts = []
    for labels, own in ((TREES, trained), (TREES | UNTRAINED, untrained)):
        values = {
            "attention": own,
            "both-directions": own,
            "distance": 0.7,
            "random-labels": 0.5,
            "majority": 0.5,
        }
        rows = [
            (task, split, name, value + (by_pair if split == "pair" else 0), 0.01, labels_, 2000)
            for task, labels_ in (("exists", 2), ("relation", 25))
            for split in ("sentence", "pair")
            for name, value in values.items()
        ]
        parts.append(labelled(rows, columns, labels))
    return pd.concat(parts, ignore_index=True)


def structural(best=0.8):
    rows = [("trained", layer, best - 0.1 * abs(layer - 1), 0.7, 1000, 100) for layer in range(3)]
    rows += [("random", layer, 0.3, 0.3, 1000, 100) for layer in range(3)]
    rows.append(("adjacent", None, 0.4, 0.5, 1000, 100))
    return labelled(rows, ["probe", "layer", "uuas", "spearman", "arcs", "sentences"])


def edges(apart=1.0):
    """Three relations whose mean lengths are `apart` from each other, and one too rare to be shown."""
    rows = [("obj", 1.0, 0.3, 100), ("aux:pass", 1.0 + apart, 0.3, 50), ("advcl", 1.0 + 2 * apart, 0.3, 50)]
    return labelled([*rows, ("nmod", 9.0, 1.0, 3)], ["relation", "mean", "sd", "n"])


def embeddings():
    rows = [("exact", 1.0, 0.0, 100), ("random-branches", 0.95, 0.2, 100), ("random-points", 0.2, 1.1, 100)]
    return labelled([*rows, ("states", 0.8, 0.5, 100)], ["embedding", "spearman", "error", "sentences"])


def senses(steps=(0.5, 0.7, 0.8)):
    columns = ["system", "layer", "words", "precision", "recall", "f1", "right", "n"]
    parts = []
    for labels, f1s in ((SENSES, steps), (SENSES | UNTRAINED, [0.5] * len(steps))):
        rows = []
        for words, count, most in (("all", 4000, 0.9), ("ambiguous", 1000, 0.6)):
            scores = [("most-frequent", None, most), *(("centroid", n, f1) for n, f1 in enumerate(f1s))]
            scores.append(("probe", len(f1s) - 1, f1s[-1] + 0.1))
            for system, layer, f1 in scores:
                f1 = min(1.0, f1 + (0.15 if words == "all" and system != "most-frequent" else 0))
                rows.append((system, layer, words, f1, f1, f1, int(count * f1), count))
        parts.append(labelled(rows, columns, labels))
    return pd.concat(parts, ignore_index=True)


def semantic(least=0.05):
    rows = [
        (dimension, matrix, words, 0.9 - 1 / dimension - lost * (least + 1 / dimension), 0.01, 1000)
        for dimension in (128, 16, 4)
        for matrix, lost in (("trained", 0), ("random", 1))
        for words in ("all", "ambiguous")
    ]
    return labelled(rows, ["dimension", "matrix", "words", "f1", "sd", "n"], SENSES)


def concatenation(lost=0.2, won=0.05):
    columns = ["layer", "vectors", "kind", "own", "other", "ratio", "misclassified", "lost", "won"]
    rows = [
        (layer, vectors, kind, 0.8, 0.7, 0.8 / 0.7, wrong, *changes)
        for layer, vectors in ((0, "states"), (1, "states"), (2, "states"), (2, "probe"))
        for kind, wrong, changes in (
            ("alone", 0.1, (0.0, 0.0, 0.1, 0.1)),
            ("joined", 0.1 + lost - won, (lost, won, 0.1, 0.1)),
            ("joined-at-random", 0.15, (0.1, 0.05, 0.0, 0.0)),
        )
    ]
    return labelled(rows, [*columns, "lost_beside_random", "won_beside_random"], SENSES).assign(n=1000)
