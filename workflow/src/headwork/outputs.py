"""Files of results: tables, and JSON that a person can read and git can compare."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.secrets import hidden


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
