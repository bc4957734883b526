"""Start of Snakemake

Wall-clock seconds in a fresh clone, the best of three, as every other job on the machine adds to it. An empty
Snakefile shows what Snakemake itself takes.
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]


def started(folder, command):
    """(the least wall-clock seconds, the least CPU seconds) of three starts of Snakemake."""
    program = Path(sys.executable).with_name("snakemake")
    spent = []
    for _ in range(3):
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        options = ["--cores", "1", "--quiet", "all"]
        subprocess.run([program, *command.split(), *options], cwd=folder, check=True, capture_output=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        spent.append((time.perf_counter() - start, processor))
    return tuple(map(min, zip(*spent, strict=True)))


def test_snakemake_starts(root, tmp_path, report):
    """In a clone, so that what was made in this checkout does not count."""
    clone, empty = tmp_path / "clone", tmp_path / "empty"
    subprocess.run(["git", "clone", "--quiet", root, clone], check=True)
    empty.mkdir()
    (empty / "Snakefile").touch()
    wall, processor = started(empty, "--list-rules")
    report("seconds of `snakemake --list-rules`, an empty Snakefile", wall, figures=f"{processor:.1f} CPU s")
    why = f"{wall:.1f} s are Snakemake's own, as with an empty Snakefile"
    for command, most in (("--list-rules", 2), ("-n voita2019_figure7", 3), ("-n clark2019_table1", 3)):
        wall, processor = started(clone, command)
        report(
            f"seconds of `snakemake {command}`", wall, at_most=most, figures=f"{processor:.1f} CPU s", why=why
        )
