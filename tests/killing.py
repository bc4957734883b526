"""Commands that are killed at random moments: the command alone, one of its jobs, or all processes."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import psutil
from clones import Clone

from headwork.run.closing import KILLED

# How often `make faults` kills, and the seed of the moments.
KILLS = int(os.environ.get("HEADWORK_KILLS", "100"))
SEED = int(os.environ.get("HEADWORK_SEED", "2019"))
VICTIMS = ("all processes", "the command", "one job")
# Snakemake's words on jobs: with a message, and without.
STARTED = re.compile(
    r"^Job (\d+): (.*)$|^(?:local)?rule (\S+):\n(?:    .*\n)*?    jobid: (\d+)$", re.MULTILINE
)
FINISHED = re.compile(r"^Finished jobid: (\d+)", re.MULTILINE)


class Activity(NamedTuple):
    """A command, and when it is killed: up to `span` seconds after its start, or after a file of `sign` was written."""

    name: str
    command: Sequence[str]
    span: float
    sign: str = ""


class Kill(NamedTuple):
    """One kill: of what, how many seconds after the start, and the jobs under way."""

    activity: str
    victim: str
    seconds: float
    running: tuple[str, ...]


def started(clone: Clone, command: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """The command on its way, in a process group of its own; what it says is in `log`."""
    with open(log, "wb") as said:
        return subprocess.Popen(
            command, cwd=clone.folder, env=clone.environment, stdout=said, stderr=said, start_new_session=True
        )


def kill_all(process: subprocess.Popen[bytes]) -> None:
    """End the process and all that it started, without a word."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def jobs_of(said: str) -> tuple[set[str], set[str]]:
    """The jobs that a run of Snakemake started, and those of them that it finished, by their messages."""
    names = {number or job: message or rule for number, message, rule, job in STARTED.findall(said)}
    return set(names.values()), {names[job] for job in FINISHED.findall(said)}


def killed(clone: Clone, activity: Activity, victim: str, chance: Random, log: Path) -> Kill | None:
    """Start the command and kill it, unless it ends well before. Without jobs under way, all processes are killed.

    Afterwards nothing that it started is left, and a run that lost a job says so in its last lines.
    """
    begun, before = time.monotonic(), _written(clone, activity.sign)
    process = started(clone, activity.command, log)
    while activity.sign and process.poll() is None and _written(clone, activity.sign) <= before:
        time.sleep(0.02)
    try:
        process.wait(timeout=chance.uniform(0, activity.span))
    except subprocess.TimeoutExpired:
        pass
    else:
        assert process.returncode == 0, log.read_text()
        return None
    seconds = time.monotonic() - begun
    every, finished = jobs_of(log.read_text())
    offspring = psutil.Process(process.pid).children(recursive=True)
    working = [child for child in offspring if any("scripts/tmp" in word for word in _words(child))]
    if victim == "one job" and working:
        chance.choice(working).kill()
        process.wait(timeout=600)
        lines = log.read_text().splitlines()
        assert process.returncode == 1, lines
        assert KILLED in lines[-8:], lines
        assert lines[-1].startswith("log: "), lines
    elif victim == "the command":
        process.kill()
        process.wait()
    else:
        victim = VICTIMS[0]
        kill_all(process)
    _, left = psutil.wait_procs(offspring, timeout=20)
    assert not [child for child in left if child.status() != psutil.STATUS_ZOMBIE]
    return Kill(activity.name, victim, seconds, tuple(sorted(every - finished)))


def _written(clone: Clone, pattern: str) -> set[tuple[str, int]]:
    """The files of the pattern, with their times."""
    found = set()
    for path in clone.folder.glob(pattern) if pattern else ():
        try:
            found.add((str(path), path.stat().st_mtime_ns))
        except FileNotFoundError:  # removed since it was listed
            continue
    return found


def _words(process: psutil.Process) -> list[str]:
    """The command line of a process; of one that has ended, nothing."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def contents(folder: Path, *without: str) -> dict[str, bytes]:
    """The files below a folder by their paths in it, but those of some names."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in without
    }


def differing(these: dict[str, bytes], those: dict[str, bytes]) -> list[str]:
    """The names of files that only one side has, or that are not the same."""
    return sorted(name for name in these.keys() | those.keys() if these.get(name) != those.get(name))
