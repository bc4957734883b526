"""Seconds until Snakemake knows what to do

The best of three, as every other job on the machine adds to it; wall-clock seconds, in a checkout without results.
"""

import os
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
    """Jobs are planned in a clone, so that what was made in this checkout does not count."""
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
        start = time.perf_counter()
        subprocess.run(snakemake, cwd=clone, check=True, capture_output=True, env=os.environ)
        spent.append(time.perf_counter() - start)
    report(f"seconds of `snakemake {command}`", min(spent), at_most=seconds)
