"""How cost grows with sentences, tokens and heads

Time and memory of each phase against sentences, tokens a text and heads, on small models (their sizes are in
[growth.py](../tests/benchmarks/growth.py)). The exponent b of cost ~ size^b is fitted by least squares on logarithms,
to the three largest sizes; a few MiB are noise of the allocator, so memory has an exponent only above 20 MiB. No time
may grow faster than linearly in sentences. In the length of a text, attention is quadratic, and so are time and memory
of what reads or stores maps once these outweigh the products with weights.
"""

import numpy as np
import pytest
from corpora_phase import STEPS, corpora
from growth import AXES, PHASES
from own_process import measured

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]

PAIRS = (1000, 10_000, 100_000, 1_000_000)
NOISE = 20  # MiB
GROWTH = """## How cost grows

The exponent b of time ~ size^b, and that of memory above 20 MiB; fitted by least squares on logarithms to the three
largest sizes. In the length of a text attention is quadratic. Models are small
([growth.py](../tests/benchmarks/growth.py))."""

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
    lines, exponents = [], {}
    for name, points in curves.items():
        sizes, seconds, memory = (list(column) for column in zip(*points, strict=True))
        time_exponent = exponent(sizes, seconds)
        if axis == "sentences":
            exponents[name] = time_exponent
        found = f"{name} {time_exponent:.2f}"
        lines.append(found + (f", memory {exponent(sizes, memory):.2f}" if min(memory[-3:]) > NOISE else ""))
    if exponents:
        report(
            f"largest exponent of time in sentences, of {len(exponents)} phases",
            max(exponents.values()),
            at_most=1.1,
            why=max(exponents, key=exponents.__getitem__),
        )
    if not section.below:
        section.below.append(GROWTH)
    section.below.append(f"**Against {axis}**: {'; '.join(lines)}.")
