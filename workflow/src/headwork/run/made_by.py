"""Which code made a file: the commit, and the version and hash of the job.

Snakemake's records say when a file was made and by which rule, not by which code. Each run therefore adds one line to
`RUNS`, with the commit and the hashes of all jobs, before its first job. Runs are alone in a folder
(`headwork.run.lock`), so the last one that began before a job did has run it.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headwork.run.versions import Locked

RUNS = Path(".snakemake/runs.jsonl")
KEY = "made_by"  # in a record


def note_run(jobs: Mapping[str, Locked], code: str | None, file: Path = RUNS) -> None:
    """Add a run that begins now, with the commit and the jobs of its code: none, if it only touches files."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    began = file.stat().st_mtime  # by the clock of the file system, as the beginnings of jobs
    with file.open("a", encoding="utf-8") as runs:
        runs.write(json.dumps({"began": began, "commit": code, "jobs": jobs}) + "\n")


def runs_of(file: Path = RUNS) -> list[dict[str, Any]]:
    """All runs, in the order in which they began; a line that a kill cut off is passed over."""
    found = []
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return sorted(found, key=lambda run: run["began"])


def made_by(record: Mapping[str, Any], runs: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The job, version, hash and commit that made the file of a record; None if no run of this folder did."""
    before = [run for run in runs if run["began"] <= record["starttime"]]
    job = record["rule"]
    if not before or job not in before[-1]["jobs"]:
        return None
    version, code = before[-1]["jobs"][job]
    return {"job": job, "version": version, "hash": code, "commit": before[-1]["commit"]}
