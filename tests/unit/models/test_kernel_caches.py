"""The memory of kernels for products in bf16."""

import os
import subprocess
import sys

import pytest

from headwork.models.numerics.cpu import VARIABLES, keep_few_kernels

SHAPES = 400
CODE = f"""
import random, sys
from pathlib import Path
import torch
from headwork.models.numerics.cpu import keep_few_kernels
torch.set_num_threads(1)
if sys.argv[1] == "few":
    keep_few_kernels()
weight = torch.ones(256, 1024, dtype=torch.bfloat16)
used = lambda: int(Path("/proc/self/statm").read_text().split()[1])
torch.ones(1000 + {SHAPES}, 256, dtype=torch.bfloat16) @ weight
before = used()
for rows in random.Random(1).sample(range({SHAPES}), {SHAPES}):
    torch.ones(1000 + rows, 256, dtype=torch.bfloat16) @ weight
print(used() - before)
"""


def test_the_environment_decides(monkeypatch):
    monkeypatch.setattr(os, "environ", {VARIABLES[0]: "7"})
    keep_few_kernels()
    assert os.environ == {VARIABLES[0]: "7", VARIABLES[1]: "128"}


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_kernels_of_many_shapes_take_less_memory():
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}

    def pages(kept: str) -> int:
        # what a process holds also depends on what the system takes back from it meanwhile
        runs = (
            subprocess.check_output([sys.executable, "-c", CODE, kept], env=environment) for _ in range(3)
        )
        return min(map(int, runs))

    used = {kept: pages(kept) for kept in ("few", "all")}
    if used["all"] < SHAPES * 100 * 1024 // os.sysconf("SC_PAGE_SIZE"):
        pytest.skip("this processor's kernels for products in bf16 take no memory to speak of")
    assert used["few"] < 0.75 * used["all"], used
