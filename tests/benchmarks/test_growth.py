"""How cost grows

Time and memory of each phase against sentences, tokens a text and heads, on small models (their sizes are in
[growth.py](../tests/benchmarks/growth.py)). The exponent b of cost ~ size^b is fitted by least squares on logarithms,
to the three largest sizes; MiB of a few are the noise of the allocator, so that memory has an exponent only above 20
MiB. Nothing may grow faster than sentences do. In the length of a text, attention is quadratic, and what reads or keeps
maps is so in time and memory once they outweigh the products with weights.
"""

import numpy as np
import pytest
from corpora_phase import STEPS, corpora
from growth import AXES, PHASES
from own_process import measured
from page import rounded, table

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]

PAIRS = (1000, 10_000, 100_000, 1_000_000)
NOISE = 20  # MiB

Points = list[tuple[int, float, float]]
"""(size, CPU seconds, MiB)"""


def exponent(sizes: list[int], costs: list[float]) -> float:
    """b of cost ~ size^b at the three largest sizes."""
    return float(np.polyfit(np.log(sizes[-3:]), np.log(costs[-3:]), 1)[0])


@pytest.mark.parametrize("axis", AXES)
def test_growth(axis, section, report):
    curves: dict[str, Points] = {}
    if axis == "sentences":
        found = {pairs: corpora(pairs) for pairs in PAIRS}
        for step in STEPS:
            costs = {pairs: own[step] for pairs, own in found.items()}
            curves[f"corpora: {step}"] = [
                (pairs, own["seconds"], own["extra"]) for pairs, own in costs.items()
            ]
    for name, phase in PHASES.items():
        if phase.axis == axis:
            curves[name] = measured("growth.py", name, for_memory=True)
    rows = []
    for name, points in curves.items():
        sizes, seconds, memory = (list(column) for column in zip(*points, strict=True))
        time_exponent = exponent(sizes, seconds)
        if axis == "sentences":
            report(f"exponent of time in sentences: {name}", time_exponent, at_most=1.1)
        grows = f"{exponent(sizes, memory):.2f}" if min(memory[-3:]) > NOISE else "-"
        spent = (rounded(seconds[-1]), f"{time_exponent:.2f}", rounded(memory[-1]), grows)
        rows.append((name, f"{sizes[0]:,} to {sizes[-1]:,}", *spent))
    header = [
        f"against {axis}",
        "sizes",
        "CPU s at the largest",
        "exponent",
        "MiB at the largest",
        "exponent",
    ]
    section.below.append(table(header, rows))
