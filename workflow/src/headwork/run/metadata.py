"""What Snakemake knows of a file that it made: the rule, its inputs, its parameters, and when it ran.

Snakemake keeps one JSON record a file in `.snakemake/metadata`, named by the file's path in URL-safe Base64; of a long
name all but the end are folders that begin with "@".
"""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

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
