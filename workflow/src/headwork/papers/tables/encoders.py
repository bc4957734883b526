"""Readers of the tables of encoders like BERT (see `headwork.papers.tables.readers`)."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.papers.tables.readers import STATISTICS, checked, csv_table, encoder_rows
from headwork.run.outputs import read_parquet

MAKER = "the heads phase"


def read_heads(path: str | Path) -> pd.DataFrame:
    """Statistics of every encoder head: layer, head, statistic, key, value, count."""
    return encoder_rows(_parquet(path, STATISTICS), path)


def read_alignments(path: str | Path) -> pd.DataFrame:
    """Alignment error rate, precision and recall of every cross-attention head, and of each layer (head 0)."""
    return _parquet(path, STATISTICS)


def _parquet(path: str | Path, columns: tuple[str, ...]) -> pd.DataFrame:
    table = read_parquet(path)
    return checked(table, path, columns, MAKER)


def read_chance(path: str | Path) -> pd.DataFrame:
    """Values of each class under uniform attention: key, value."""
    return encoder_rows(csv_table(path, ("kind", "key", "value"), MAKER, keep_default_na=False), path)


def read_correlations(path: str | Path) -> pd.DataFrame:
    """Spearman's correlations over all heads of an encoder: statistic, key, value, count; some with low and high."""
    return encoder_rows(csv_table(path, ("kind", "statistic", "key", "value", "count"), MAKER), path)


def read_tokens(path: str | Path) -> pd.DataFrame:
    """A sample of tokens: rank, real (not a special token), norm and weight, means over heads and layers."""
    return encoder_rows(_parquet(path, ("kind", "rank", "real", "norm", "weight")), path)


def read_pairs(path: str | Path) -> pd.DataFrame:
    """A sample of pairs of a query and a token: class, weight, norm."""
    return encoder_rows(csv_table(path, ("kind", "class", "weight", "norm"), MAKER), path)


def read_offsets(path: str | Path) -> pd.DataFrame:
    """The best fixed offset of each relation: relation, offset, share, count."""
    return csv_table(path, ("relation", "offset", "share", "count"), MAKER)


def read_rules(path: str | Path) -> pd.DataFrame:
    """Antecedent accuracy of rules: rule, candidates, kind, accuracy, count."""
    return csv_table(path, ("rule", "candidates", "kind", "accuracy", "count"), MAKER)


def read_probes(path: str | Path) -> pd.DataFrame:
    """Unlabelled attachment score of each probe: probe, uas, n."""
    return csv_table(path, ("probe", "uas", "n"), "the representations phase")


def read_branching(path: str | Path) -> pd.DataFrame:
    """UAS of baseline trees without a model: baseline, key, value, count."""
    return csv_table(path, ("baseline", "key", "value", "count"), "the representations phase")


def read_tags(path: str | Path) -> pd.DataFrame:
    """Accuracy of tagging probes: task, probe, layer (empty for baselines without a model), measure, value, count."""
    columns = ("task", "probe", "layer", "measure", "value", "count")
    return csv_table(path, columns, "the representations phase", dtype={"layer": "Int64"})


def read_points(path: str | Path) -> pd.DataFrame:
    """Coordinates of each head in the 2-D projection: layer, head, x, y."""
    return csv_table(path, ("layer", "head", "x", "y"), "the representations phase")


def read_plane(path: str | Path) -> pd.DataFrame:
    """Stress of the 2-D projection, and the permutation test of layers, in one row: stress, within, between, p, ..."""
    facts = pd.DataFrame([json.loads(Path(path).read_text(encoding="utf-8"))])
    return checked(facts, path, ("stress",), "the representations phase")


def read_aligners(path: str | Path) -> pd.DataFrame:
    """Scores of statistical aligners: model, joined, precision, recall, aer, n."""
    return csv_table(path, ("model", "joined", "precision", "recall", "aer", "n"), "the corpora phase")


def read_json(path: str | Path) -> Any:
    """Examples: a list of dictionaries, or one."""
    return json.loads(Path(path).read_text(encoding="utf-8"))
