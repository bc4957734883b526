"""Readers of the tables of fine-tuned runs (see `headwork.papers.tables.readers`)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.corpora.annotated.glue import TASKS
from headwork.errors import InputError
from headwork.papers.tables.readers import csv_table

PLACES = ("kind", "layer", "head", "method", "split", "metric", "value", "change", "low", "high", "n")
SHARES = ("run", "pattern", "classifier", "share", "count")
TUNED, UNTUNED = "splits", "untuned"


def read_glue(path: str | Path) -> pd.DataFrame:
    """Scores of a fine-tuned run on its dev sets: split, metric, state (`TUNED`, `UNTUNED`), value, low, high, n.

    Untuned is the same model, with its new classifier, before the first update. Raises InputError if a part is missing.
    """
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    missing = [name for name in ("task", TUNED, UNTUNED) if name not in content]
    if missing:
        raise InputError.at(
            path, f"the scores lack {', '.join(missing)}; delete the run's folder and fine-tune it again"
        )
    rows = [
        (split, metric, state, *(scores[metric][name] for name in ("value", "low", "high")), scores["n"])
        for state in (TUNED, UNTUNED)
        for split, scores in content[state].items()
        for metric in TASKS[content["task"]].metrics
    ]
    return pd.DataFrame(rows, columns=["split", "metric", "state", "value", "low", "high", "n"])


def read_disabling(path: str | Path) -> pd.DataFrame:
    """Score of a run on its first dev set with each head, or each layer (head 0), disabled.

    layer, head, method, metric, value, change, low, high (of the change), n.
    """
    table = csv_table(path, PLACES, "the pruning phase")
    return table[table["split"] == table["split"].iloc[0]].reset_index(drop=True)


def read_shown(paths: str | Sequence[str | Path], runs: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Maps of chosen examples: run, domain, example, pieces, head (name), layer, number, pattern, clear, weights."""
    paths = [paths] if isinstance(paths, str) else list(paths)
    rows = []
    for path, run in zip(paths, runs, strict=True):
        for example, shown in enumerate(json.loads(Path(path).read_text(encoding="utf-8"))):
            for head, weights in shown["maps"].items():
                layer, number = map(int, head.rsplit(" ", 1)[-1].split("-"))
                told = shown["patterns"][head], shown["clear"][head]
                rows.append(
                    (run["run"], run["domain"], example, shown["pieces"], head, layer, number, *told, weights)
                )
    columns = ["run", "domain", "example", "pieces", "head", "layer", "number", "pattern", "clear", "weights"]
    if not rows:
        raise InputError("no example of a task was given; rerun the heads phase")
    return pd.DataFrame(rows, columns=columns)


def read_shares(path: str | Path) -> pd.DataFrame:
    """Share of each run's maps with each pattern, by classifier: run, pattern, classifier, share, count."""
    return csv_table(path, SHARES, "the heads phase", dtype={"run": str})


def read_facts(path: str | Path) -> dict[str, Any]:
    """Quality of the pattern classifiers: see `headwork.heads.jobs.patterns.classify_maps`."""
    facts = json.loads(Path(path).read_text(encoding="utf-8"))
    if "f1" not in facts:
        raise InputError.at(path, "the file lacks f1; delete it and rerun the heads phase")
    return facts
