"""How long this machine takes for a product with weights in single precision and in bf16, forward and backward.

Instructions for bf16 do not say which is faster: with torch 2.13, an AMD Zen 4 is faster in bf16, an Intel Xeon with
AVX512-BF16 but without AMX in single precision.
"""

import json
import logging
import os
import time
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

import torch
from torch.nn import functional

from headwork.models.numerics.bf16_products import linear
from headwork.models.training.provenance import processor
from headwork.run.user_cache import user_cache

log = logging.getLogger(__name__)

ROWS, INNER, OUTER = 1024, 256, 1024
TURNS = 4
GAIN = 0.9  # bf16 must take less than this share of the time, since it is less exact


def bf16_pays() -> bool:
    """Whether training on this CPU is faster with products in bf16."""
    times = product_times()
    return times["bf16"] < GAIN * times["fp32"]


@cache
def product_times() -> dict[str, float]:
    """CPU milliseconds by precision (fp32, bf16), timed once per processor and version of torch.

    The user's cache keeps them, so that all trainings on a machine choose alike; if it cannot be written to, they are
    timed in each process.
    """
    name = f"{processor()}, torch {torch.__version__}, {torch.get_num_threads()} threads"
    path = user_cache() / "product_times" / f"{''.join(c if c.isalnum() else '-' for c in name)}.json"
    try:
        if not path.is_file():
            _keep(path, _timed())
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        log.warning("%s cannot be used (%s): products are timed anew", path, error)
        return _timed()


def _keep(path: Path, times: dict[str, float]) -> None:
    """Write the file, unless another process was first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=path.parent, encoding="utf-8") as file:
        file.write(json.dumps(times))
        file.flush()
        try:
            os.link(file.name, path)
        except FileExistsError:
            return


def _timed() -> dict[str, float]:
    """The best of a few turns of each, in CPU time; the first, in which libraries prepare themselves, is left out."""
    inputs = torch.ones(ROWS, INNER, requires_grad=True)
    weight = torch.ones(OUTER, INNER, requires_grad=True)
    found: dict[str, list[float]] = {"fp32": [], "bf16": []}
    for turn in range(TURNS + 1):
        for name, product in (("fp32", functional.linear), ("bf16", linear)):
            started = time.process_time()
            product(inputs, weight).sum().backward()
            if turn:
                found[name].append(1000 * (time.process_time() - started))
    return {name: round(min(times), 3) for name, times in found.items()}
