"""Made-up tables of structural probes, whose numbers can be checked in the head."""

import pandas as pd

COLUMNS = ["representation", "layer", "rank", "part", "measure", "value", "low", "high", "n", "chosen"]
RUNS = (
    ("minilm", "Penn Treebank", "EN", "MiniLM", True, 0.0),
    ("minilm-untrained", "Penn Treebank", "EN", "MiniLM", False, -0.3),
    ("mt", "objectives", "MT", "MT", True, -0.1),
    ("lm", "objectives", "LM", "LM", True, -0.15),
    ("mlm", "objectives", "MLM", "MLM", True, -0.05),
    ("mt-untrained", "objectives", "MT", "MT", False, -0.3),
)
BY_LAYER = (0.6, 0.7, 0.8, 0.5)
BASELINES = {"permuted": 0.2, "embeddings": 0.4, "decayed": 0.5, "linear": 0.45}


def scores(by_layer=BY_LAYER, low_rank=0.795, **baselines):
    """The tables of all runs: layer 2 is chosen; an untrained run is 0.3 lower in every layer."""
    parts = []
    for run, domain, pair, label, trained, change in RUNS:
        rows = []
        for measure in ("uuas", "dspr", "root", "nspr"):
            n = 1000 if measure == "uuas" else 200

            def row(name, layer, rank, value, part="test", chosen=False, measure=measure, n=n):
                return (name, layer, rank, part, measure, value, value - 0.01, value + 0.01, n, chosen)

            for layer, value in enumerate(by_layer):
                rows.append(row("states", layer, 64, value + change, chosen=layer == 2))
                rows.append(row("states", layer, 64, 0.99, part="validation", chosen=layer == 2))
            for name, value in (BASELINES | baselines).items():
                rows.append(row(name, 2 if name == "permuted" else None, 64, value))
            if measure in ("uuas", "dspr"):
                for rank, value in ((1, 0.3), (64, low_rank), (128, 0.8)):
                    rows.append(row("rank", 2, rank, value + change, chosen=True))
        labels = {"run": run, "domain": domain, "pair": pair, "label": label, "trained": trained}
        parts.append(pd.DataFrame(rows, columns=COLUMNS).assign(**labels))
    return pd.concat(parts, ignore_index=True)


def example(layer=2):
    """One sentence: "the cat sleeps ." with its tree found by the states, and a chain by the decayed embeddings."""
    gold = [[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]]
    system = {"distances": gold, "depths": [2, 1, 0, 1], "arcs": [[0, 1], [1, 2]]}
    chain = system | {"arcs": [[0, 2], [1, 2]], "depths": [0, 1, 2, 3]}
    return {
        "words": ["the", "cat", "sleeps", "."],
        "heads": [2, 3, 0, 3],
        "relations": ["det", "nsubj", "root", "punct"],
        "layer": layer,
        "states": system,
        "decayed": chain,
    }


PAIR = [
    {"run": run, "domain": domain, "pair": pair, "label": label, "trained": trained}
    for run, domain, pair, label, trained, _ in RUNS[:2]
]
