"""Readers of the tables of attribution: importance of heads, completeness, trees, triggers, heads removed."""

from pathlib import Path

import pandas as pd

from headwork.papers.tables.readers import checked, csv_table
from headwork.run.outputs import read_parquet

RELEVANCE, PRUNING = "the relevance phase", "the pruning phase"
PLACE = ("kind", "layer", "head")


def read_importance(path: str | Path) -> pd.DataFrame:
    """Importance of each encoder head for each example: split, example, layer, head, measure, value."""
    return _parquet(path, ("split", "example", *PLACE, "measure", "value"))


def read_completeness(path: str | Path) -> pd.DataFrame:
    """F(A) - F(0) of each example and layer, and its difference from the attributions' sum: change, missing, steps."""
    return _parquet(path, ("split", "example", "kind", "layer", "change", "missing", "steps"))


def read_quadrature(path: str | Path) -> pd.DataFrame:
    """The same for some examples: rule, steps, example, layer, change, missing."""
    return csv_table(path, ("rule", "steps", "example", "layer", "change", "missing"), RELEVANCE)


def read_edges(path: str | Path) -> pd.DataFrame:
    """The edges of attribution trees; there may be none: example, layer, reader, read, distance, between, score."""
    table = pd.read_csv(path)
    return table.astype({"between": bool, "distance": float})


def read_tree_answers(path: str | Path) -> pd.DataFrame:
    """Whether a prediction is preserved by a tree's edges, or by as many random ones: example, edges, tree, random."""
    return csv_table(path, ("example", "edges", "tree", "random"), RELEVANCE)


def read_triggers(path: str | Path) -> pd.DataFrame:
    """Accuracy with triggers: source, trigger, pieces, score, gold, half, clean, accuracy, n."""
    columns = ("source", "trigger", "pieces", "score", "gold", "half", "clean", "accuracy", "n")
    return csv_table(path, columns, RELEVANCE, keep_default_na=False, dtype={"pieces": str, "source": str})


def read_curves(path: str | Path) -> pd.DataFrame:
    """Accuracy with heads removed by importance: measure, order, share, removed, accuracy, n."""
    return csv_table(path, ("measure", "order", "share", "removed", "accuracy", "n"), PRUNING)


def read_effect(path: str | Path) -> pd.DataFrame:
    """Accuracy with heads of every layer removed for each example: measure, first, removed, accuracy, n."""
    return csv_table(path, ("measure", "first", "removed", "accuracy", "n"), PRUNING)


def _parquet(path: str | Path, columns: tuple[str, ...]) -> pd.DataFrame:
    table = read_parquet(path)
    return checked(table, path, columns, RELEVANCE)
