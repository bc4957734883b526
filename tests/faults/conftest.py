"""`make faults`: what a run survives, as a table in docs/faults.md.

The page is written where $HEADWORK_FAULTS names it. $HEADWORK_KILLS is the number of kills, $HEADWORK_SEED their seed.
"""

import os
import platform
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest
from clones import clone, listed, smoke_clone
from killing import SEED, Kill

__all__ = ["clone", "listed", "smoke_clone"]

SHOWN = ("snakemake", "dvc", "torch")


class Fault(NamedTuple):
    """One line of the page: what was done, the message, and whether all was as in an undisturbed run."""

    file: str
    what: str
    says: str
    kills: Sequence[Kill]
    recovered: bool


FAULTS = pytest.StashKey[list[Fault]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FAULTS] = []


@pytest.fixture
def survives(request: pytest.FixtureRequest) -> Callable:
    """A context in which a fault is injected and its outcome checked, noted for the page at its end.

    `says` is the message for a user who has to act. The context gives a list for kills.
    """

    @contextmanager
    def noting(what: str, says: str = "") -> Iterator[list[Kill]]:
        kills: list[Kill] = []
        recovered = False
        try:
            yield kills
            recovered = True
        finally:
            file = Path(request.module.__file__).name
            request.config.stash[FAULTS].append(Fault(file, what, says, kills, recovered))

    return noting


def pytest_sessionfinish(session: pytest.Session) -> None:
    path, faults = os.environ.get("HEADWORK_FAULTS"), session.config.stash[FAULTS]
    if path and faults:
        Path(path).write_text(page(faults), encoding="utf-8")


def page(faults: Sequence[Fault]) -> str:
    """The page: the machine, all faults with their messages, and a summary of the kills."""
    versions = ", ".join(f"{name} {version(name)}" for name in SHOWN)
    kills = [kill for fault in faults for kill in fault.kills]
    recovered = sum(fault.recovered for fault in faults)
    parts = [
        "# Faults",
        "Made by `make faults`. Each fault is injected into a clone at the smoke scale, then the same command is run "
        "again. The workflow has recovered if the results are byte-identical to those of an undisturbed run, no "
        "finished job was repeated, and one sentence said what the user has to do, if anything.",
        f"{date.today():%B %Y}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{versions}. {recovered} of {len(faults)} recovered; {len(kills)} kills, seed {SEED}. The faults, with the "
        "message where the user has to act:",
        "\n".join(map(_line, faults)),
    ]
    if kills:
        parts.append(_summary(kills))
    return "\n\n".join(parts) + "\n"


def _line(fault: Fault) -> str:
    says = f": {fault.says}" if fault.says else ""
    return f"- [{fault.what}](../tests/faults/{fault.file}){says}{'' if fault.recovered else '; **not recovered**'}"


def _summary(kills: Sequence[Kill]) -> str:
    """Which processes were killed, when, and the jobs under way."""
    victims = Counter(kill.victim for kill in kills)
    # the first word of a job's message is a verb; without a message it is the rule
    jobs = Counter(job.split()[0].lower() for kill in kills for job in kill.running)
    seconds = [kill.seconds for kill in kills]
    return (
        "Kills are by SIGKILL; moments and victims are drawn from the seed and the number of the kill. Killed were "
        f"{_counts(victims)}, {min(seconds):.1f} to {max(seconds):.1f} s after the start of the command. Jobs under "
        f"way: {_counts(jobs) or 'none'}; none at {sum(not kill.running for kill in kills)} kills."
    )


def _counts(counted: Counter[str]) -> str:
    """What was counted, the most frequent first."""
    return ", ".join(f"{what} ({number})" for what, number in counted.most_common())
