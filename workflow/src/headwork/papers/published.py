"""Published numbers: config/published/<study>/<item>.csv, each with where it was taken from and how sure it is.

Columns: the keys that say what is measured, then `value`, `uncertainty` (half the width of what the source
leaves open: 0.005 for a whole per cent, the reading error of a plot, 0 where exact) and `source`.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from headwork.errors import InputError

# The tags of the notes the numbers were collected in.
SOURCES = {
    "S": "a talk on the paper",
    "R": "the official code",
    "B": "the author's article on the web",
    "Bf": "read off a figure of that article",
    "N": "reading notes of the paper",
    "RI": "a re-implementation by others",
    "F": "read off a figure of the paper",
    "M": "memory, unverified",
    "D": "derived from the other numbers",
}
VALUES = ("value", "uncertainty", "source")


def read_published(path: str | Path, keys: Sequence[str]) -> pd.DataFrame:
    """The published numbers of one file, with columns `keys`, value, uncertainty and source.

    Raises InputError, with file and line, for missing columns, unknown source tags, two rows of the same keys, and
    values that are no numbers.
    """
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    missing = [name for name in (*keys, *VALUES) if name not in table.columns]
    if missing:
        raise InputError.at(
            path, f"the column(s) {', '.join(missing)} are missing; add them to the first line", 1
        )
    for line, tag in enumerate(table["source"], start=2):
        if tag not in SOURCES:
            raise InputError.at(path, f"unknown source {tag!r}; write one of {', '.join(SOURCES)}", line)
    for name in ("value", "uncertainty"):
        numbers = pd.to_numeric(table[name], errors="coerce")
        if numbers.isna().any():
            row = int(numbers.isna().to_numpy().argmax())
            raise InputError.at(path, f"{name} {table[name].iloc[row]!r} is no number", row + 2)
        table[name] = numbers
    repeated = table.duplicated(list(keys))
    if repeated.any():
        row = int(repeated.to_numpy().argmax())
        raise InputError.at(
            path, f"{', '.join(table.loc[row, list(keys)])} is given twice; keep one row", row + 2
        )
    return table[[*keys, *VALUES]]
