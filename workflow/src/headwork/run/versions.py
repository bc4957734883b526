"""Versions of jobs: what results depend on besides inputs and settings.

A job is what one rule does. `workflow/jobs.lock` has a line for each job that makes results: its name, its version, and
the hash of its code (`headwork.run.fingerprint`). A rule carries the version as a parameter while its code has that
hash, and the hash itself where the code was edited since. So an edit makes what follows from it out of date, and a
refactoring makes nothing so once `headwork.run.verify` has seen that it changes no result and has put the new hash into
the lock. Where results differ, it raises the version.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from headwork.errors import InputError

LOCK = Path("workflow/jobs.lock")
NOW = Path(".snakemake/jobs.json")  # the hashes of the code as it is
# Rules that make no results of a scale, or only unpack what is fetched: they have no line, and so carry the hash. So do
# those of distilled text, whose corpora and published teacher the smoke scale does not have.
NO_RESULTS = ("atlas", "crate", "distil", "estimate", "gallery", "select_sentences", "split_mrpc", "unpack")
COMMENT = "# Jobs, their versions, and hashes of their code; `make verify against=COMMIT` updates it."


class Locked(NamedTuple):
    """A line of the lock: the version of a job's results, and the hash of the code that makes them."""

    version: int
    hash: str


def read_lock(path: str | Path) -> dict[str, Locked]:
    """The lines of a lock, by job; none if there is no file. Raises `InputError` for a line that is none."""
    path, jobs = Path(path), {}
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    for number, line in enumerate(lines, 1):
        match line.partition("#")[0].split():
            case []:
                pass
            case [job, version, code] if version.isdecimal() and job not in jobs:
                jobs[job] = Locked(int(version), code)
            case _:
                raise InputError.at(
                    path, "a line is a job, its version and a hash, and a job has one line", number
                )
    return jobs


def write_lock(path: str | Path, jobs: Mapping[str, Locked]) -> None:
    """Write a lock, sorted by job."""
    width, digits = (
        max(map(len, column), default=0) for column in (jobs, [str(job.version) for job in jobs.values()])
    )
    lines = [f"{name:{width}}  {job.version:{digits}}  {job.hash}" for name, job in sorted(jobs.items())]
    Path(path).write_text("\n".join([COMMENT, *lines]) + "\n", encoding="utf-8")


def parameter(version: int) -> str:
    """The parameter of a rule whose results have this version.

    A text, since Snakemake compares parameters as a set without their names, in which numbers may stand for another.
    """
    return f"version {version}"


class Versions:
    """The versions of jobs by a lock, and the hashes of their code as it is, computed by `hashed`."""

    def __init__(self, lock: Path, hashed: Callable[..., str]) -> None:
        self.locked, self.hashed = read_lock(lock), hashed
        self.hashes: dict[str, str] = {}

    def __call__(self, job: str, *sources: str | Path) -> str:
        """The version of a job with code in these files, or their hash if it is not the one in the lock."""
        code = self.hashed(*sources)
        if self.hashes.setdefault(job, code) != code:
            raise ValueError(f"the code of two rules is called {job}")
        known = self.locked.get(job)
        return parameter(known.version) if known and known.hash == code else code

    def by_job(self) -> dict[str, Locked]:
        """The versions and hashes of the code as it is: version 0 where it has none yet or was edited."""
        return {
            job: Locked(known.version if (known := self.locked.get(job)) and known.hash == code else 0, code)
            for job, code in self.hashes.items()
        }

    def keep(self, file: Path = NOW) -> None:
        """Write the hashes, if they are new; a folder that cannot be written to is no error."""
        text = json.dumps(self.hashes, indent=1, sort_keys=True)
        with suppress(OSError):
            if not file.is_file() or file.read_text(encoding="utf-8") != text:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
