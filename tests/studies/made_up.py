"""Made-up tables in the pipeline's format, for tests of items and claims."""

import numpy as np
import pandas as pd

from headwork.studies import notation

PAIRS = {"EN-RU": "Karvan (for EN-RU)", "EN-DE": "Velder (for EN-DE)", "EN-FR": "Lorine (for EN-FR)"}
FUNCTIONS = ("positional/-1", "positional/+1", "rare", *notation.SYNTACTIC)
LAYERS, HEADS = 3, 8


def labels(domain="news", pair="EN-RU", run=None):
    run = run or f"{domain}-{pair[-2:].lower()}-s1"
    return {"run": run, "domain": domain, "pair": pair, "label": PAIRS[pair], "trained": True}


def functions(layers=LAYERS, heads=HEADS, **chosen):
    """Every head and function with a random score; about one in nine holds."""
    random = np.random.default_rng(1)
    rows = [
        ("encoder", layer, head, function, random.uniform(0.1, 0.6), 0.3, 500)
        for layer in range(1, layers + 1)
        for head in range(1, heads + 1)
        for function in FUNCTIONS
    ]
    table = pd.DataFrame(rows, columns=["kind", "layer", "head", "function", "score", "baseline", "count"])
    margin = table["score"] - table["baseline"]
    return table.assign(margin=margin, holds=margin > 0.25, **labels(**chosen))


def statistics(layers=LAYERS, heads=HEADS, **chosen):
    """Confidence, which rises with the head's number."""
    places = functions(layers, heads, **chosen)[["kind", "layer", "head"]].drop_duplicates()
    values = np.linspace(0.2, 0.9, len(places))
    return places.assign(statistic="confidence", key="", value=values, count=900, **labels(**chosen))


def relevance(layers=LAYERS, heads=HEADS, **chosen):
    """Each head's share of its layer's relevance, which falls with the head's number."""
    table = statistics(layers, heads, **chosen)
    weight = 2.0 * heads - table["head"]
    shares = weight / weight.groupby(table["layer"]).transform("sum")
    return table.assign(statistic="relevance", key="alphabeta", value=shares, count=4000)


SHAPE = {"encoder": (4, 4), "decoder": (2, 4), "cross": (2, 4)}
PAPER = {kind: (6, 8) for kind in SHAPE}


def sweep(shape=SHAPE, gates="encoder", points=6, seeds=(1,), scratch=(), bleu=70.0, **chosen):
    """Runs and heads of one sweep as the pruning phase writes them: (runs, heads).

    Of `points` points, number i keeps the share 1 - i / points of the heads with gates in every layer, and loses
    i² / 4 BLEU; each other seed 0.3 more. A run from scratch, for each (point, seed) of `scratch`, loses 1 more.
    """
    own = labels(**chosen)
    gated = list(shape) if gates == "all" else [gates]
    total = sum(layers * heads for layers, heads in shape.values())
    runs, heads = [], []

    def add(run, method, point, seed, loss, **facts):
        kept = {
            kind: heads - (round(heads * point / points) if kind in gated else 0)
            for kind, (_, heads) in shape.items()
        }
        for kind, (layers, number) in shape.items():
            heads.extend((run, kind, layer, number, kept[kind]) for layer in range(1, layers + 1))
        left = sum(kept[kind] * layers for kind, (layers, _) in shape.items())
        facts |= {"method": method, "seed": seed, "heads": total, "kept": left, "bleu": bleu - loss}
        facts |= {"low": bleu - loss - 1, "high": bleu - loss + 1, "parameters_full": 1000 * total + 9000}
        facts |= {"parameters": 1000 * left + 9000, "sentences_per_second_full": 200.0}
        facts |= {"sentences_per_second": 200.0 * (1.3 - 0.3 * left / total)}
        runs.append({"run": run, "domain": own["domain"], "pair": own["pair"], "target": np.nan} | facts)

    add(own["run"], "baseline", 0, 1, 0.0, gates=gates, of=np.nan, penalty=0.0)
    for point in range(1, points + 1):
        for place, seed in enumerate(seeds):
            name, loss = f"{own['run']}-{gates}-p{point}-s{seed}", point**2 / 4 + 0.3 * place
            add(name, "gates", point, seed, loss, gates=gates, of=own["run"], penalty=0.01 * point)
            if (point, seed) in scratch:
                facts = {"gates": gates, "of": name, "penalty": 0.0}
                add(f"{name}-scratch", "scratch", point, seed, loss + 1, **facts)
    runs = pd.DataFrame(runs).assign(label=own["label"], trained=True)
    return runs, pd.DataFrame(heads, columns=["run", "kind", "layer", "heads", "kept"])


def sweeps(*parts):
    """Several sweeps as one pair of tables; the heads of a baseline that sweeps share are counted once."""
    runs, heads = (pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True))
    return runs, heads.drop_duplicates(["run", "kind", "layer"], ignore_index=True)
