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
