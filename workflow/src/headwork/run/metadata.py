"""What Snakemake knows of a file that it made: the rule, its inputs, its parameters, and when it ran.

Snakemake keeps one JSON record a file in `.snakemake/metadata`, named by the file's path in URL-safe Base64; of a long
name all but the end are folders that begin with "@".
"""

import ast
import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

METADATA = Path(".snakemake/metadata")
LONGEST = 254  # characters of a part of a name


@dataclass(frozen=True)
class Record:
    """How one file was made.

    rule      the Snakemake rule
    inputs    path -> SHA-256 of the file, "" where Snakemake did not compute one (large files)
    began     start of the job, seconds since the epoch
    ended     its end
    """

    rule: str
    inputs: Mapping[str, str]
    began: float
    ended: float

    @property
    def seconds(self) -> float:
        """Duration of the job."""
        return self.ended - self.began


def read_record(path: str | Path, metadata: Path | None) -> Record | None:
    """The record of a file by its path relative to the working folder; None if Snakemake has none."""
    if metadata is None or not (record := record_file(path, metadata)).is_file():
        return None
    known = json.loads(record.read_text(encoding="utf-8"))
    sums = known.get("input_checksums") or {}
    inputs = {given: sums.get(given, "").removeprefix("sha256:") for given in known.get("input") or ()}
    return Record(known["rule"], inputs, known["starttime"], known["endtime"])


def record_file(path: str | Path, metadata: Path = METADATA) -> Path:
    """Where Snakemake keeps the record of a file."""
    name = base64.urlsafe_b64encode(Path(path).as_posix().encode()).decode()
    *folders, last = [name[start : start + LONGEST] for start in range(0, len(name), LONGEST)]
    return metadata.joinpath(*(f"@{folder}" for folder in folders), last)


def records(metadata: Path = METADATA) -> Iterator[tuple[str, Path]]:
    """The paths that there are records of, in their order, with the files of the records."""
    found = {}
    for file in metadata.rglob("*"):
        parts = [part.removeprefix("@") for part in file.relative_to(metadata).parts]
        try:
            path = base64.b64decode("".join(parts), altchars=b"-_", validate=True).decode()
        except ValueError:
            continue  # another file, or a folder
        if file.is_file():
            found[path] = file
    return iter(sorted(found.items()))


def job_of(record: Mapping[str, Any], path: str) -> tuple[str, list[str]]:
    """The rule that made a file, and its inputs; of a job that did the work of several rules, the one of the file."""
    for step in steps_of(record):
        if path in _files(step["output"]) and "rule" in step:
            return step["rule"], _files(step["input"])
    return record["rule"], list(record.get("input") or ())


def steps_of(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the rules were given whose work one job did; nothing for the job of one rule."""
    params = record.get("params") or ()
    return ast.literal_eval(params[0]) if len(params) == 1 and params[0].startswith("[{'script':") else []


def _files(named: Mapping[str, str | list[str]]) -> list[str]:
    return [file for files in named.values() for file in ([files] if isinstance(files, str) else files)]
