"""Published numbers: workflow/studies/<study>/published/<item>.csv, each with its source and uncertainty.

Columns: keys that identify the quantity, then `value`, `uncertainty` (half the width of the values that the source
permits: 0.005 for a value in whole per cent, the reading error of a plot, 0 if exact) and `source`.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from headwork.errors import InputError

# Tags of the sources of published numbers.
SOURCES = {
    "P": "the text of the paper",
    "S": "a talk on the paper",
    "R": "the official code",
    "B": "the author's article on the web",
    "Bf": "read off a figure of that article",
    "N": "reading notes of the paper",
    "RI": "a re-implementation by others",
    "F": "read off a figure of the paper",
    "M": "memory, unverified",
    "MC": "memory, checked by arithmetic",
    "D": "derived from the other numbers",
}
VALUES = ("value", "uncertainty", "source")


def read_published(path: str | Path) -> pd.DataFrame:
    """The published numbers of one file: the columns that identify a quantity, then value, uncertainty and source.

    Raises InputError, with file and line, for a file that is no CSV table, missing columns, unknown source tags, two
    rows with the same keys, values that are no numbers, and negative uncertainties.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, skip_blank_lines=False)
    except (pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        raise InputError.at(path, f"the file is not a CSV table ({error})") from None
    keys = [name for name in table.columns if name not in VALUES]
    missing = [name for name in VALUES if name not in table.columns]
    if missing:
        absent = f"the column(s) {', '.join(missing)} are missing; add them to the first line"
        raise InputError.at(path, absent, 1)
    for line, tag in enumerate(table["source"], start=2):
        if tag not in SOURCES:
            raise InputError.at(path, f"unknown source {tag!r}; write one of {', '.join(SOURCES)}", line)
    for name in ("value", "uncertainty"):
        numbers = pd.to_numeric(table[name], errors="coerce")
        wrong = ~np.isfinite(numbers) | ((name == "uncertainty") & (numbers < 0))
        if wrong.any():
            row = int(wrong.to_numpy().argmax())
            kind = "number" if name == "value" else "number of 0 or more"
            raise InputError.at(path, f"{name} {table[name].iloc[row]!r} is no {kind}", row + 2)
        table[name] = numbers
    repeated = table.duplicated(keys)
    if repeated.any():
        row = int(repeated.to_numpy().argmax())
        raise InputError.at(path, f"{', '.join(table.loc[row, keys])} is given twice; keep one row", row + 2)
    return table[[*keys, *VALUES]]
