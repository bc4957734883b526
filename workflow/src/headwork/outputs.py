"""Files of results: tables, and JSON that a person can read and git can compare."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.errors import DamagedFile, InputError
from headwork.secrets import hidden


def check_writable(folder: str | Path) -> None:
    """Raise `InputError` if nothing can be written to the folder, or to that in which it will be made."""
    place = Path(folder) if Path(folder).exists() else Path(folder).absolute().parent
    if not os.access(place, os.W_OK):
        raise InputError.at(
            place, "cannot be written to; mount it for writing, or give yourself the right to"
        )


def read_parquet(path: str | Path) -> pd.DataFrame:
    """A table as `write_table` writes it. Raises `InputError` if it is not there, `DamagedFile` if it is no table."""
    if not Path(path).is_file():
        raise InputError.at(path, "no such table; run the workflow, which makes it")
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:  # pyarrow's own errors are of these two kinds
        if getattr(error, "errno", None):  # the system's: the file may be whole, but not ours to read
            raise InputError.at(path, f"cannot be read ({error.strerror})") from None
        raise DamagedFile.at(path, f"this is no parquet table ({error})") from None


def write_table(path: str | Path, table: pd.DataFrame) -> None:
    """Write parquet or csv, by the name of the file; in csv, real numbers have six digits. Folders are made."""
    _in_its_folder(path)
    if Path(path).suffix == ".parquet":
        table.to_parquet(path, index=False)
    else:
        table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")


def write_json(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write one object, a key a line; passwords and the values of secret variables are left out."""
    text = hidden(json.dumps(content, indent=2, ensure_ascii=False, default=str)) + "\n"
    _in_its_folder(path).write_text(text, encoding="utf-8")


def write_examples(path: str | Path, examples: Iterable[Mapping[str, Any]]) -> None:
    """Write a list of objects, one a line: they are too large for a line a key."""
    lines = (json.dumps(example, ensure_ascii=False, separators=(",", ":")) for example in examples)
    _in_its_folder(path).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def _in_its_folder(path: str | Path) -> Path:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return Path(path)
