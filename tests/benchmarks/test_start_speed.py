"""Seconds until Snakemake knows what to do

Wall-clock seconds in a fresh clone, the best of three, as every other job on the machine adds to it.
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]


@pytest.mark.parametrize(
    ("command", "seconds"), [("--list-rules", 2), ("-n voita2019_figure7", 3), ("-n clark2019_table1", 3)]
)
def test_snakemake_starts(command, seconds, root, tmp_path, report):
    """In a clone, so that what was made in this checkout does not count."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", root, clone], check=True)
    snakemake = [
        Path(sys.executable).with_name("snakemake"),
        *command.split(),
        "--cores",
        "1",
        "--quiet",
        "all",
    ]
    spent = []
    for _ in range(3):
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(snakemake, cwd=clone, check=True, capture_output=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        spent.append((time.perf_counter() - start, processor))
    figures = f"{min(processor for _, processor in spent):.1f} CPU s"
    report(
        f"seconds of `snakemake {command}`", min(wall for wall, _ in spent), at_most=seconds, figures=figures
    )
