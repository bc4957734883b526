"""The corpora phase on a million generated pairs

Sentences have 10 to 20 words of a vocabulary of 30,000. MiB are beyond the libraries.
"""

import pytest
from corpora_phase import STEPS, corpora
from page import rounded

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]

PAIRS = 1_000_000


def test_pairs_a_second_and_memory(report):
    found = corpora(PAIRS)
    for step in STEPS:
        figures = f"{rounded(found[step]['seconds'])} CPU s, {rounded(found[step]['extra'])} MiB"
        report(f"{step}: pairs per CPU second", PAIRS / found[step]["seconds"], figures=figures)
    seconds = found["clean and split"]["seconds"] + found["cut"]["seconds"]
    cutting = found["cut"]["seconds"] / seconds
    report(
        "cleaned, split and cut: pairs per CPU second",
        PAIRS / seconds,
        at_least=20_000,
        why=f"{cutting:.0%} of the time is cutting, by `tokenizers`",
    )
    report("peak MiB of the phase", max(step["extra"] for step in found.values()), at_most=1000)
