"""What Snakemake knows of a file that it made: the rule, its inputs, and when it ran.

Snakemake keeps one JSON record a file in `.snakemake/metadata`, named by the file's path in URL-safe Base64.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


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
    if metadata is None:
        return None
    name = base64.urlsafe_b64encode(Path(path).as_posix().encode()).decode()
    record = metadata / name
    if not record.is_file():
        return None
    known = json.loads(record.read_text(encoding="utf-8"))
    sums = known.get("input_checksums") or {}
    inputs = {given: sums.get(given, "").removeprefix("sha256:") for given in known.get("input") or ()}
    return Record(known["rule"], inputs, known["starttime"], known["endtime"])
