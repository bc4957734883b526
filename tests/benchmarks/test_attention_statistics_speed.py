"""Attention statistics against other tools

Random models of BERT-base's and GPT-2's shape, with positions up to 2,048, read 1,024 tokens in texts of 128 or 512,
or one text of 2,048. Of every head the confidence, the entropy and the arg-max offsets are measured: through the
lens, as a pass goes on; and from maps that are kept, by NumPy, as `output_attentions=True` gives them,
TransformerLens' `run_with_cache` (patterns alone), and bertviz (one text at a time; its pages are not made). *Plain*
is a pass that measures nothing, with PyTorch's fused attention. TransformerLens has random weights of its own; the
other tools' statistics are compared with ours.
"""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from maps import WINDOW, Table, main, model_of, output_attentions, texts
from own_process import measured
from page import table
from torch import Tensor

from headwork.heads.statistics.confidence import Confidence
from headwork.heads.statistics.entropy import Entropy
from headwork.heads.statistics.offsets import Offsets
from headwork.heads.streaming.batches import Side, single_batch
from headwork.heads.streaming.measure import measure
from headwork.settings.heads import OffsetSettings

pytestmark = [pytest.mark.benchmark, pytest.mark.slow]

KINDS = {"bert": "encoder", "gpt2": "decoder"}
NAMES = {"bert": "BERT-base", "gpt2": "GPT-2"}
OURS, OTHERS = ("plain", "lens"), ("output_attentions", "bertviz", "transformer_lens")
COMPARED = ("plain", *OTHERS)
MULTIPLES = """## Attention statistics: time and peak memory as multiples of ours

Ours are taken through the lens during the pass, the others' by NumPy from stored maps; *plain* measures nothing."""


def plain(shape: str) -> Callable[[Tensor], object]:
    """A pass that measures nothing."""
    return model_of(shape, "sdpa")


def lens(shape: str) -> Callable[[Tensor], Table]:
    """All statistics in a pass; every token is a word of its own."""
    model, kind = model_of(shape, "sdpa"), KINDS[shape]

    def run(ids: Tensor) -> Table:
        every = torch.ones_like(ids, dtype=torch.bool)
        batch = single_batch(Side(ids, every, every, torch.arange(ids.shape[1]).expand_as(ids)), kind)
        found = measure(model, [batch], [Confidence(), Entropy(), Offsets(OffsetSettings(window=WINDOW))])
        found = found[found["statistic"] != "last"]
        return {
            name: rows.pivot(index="layer", columns="head", values="value").to_numpy().tolist()
            for name, rows in found.groupby(found["statistic"] + found["key"])
        }

    return run


WAYS = {each.__name__: each for each in (plain, lens)}


@pytest.mark.parametrize("shape", KINDS)
def test_statistics_of_a_pass(shape, report, section):
    rows = []
    if not section.below:
        section.below.append(MULTIPLES)
    for tokens in (128, 512, 2048):
        asked = (shape, tokens)
        times, memories = (
            measured(__file__, what, *asked, *OURS, for_memory=what == "memory")
            | measured("maps.py", what, *asked, *OTHERS, peers=True, for_memory=what == "memory")
            for what in ("time", "memory")
        )
        best = {
            way: min(values) for way, values in times.items()
        }  # other work makes all but the best times longer
        name = f"{NAMES[shape]}, {tokens:,} tokens"
        ratios = [own / base for own, base in zip(times["lens"], times["plain"], strict=True)]
        report(
            f"{name}: time with statistics / plain pass",
            ratios,
            at_most=1.05 if tokens < 2048 else None,
            why="fused attention forms no weights",
        )
        report(
            f"{name}: memory of `output_attentions=True` / ours",
            memories["output_attentions"] / memories["lens"],
            at_least=2.5,
            why="the maps of short texts are small beside the rest of a layer",
        )
        print(name, *(f"{way}: {best[way]:.3g} s, {memories[way]:.3g} MiB" for way in times), sep="\n  ")
        multiples = (
            f"{best[way] / best['lens']:.2f}, {memories[way] / memories['lens']:.1f}" for way in COMPARED
        )
        rows.append((f"{tokens:,} tokens", *multiples))
    section.below.append(table([f"{NAMES[shape]}: time, memory", *COMPARED], rows))


@pytest.mark.parametrize("shape", KINDS)
def test_statistics_are_equal(shape):
    with torch.inference_mode():
        ours, theirs = (way(shape)(texts(128)) for way in (lens, output_attentions))
    assert ours.keys() == theirs.keys()
    for name, values in ours.items():
        # Another order of summation may turn a near tie: an arg-max in ten thousand, no more.
        tolerance = 1e-4 if name.startswith("offset") else 1e-6
        np.testing.assert_allclose(values, theirs[name], rtol=1e-5, atol=tolerance, err_msg=name)


if __name__ == "__main__":
    main(WAYS, 3)
