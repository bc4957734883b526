"""Result files: tables, and JSON with one entry a line."""

import json
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.errors import DamagedFile, InputError
from headwork.run.secrets import hidden


def check_writable(folder: str | Path) -> None:
    """Raise `InputError` if the folder, or the one in which it will be made, cannot be written to."""
    place = Path(folder) if Path(folder).exists() else Path(folder).absolute().parent
    if not os.access(place, os.W_OK):
        raise InputError.at(
            place, "this folder cannot be written to; mount it for writing, or change its permissions"
        )


def date_back(folder: str | Path) -> None:
    """Set modification times in the future to now, in all of the folder that may be changed.

    After a clock was moved back, Snakemake would reject every output as older than its inputs. The times mean nothing
    else: contents decide what is out of date.
    """
    now = time.time()
    for path in Path(folder).rglob("*"):
        with suppress(OSError):
            if path.lstat().st_mtime > now:
                os.utime(path, (now, now), follow_symlinks=False)


def read_parquet(path: str | Path) -> pd.DataFrame:
    """Read a table that `write_table` wrote; `InputError` if it is missing, `DamagedFile` if it is not parquet."""
    if not Path(path).is_file():
        raise InputError.at(path, "the table does not exist; run the workflow, which makes it")
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:  # pyarrow's own errors are of these two kinds
        if getattr(error, "errno", None):  # an error of the operating system: the file may be intact
            raise InputError.at(
                path, f"the file cannot be read ({error.strerror}); change its permissions"
            ) from None
        raise DamagedFile.at(path, f"the file is not a parquet table ({error})") from None


def write_table(path: str | Path, table: pd.DataFrame) -> None:
    """Write parquet or csv, by the file name; floats in csv have six digits. Folders are made as needed."""
    _in_its_folder(path)
    if Path(path).suffix == ".parquet":
        table.to_parquet(path, index=False)
    else:
        table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")


def write_json(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write one object with a key a line, without passwords and values of secret variables."""
    text = hidden(json.dumps(content, indent=2, ensure_ascii=False, default=str)) + "\n"
    _in_its_folder(path).write_text(text, encoding="utf-8")


def write_examples(path: str | Path, examples: Iterable[Mapping[str, Any]]) -> None:
    """Write a list of objects, one a line."""
    lines = (json.dumps(example, ensure_ascii=False, separators=(",", ":")) for example in examples)
    _in_its_folder(path).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def _in_its_folder(path: str | Path) -> Path:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return Path(path)
