"""Made-up tables of an encoder of two layers of two heads, whose numbers can be checked in the head."""

from itertools import product

import pandas as pd

LAYERS, HEADS = 2, 2
LABELS = {
    "run": "bert-s1",
    "domain": "Wikipedia",
    "pair": "EN",
    "label": "the world's English",
    "trained": True,
}
PLACES = list(product(range(1, LAYERS + 1), range(1, HEADS + 1)))
CLASSES = ("cls", "sep", "punctuation", "other")


def labelled(rows, columns):
    return pd.DataFrame(rows, columns=columns).assign(**LABELS)


def statistics(previous=0.1):
    """Head 2-2 gives most to [SEP]; head 1-1 gives `previous` to the previous token; layer 1 is the broader one."""
    rows = []
    for layer, head in PLACES:
        sep = 0.2 * layer + 0.1 * head
        values = {"cls": 0.05, "sep": sep, "punctuation": 0.1, "other": 0.85 - sep}
        values |= {"sep-to-sep": min(1.0, sep + 0.3), "other-to-sep": sep, "next": 0.1 * head, "self": 0.1}
        values["previous"] = previous if (layer, head) == (1, 1) else 0.05
        rows += [(layer, head, "attention", key, value, 100) for key, value in values.items()]
        rows += [(layer, head, "entropy", key, 3.0 - layer, 100) for key in ("", "first")]
        for key in CLASSES:
            rows.append((layer, head, "weight", key, values[key], 100))
            rows.append((layer, head, "weighted-norm", key, values[key] * (0.1 if key == "sep" else 1), 100))
            rows.append((layer, head, "norm", key, 1.0 + layer, 1000))
            rows.append((layer, head, "pair-weight", key, values[key] / 10, 1000))
        spread = {"mean": 2.0 * layer, "sd": 0.5, "cv": 0.25 / layer, "max": 4.0, "min": 1.0}
        rows += [(layer, head, "norm-spread", key, value, 1000) for key, value in spread.items()]
        if head == 1:
            rows += [(layer, 0, "input-norm-spread", key, value, 1000) for key, value in spread.items()]
    return labelled(rows, ["layer", "head", "statistic", "key", "value", "count"]).assign(kind="encoder")


def words():
    """Head 2-1 finds nine in ten heads of objects, and seven in ten antecedents; half of the other things are found.

    Nothing finds roots, which have no head.
    """
    rows = []
    for layer, head in PLACES:
        counts = {"all": 2000, "all but punct": 1800, "obj": 300, "det": 400, "nmod": 20, "root": 200}
        for relation, count in counts.items():
            for way in ("dependent-to-head", "head-to-dependent"):
                best = relation == "obj" and (layer, head, way) == (2, 1, "head-to-dependent")
                value = 0.9 if best else 0.0 if relation == "root" else 0.5
                rows.append((layer, head, "dependency", f"{relation}/{way}", value, count))
                rows += [
                    (layer, head, f"dependency-half-{half}", f"{relation}/{way}", value, count // 2)
                    for half in (1, 2)
                ]
        for candidates in ("any-word", "other-mentions", "preceding-mentions"):
            for way in ("to-antecedent", "from-antecedent"):
                for kind, count in (("all", 200), ("pronoun", 150), ("proper", 50)):
                    value = 0.7 if (layer, head) == (2, 1) else 0.4
                    rows.append((layer, head, "coreference", f"{candidates}/{way}/{kind}", value, count))
    return labelled(rows, ["layer", "head", "statistic", "key", "value", "count"]).assign(kind="encoder")


def offsets():
    rows = [
        ("all", 1, 0.3, 2000),
        ("all but punct", 1, 0.3, 1800),
        ("obj", -2, 0.4, 300),
        ("det", 1, 0.6, 400),
    ]
    return labelled([*rows, ("nmod", -2, 0.5, 20)], ["relation", "offset", "share", "count"])


def rules():
    rows = [
        (rule, candidates, kind, value, count)
        for rule, value in (("nearest", 0.3), ("head-match", 0.5), ("sieves", 0.6), ("random", 0.1))
        for candidates in ("other-mentions", "preceding-mentions")
        for kind, count in (("all", 200), ("pronoun", 150), ("proper", 50))
    ]
    return labelled(rows, ["rule", "candidates", "kind", "accuracy", "count"])


def probes():
    values = {
        "attention": 0.6,
        "attention-and-words": 0.8,
        "distances-and-words": 0.7,
        "right-branching": 0.3,
    }
    values["random-attention-and-words"] = 0.4
    return labelled([(name, value, 4000) for name, value in values.items()], ["probe", "uas", "n"])


def correlations():
    rows = [("weight-norm-rho", key, -0.4, 5000) for key in CLASSES]
    rows += [("rank-norm-rho", key, 0.7, 5000) for key in ("all", "real")]
    rows += [("rank-weight-rho", key, 0.1, 5000) for key in ("all", "real")]
    found = labelled(rows, ["statistic", "key", "value", "count"])
    apart = [("rank-difference-rho", key, 0.6, 5000, 0.5, 0.65) for key in ("all", "real")]
    apart = labelled(apart, ["statistic", "key", "value", "count", "low", "high"])
    return pd.concat([found, apart], ignore_index=True).assign(kind="encoder")


NMT = LABELS | {"run": "news-karvan-s1", "domain": "Europarl", "pair": "DE-EN", "label": "en-karvan"}


def alignments():
    """Norms err less than weights by 0.1, and reading rows by 0.2 less than predicting ones; layer 2 is the better."""
    rows = []
    for layer, head in product((1, 2), (0, 1, 2)):
        for setting, measure in product(("output", "input"), ("weight", "norm")):
            value = 0.9 - 0.1 * layer - 0.1 * (measure == "norm") - 0.2 * (setting == "input")
            rows.append((layer, head, "aer", f"{setting}/{measure}", value, 500))
    table = pd.DataFrame(rows, columns=["layer", "head", "statistic", "key", "value", "count"])
    return table.assign(kind="cross", **NMT)
