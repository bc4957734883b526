"""Made-up tables of edge probes, whose numbers can be checked in the head."""

import pandas as pd

RUNS = (
    ("minilm", "English", "BERT", "MiniLM", True, 0.0),
    ("minilm-untrained", "English", "BERT", "MiniLM", False, -0.3),
    ("mt", "objectives", "MT", "encoder of MT", True, -0.1),
)
# F1 of the layers 0 to 3, mixing weights, expected layer, centre of gravity
TASKS = {
    "pos": ((0.8, 0.9, 0.95, 0.96), (0.4, 0.3, 0.2, 0.1), 1.3, 1.0),
    "constituents": ((0.7, 0.8, 0.85, 0.9), (0.1, 0.4, 0.3, 0.2), 1.6, 1.6),
    "dependencies": ((0.6, 0.65, 0.8, 0.9), (0.1, 0.2, 0.6, 0.1), 1.8, 1.7),
    "entities": ((0.8, 0.82, 0.85, 0.9), (0.25, 0.25, 0.25, 0.25), 1.9, 1.5),
    "roles": ((0.5, 0.55, 0.65, 0.8), (0.1, 0.2, 0.3, 0.4), 2.1, 2.0),
    "coreference": ((0.5, 0.5, 0.55, 0.6), (0.1, 0.2, 0.3, 0.4), 2.5, 2.0),
}
K_DELTA = {"pos": 0.9, "coreference": 0.3}
K_S = {"dependencies": 0.5, "entities": 0.0}


def labels(number):
    run, domain, pair, label, trained, change = RUNS[number]
    return {"run": run, "domain": domain, "pair": pair, "label": label, "trained": trained}, change


def probes():
    """F1 and weights by layer of all runs."""
    parts = []
    for number in range(len(RUNS)):
        own, change = labels(number)
        rows = [
            (task, layer, *(f1 + change + shift for shift in (0, -0.01, 0.01)), *[weight] * 3, 500, 100)
            for task, (scores, weights, _, _) in TASKS.items()
            for layer, (f1, weight) in enumerate(zip(scores, weights, strict=True))
        ]
        columns = [
            "task",
            "layer",
            "f1",
            "low",
            "high",
            "weight",
            "weight_low",
            "weight_high",
            "n",
            "sentences",
        ]
        parts.append(pd.DataFrame(rows, columns=columns).assign(**own))
    return pd.concat(parts, ignore_index=True)


def layers(**expected):
    """The summaries of all runs; `expected` replaces expected layers (None: not defined)."""
    parts = []
    for number in range(len(RUNS)):
        own, change = labels(number)
        rows = []
        for task, (scores, _, layer, gravity) in TASKS.items():
            first, last = scores[0] + change, scores[-1] + change
            values = {
                "first": first,
                "last": last,
                "gain": last - first,
                "expected-layer": expected.get(task, layer),
                "centre-of-gravity": gravity,
                "k-delta": K_DELTA.get(task, 0.6),
                "k-s": K_S.get(task, 0.2),
            }
            for quantity, value in values.items():
                known = value is not None
                ends = (value - 0.05, value + 0.05) if known else (None, None)
                rows.append((task, quantity, value, *ends, 3, 500))
        columns = ["task", "quantity", "value", "low", "high", "layers", "n"]
        parts.append(pd.DataFrame(rows, columns=columns).assign(**own))
    return pd.concat(parts, ignore_index=True).astype({"value": float, "low": float, "high": float})
