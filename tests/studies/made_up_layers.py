"""Made-up tables of what is inside two translation models and a control, whose numbers can be checked in the head."""

import pandas as pd

PLACES = ("self", "previous", "next", "end", "last", "other")
RUNS = (
    ("news-karvan-s1", "news", "EN-RU", "en-karvan", True),
    ("news-velder-s1", "news", "EN-DE", "en-velder", True),
    ("news-karvan-untrained", "news", "EN-RU", "en-karvan", False),
)
PROBED = (
    ("news-karvan-s1", "probing", "EN-RU", "en-karvan", True),
    ("news-karvan-untrained", "probing", "EN-RU", "en-karvan", False),
)
SMALL = tuple((f"small-{name}", name, "EN-TR", "small", True) for name in ("scratch", "frozen", "fine-tuned"))
LABELS = ["run", "domain", "pair", "label", "trained"]


def gathered(rows, columns, runs):
    """The rows with the labels of every run, as `headwork.studies.tables.read` gives them."""
    table = pd.DataFrame(rows, columns=columns)
    return pd.concat(
        [table.assign(**dict(zip(LABELS, run, strict=True)))[[*LABELS, *columns]] for run in runs],
        ignore_index=True,
    )


def trees(best=0.45, place=0.7):
    """Head 1-2 looks at itself, 2-1 at the next token; head 2-2 has the best trees, of the way to dependents."""
    rows = []
    for layer in (1, 2):
        for head in (1, 2):
            strong = {(1, 2): "self", (2, 1): "next", (2, 2): "previous"}.get((layer, head), "other")
            for name in PLACES:
                share = place if name == strong else (1 - place) / 5
                rows.append(("encoder", layer, head, "place", name, share, 400))
            for way in ("dependent-to-head", "head-to-dependent"):
                found = best if (layer, head, way) == (2, 2, "head-to-dependent") else 0.2
                rows.append(("encoder", layer, head, "tree", f"all/{way}", found, 4000))
                rows.append(("encoder", layer, head, "tree", f"all but punct/{way}", found / 2, 3000))
    return gathered(rows, ["kind", "layer", "head", "statistic", "key", "value", "count"], RUNS)


def branching():
    """Right-branching trees are right in two words of five."""
    shares = {"right-branching": 0.4, "left-branching": 0.1, "random": 0.15}
    rows = [
        (name, key, share, count)
        for name, share in shares.items()
        for key, count in (("all", 4000), ("all but punct", 3000))
    ]
    return gathered(rows, ["baseline", "key", "value", "count"], RUNS)


def tags(length_errors=0.2):
    """Layer 1 of three knows most of parts of speech, layer 3 of semantic tags; the control knows half."""
    rows = []
    for task, best in (("pos", 1), ("semantic", 3)):
        rows.append((task, "most-frequent-tag", None, "precision", 0.8, 5000))
        for layer in range(4):
            known = 0.7 if layer == 0 else 0.95 if layer == best else 0.9
            rows.append((task, "linear", layer, "precision", known, 5000))
            rows.append((task, "decoder", layer, "precision", known, 4000))
            rows.append((task, "decoder", layer, "precision-of-all", known - 0.1, 5000))
            rows.append((task, "decoder", layer, "length-errors", length_errors, 400))
    table = gathered(rows, ["task", "probe", "layer", "measure", "value", "count"], PROBED)
    table.loc[~table["trained"], "value"] /= 2
    return table[table["trained"] | (table["probe"] != "decoder")].astype({"layer": "Int64"})


def scores():
    """From scratch 20 BLEU, with another pair's encoder 25, and 30 if it is trained on."""
    rows = [(20.0, 19.0, 21.0, 500, "sig"), (25.0, 24.0, 26.0, 500, "sig"), (30.0, 29.0, 31.0, 500, "sig")]
    columns = ["bleu", "low", "high", "sentences", "signature"]
    parts = [gathered([row], columns, [run]) for row, run in zip(rows, SMALL, strict=True)]
    return pd.concat(parts, ignore_index=True)
