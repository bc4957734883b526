"""A workflow that is killed goes on by the same command, and what comes out is what would have come out."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.workflow, pytest.mark.long]

KILLS = 30
TARGETS = ("voita2019",)
# From before the first job to several jobs after it: Snakemake itself takes some five seconds to begin.
MOMENTS = (3.0, 30.0)


def started(clone, *targets: str) -> subprocess.Popen[str]:
    """Snakemake on its way, in a process group of its own; what it says is in snakemake.log."""
    with open(clone / "snakemake.log", "w", encoding="utf-8") as log:
        return subprocess.Popen(
            ["snakemake", "--nocolor", "--cores", "2", "--", *targets],
            cwd=clone.folder,
            env=clone.environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
        )


def kill(process: subprocess.Popen[str]) -> None:
    """End the process and all that it started, without a word."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def tables(folder: Path) -> dict[str, bytes]:
    """The tables of all items, and the verdicts of the claims."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.csv"))}


def test_killed_at_random_moments(smoke_clone) -> None:
    whole, killed = smoke_clone("whole"), smoke_clone("killed")
    # what one process does for several rules is the same, and goes on where it was killed
    config = killed / "config/config.yaml"
    config.write_text(config.read_text().replace("together: false", "together: true"))
    whole.snakemake(*TARGETS)
    chance, kills = random.Random(8), 0
    while kills < KILLS:
        process = started(killed, *TARGETS)
        try:
            process.wait(timeout=chance.uniform(*MOMENTS))
        except subprocess.TimeoutExpired:
            kill(process)
            kills += 1
        else:
            assert process.returncode == 0, (killed / "snakemake.log").read_text()
            assert tables(killed / "results/miniature/papers") == tables(whole / "results/miniature/papers")
            # done before the last kill: once more from nothing
            killed.run(
                "rm",
                "-rf",
                "results/miniature/corpora",
                "results/miniature/parses",
                "results/miniature/models",
                "results/miniature/papers",
            )
    killed.snakemake(*TARGETS)
    found = tables(killed / "results/miniature/papers")
    assert len(found) > 12
    assert found == tables(whole / "results/miniature/papers")


def test_two_at_once(smoke_clone) -> None:
    """The second is told of the first, which goes on; and when that is killed, the next needs no hand."""
    clone = smoke_clone("twice")
    first = started(clone, "results/miniature/models/news-karvan-s1/scores.json")
    try:
        lock = clone / ".snakemake/run.lock"
        for _ in range(600):
            if lock.exists() and lock.read_text().strip():
                break
            time.sleep(0.1)
        second = clone.snakemake("results/miniature/corpora/tasks/summary.csv", check=False)
        assert second.returncode != 0
        assert f"another run (process {first.pid}) works in this folder" in second.stdout + second.stderr
        assert "Traceback" not in second.stdout + second.stderr
        assert not (clone / "results/miniature/corpora/tasks").exists()
    finally:
        kill(first)
    clone.snakemake("results/miniature/corpora/tasks/summary.csv")
