"""Norms by Gram matrices against explicit vectors

One layer of BERT-base's shape reads 8 sentences of 128 tokens. The vectors of every head, query and key are made as
the released procedure makes them (Kobayashi et al. 2020); tests/equations shows that both agree. Each variant runs in a
process of its own for its peak memory; for time they take turns in one process, on one thread, in CPU seconds.
"""

import json
import sys
import time

import pytest
import torch
from memory import forget_peak, peak
from own_process import measured
from page import rounded
from torch import Tensor

from headwork.heads.norms.vector_norms import gram_roots, summed_norms, transformed_norms

SENTENCES, TOKENS, HEADS, HEAD_DIM = 8, 128, 12, 64
HIDDEN = HEADS * HEAD_DIM

Layer = tuple[Tensor, Tensor, Tensor, Tensor]
"""Weights (batch, head, query, key), values (batch, head, key, head_dim), W_O (hidden, head, head_dim), its roots."""


def layer() -> Layer:
    """A random layer."""
    torch.manual_seed(0)
    weights = (2 * torch.randn(SENTENCES, HEADS, TOKENS, TOKENS)).softmax(-1)
    value = torch.randn(SENTENCES, HEADS, TOKENS, HEAD_DIM)
    output = torch.randn(HIDDEN, HEADS, HEAD_DIM) / HIDDEN**0.5
    return weights, value, output, gram_roots(output)  # the roots are made once for a model


def explicit(weights: Tensor, value: Tensor, output: Tensor, _: Tensor) -> list[Tensor]:
    """‖f‖, ‖α f‖ and ‖Σ_h α f‖ from the vector of every head, query and key."""
    vectors = torch.einsum("bhkd,nhd->bhkn", value, output)
    mixed = weights[..., None] * vectors[:, :, None]
    return [vectors.norm(dim=-1), mixed.norm(dim=-1), mixed.sum(1).norm(dim=-1)]


def gram(weights: Tensor, value: Tensor, output: Tensor, roots: Tensor) -> list[Tensor]:
    """The same through Gram matrices."""
    norms = transformed_norms(value, roots)
    return [norms, weights * norms[:, :, None], summed_norms(weights, value, output)]


VARIANTS = {"explicit": explicit, "gram": gram}


def peak_memory(variant: str) -> dict[str, float]:
    """Extra MiB at the highest point, after a small run has loaded the libraries' own buffers."""
    parts = layer()
    VARIANTS[variant](*(part[:1] for part in parts[:2]), *parts[2:])
    before = forget_peak()
    VARIANTS[variant](*parts)
    return {"extra": peak() - before}


def layer_seconds() -> dict[str, list[float]]:
    """CPU seconds of each variant."""
    parts = layer()
    seconds = {}
    for variant, repetitions in (("explicit", 1), ("gram", 7)):
        VARIANTS[variant](*(part[:1] for part in parts[:2]), *parts[2:])
        seconds[variant] = []
        for _ in range(repetitions):
            start = time.process_time()
            VARIANTS[variant](*parts)
            seconds[variant].append(time.process_time() - start)
    return seconds


@pytest.mark.benchmark
@pytest.mark.slow
def test_gram_matrices_are_a_hundred_times_faster_than_the_vectors(report):
    seconds = {name: min(values) for name, values in measured(__file__, "layer").items()}
    figures = f"{rounded(seconds['explicit'])} and {rounded(seconds['gram'])} CPU s"
    ratio = seconds["explicit"] / seconds["gram"]
    report("time of explicit vectors / Gram matrices", ratio, at_least=100, figures=figures)


@pytest.mark.benchmark
@pytest.mark.slow
def test_gram_matrices_take_a_fiftieth_of_the_memory_of_the_vectors(report):
    extra = {name: measured(__file__, name, for_memory=True)["extra"] for name in VARIANTS}
    figures = f"{rounded(extra['explicit'])} and {rounded(extra['gram'])} MiB"
    ratio = extra["explicit"] / extra["gram"]
    report("memory of explicit vectors / Gram matrices", ratio, at_least=50, figures=figures)


if __name__ == "__main__":
    torch.set_num_threads(1)
    with torch.inference_mode():
        print(json.dumps(layer_seconds() if sys.argv[1] == "layer" else peak_memory(sys.argv[1])))
