"""Readers of the tables of structural probes and edge probes (see `headwork.papers.tables.readers`)."""

from pathlib import Path

import pandas as pd

from headwork.papers.tables.readers import csv_table

MAKER = "the representations phase"
MEASURES = {"uuas": "UUAS", "dspr": "DSpr", "root": "root", "nspr": "NSpr"}


def read_structural_probes(path: str | Path) -> pd.DataFrame:
    """Scores of structural probes with their bootstrap intervals; `layer` and `rank` are empty where there is none."""
    columns = ("representation", "layer", "rank", "part", "measure", "value", "low", "high", "n", "chosen")
    return csv_table(path, columns, MAKER)


def read_edge_probes(path: str | Path) -> pd.DataFrame:
    """F1 of edge probes that mix layers 0 to `layer`, and the layer's weight in the mix of all, of every task."""
    columns = ("task", "layer", "f1", "low", "high", "weight", "weight_low", "weight_high", "n", "sentences")
    return csv_table(path, columns, MAKER)


def read_edge_layers(path: str | Path) -> pd.DataFrame:
    """Expected layer, centre of gravity and other summaries of every task; empty where they are not defined."""
    return csv_table(path, ("task", "quantity", "value", "low", "high", "layers", "n"), MAKER)
