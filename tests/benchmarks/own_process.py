"""Benchmarks in processes of their own: one thread, no type checks, and a peak of memory that is theirs alone."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PEERS = Path(os.environ.get("HEADWORK_PEERS", ROOT / ".venv-peers"))

# Freed memory stays with the process, as in every job that the Makefile starts; else a pass pays for new pages, more or
# less as the machine's memory happens to lie.
KEEPING = {
    "MALLOC_MMAP_THRESHOLD_": "2000000000",
    "MALLOC_TRIM_THRESHOLD_": "8000000000",
    "MALLOC_TOP_PAD_": "268435456",
}
# Every larger tensor gets pages of its own and gives them back, so that the peak is what is in use at once and not how
# freed memory happened to be cut up (glibc; without this a figure varies by a fifth).
GIVING_BACK = {"MALLOC_MMAP_THRESHOLD_": str(2**18)}


def measured(file: str | Path, *arguments: object, for_memory: bool = False, peers: bool = False) -> Any:
    """Run a Python file and return what its last line of output is in JSON.

    `for_memory` takes care that the peak is what is in use at once; else that time is not spent on new pages. `peers`
    runs it in the peers' environment and skips the test where there is none. Raises RuntimeError with the end of what
    the process said if it fails.
    """
    python = PEERS / "bin" / "python" if peers else Path(sys.executable)
    if not python.is_file():
        pytest.skip(f"{python} is absent: `make peers` installs the tools to compare with")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    if peers:
        environment.pop("PYTHONPATH", None)
    environment |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "JAXTYPING_DISABLE": "1"}
    environment |= GIVING_BACK if for_memory else KEEPING
    done = subprocess.run(
        [python, Path(__file__).parent / file, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
    )
    if done.returncode:
        raise RuntimeError(f"{Path(file).name} {' '.join(map(str, arguments))}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])
