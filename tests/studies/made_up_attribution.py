"""Made-up tables of attributed runs of two tasks, one with two seeds; models of two layers of two heads."""

from itertools import product

import pandas as pd

RUNS = (("RTE", "rte-s1"), ("RTE", "rte-s2"), ("MNLI", "mnli-s1"), ("SST-2", "sst-2-s1"))
TWO_SEEDS = tuple(
    (domain, f"{domain.lower()}-s{seed}") for domain in ("RTE", "MNLI", "SST-2") for seed in (1, 2)
)
PLACES = list(product((1, 2), (1, 2)))
CLASSES = {
    "RTE": ("entailment", "not_entailment"),
    "MNLI": ("entailment", "neutral"),
    "SST-2": ("negative", "positive"),
}


def of_runs(make, runs=RUNS):
    """One table of all runs; `make` gets the task and the run."""
    tables = [
        make(domain, run).assign(run=run, domain=domain, pair="EN", label="the world's English", trained=True)
        for domain, run in runs
    ]
    return pd.concat(tables, ignore_index=True)


def importance(turned=("SST-2",), runs=RUNS):
    """RTE and MNLI rank heads alike, what is `turned` the other way round; one example in two is noisy."""

    def make(domain, run):
        values = {place: number for number, place in enumerate(PLACES)}
        sign = -1 if domain in turned or run in turned else 1
        rows = [
            (example, "encoder", *place, measure, 3 + sign * value + 0.1 * (example % 2) * (-1) ** place[1])
            for example in range(10)
            for place, value in values.items()
            for measure in ("attribution", "taylor")
        ]
        columns = ["example", "kind", "layer", "head", "measure", "value"]
        return pd.DataFrame(rows, columns=columns).assign(split="train")

    return of_runs(make, runs)


def effect(shaky=0.0):
    """Most attributed heads decide; what is attended to hardly matters. Without the former, seeds differ by `shaky`."""
    values = {
        ("attribution", "least"): (0.9, 0.95, 0.4),
        ("attribution", "most"): (0.9, 0.2, 0.4),
        ("attention", "least"): (0.9, 0.7, 0.4),
        ("attention", "most"): (0.9, 0.6, 0.4),
    }

    def make(_, run):
        values["attribution", "most"] = (0.9, 0.2 + shaky * run.endswith("s2"), 0.4)
        rows = [
            (*key, removed, value, 200) for key, row in values.items() for removed, value in enumerate(row)
        ]
        return pd.DataFrame(rows, columns=["measure", "first", "removed", "accuracy", "n"])

    return of_runs(make, TWO_SEEDS)


def curves():
    """Areas: attribution 0.8 (second seed 0.82), taylor 0.79, accuracy 0.75, attention 0.5, random 0.6 and 0.4."""

    def make(_, run):
        flat = {"attribution": 0.82 if run.endswith("s2") else 0.8, "taylor": 0.79, "accuracy": 0.75}
        flat |= {"attention": 0.5, "taylor-context-normalised": 0.7}
        orders = [(name, 0, value) for name, value in flat.items()] + [("random", 0, 0.6), ("random", 1, 0.4)]
        rows = [
            (name, n, share, int(4 * share), value, 200)
            for name, n, value in orders
            for share in (0.0, 0.5, 1.0)
        ]
        return pd.DataFrame(rows, columns=["measure", "order", "share", "removed", "accuracy", "n"])

    return of_runs(make)


def edges(apart=()):
    """Layer 1 reaches 1 and 3 pieces within a part; layer 2 reaches 6, in pairs (but for runs `apart`) to the other."""

    def make(domain, run):
        pair = domain != "SST-2" and run not in apart
        rows = [
            (example, layer, 1, 1 + distance, distance, between and pair, 0.5)
            for example in range(30)
            for layer, distance, between in ((1, 1, False), (1, 3, False), (2, 6, True))
        ]
        columns = ["example", "layer", "reader", "read", "distance", "between", "score"]
        return pd.DataFrame(rows, columns=columns)

    return of_runs(make)


def tree_answers(useless=()):
    """Trees keep 8 answers of 10, but for runs where they are `useless` none; random edges keep 3."""

    def make(_, run):
        kept = 0 if run in useless else 8
        rows = [(example, 4, example % 10 < kept, example % 10 < 3) for example in range(100)]
        return pd.DataFrame(rows, columns=["example", "edges", "tree", "random"])

    return of_runs(make)


def triggers():
    """Trigger 2 costs most on the first half, 0.6; on the second it costs 0.5, and random pieces 0.1."""

    def make(domain, _):
        costs = {
            "none": [0.0],
            "attribution": [0.2, 0.6, 0.1, 0.0],
            "attention": [0.2, 0.1],
            "random": [0.1, 0.1],
        }

        def left(cost, half):
            return 0.9 - max(cost - 0.1 * half * (cost > 0.1), 0)

        rows = [
            (source, number, f"{source} {number}", 0.5, gold, half, 0.9, left(cost, half), 50)
            for source, own in costs.items()
            for number, cost in enumerate(own, start=1)
            for gold in CLASSES[domain]
            for half in (0, 1)
        ]
        columns = ["source", "trigger", "pieces", "score", "gold", "half", "clean", "accuracy", "n"]
        return pd.DataFrame(rows, columns=columns)

    return of_runs(make)
