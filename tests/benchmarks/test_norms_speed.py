"""Norms by Gram matrices against explicit vectors

One layer of BERT-base's shape reads 8 sentences of 128 tokens. The vectors of every head, query and key are made as
the released procedure makes them (Kobayashi et al. 2020). A model of four such layers reads the same for all
statistics of norms in one pass. Each variant runs in a process of its own for its peak memory; for time they take
turns in one process, on one thread, in CPU seconds. Run this file with a variant's name to see one alone.
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
from transformers import BertConfig, BertModel

from headwork.heads.norms.cancelling import Cancelling
from headwork.heads.norms.frequency_ranks import FrequencyRanks
from headwork.heads.norms.vector_norms import VectorNorms, gram_roots, summed_norms, transformed_norms
from headwork.heads.norms.weights_and_norms import Norms
from headwork.heads.statistics.rare import Frequencies
from headwork.heads.statistics.token_classes import CLASSES, TokenClasses
from headwork.heads.streaming.batches import Batch, Side, single_batch
from headwork.heads.streaming.measure import measure

SENTENCES, TOKENS, HEADS, HEAD_DIM = 8, 128, 12, 64
HIDDEN = HEADS * HEAD_DIM
VOCABULARY, LAYERS = 1000, 4

Layer = tuple[Tensor, Tensor, Tensor, Tensor]
"""Weights (batch, head, query, key), values (batch, head, key, head_dim), W_O (hidden, head, head_dim), its roots."""


def layer(sentences: int = SENTENCES, cancelling: bool = False) -> Layer:
    """A random layer, or one in which every second head undoes all but a hundredth of what the one before it writes."""
    torch.manual_seed(0)
    weights = (2 * torch.randn(sentences, HEADS, TOKENS, TOKENS)).softmax(-1)
    value = torch.randn(sentences, HEADS, TOKENS, HEAD_DIM)
    output = torch.randn(HIDDEN, HEADS, HEAD_DIM) / HIDDEN**0.5
    if cancelling:
        weights[:, 1::2], value[:, 1::2] = weights[:, ::2], value[:, ::2]
        output[:, 1::2] = 0.01 * output[:, 1::2] - output[:, ::2]
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


def text() -> Batch:
    """Sentences of one length, every token a word of its own."""
    torch.manual_seed(1)
    ids = torch.randint(0, VOCABULARY, (SENTENCES, TOKENS))
    every = torch.ones_like(ids, dtype=torch.bool)
    return single_batch(Side(ids, every, every, torch.arange(TOKENS).expand_as(ids)), "encoder")


def pass_seconds() -> dict[str, list[float]]:
    """CPU seconds of a plain pass and of one that measures norms, taking turns; roots are made before."""
    torch.manual_seed(0)
    config = BertConfig(vocab_size=VOCABULARY, num_hidden_layers=LAYERS, attn_implementation="sdpa")
    model, batch = BertModel(config, add_pooling_layer=False).eval(), text()
    ranks = torch.arange(VOCABULARY)
    classes = TokenClasses(CLASSES, ranks % len(CLASSES))
    frequencies = {"encoder": Frequencies(ranks, ranks + 1, VOCABULARY)}

    vectors = VectorNorms(model)

    def norms() -> None:
        chosen = [Norms(vectors, classes), Cancelling(vectors, classes), FrequencyRanks(vectors, frequencies)]
        with vectors.reading():
            measure(model, [batch], chosen)

    def plain() -> None:
        model(**batch.inputs)

    seconds: dict[str, list[float]] = {"plain": [], "norms": []}
    variants = {"plain": plain, "norms": norms}
    norms()
    plain()
    for repetition in range(4):
        for name in list(seconds)[:: 1 if repetition % 2 else -1]:
            start = time.process_time()
            variants[name]()
            seconds[name].append(time.process_time() - start)
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


@pytest.mark.benchmark
@pytest.mark.parametrize("cancelling", [False, True])
def test_gram_matrices_agree_with_the_vectors(cancelling):
    parts = layer(1, cancelling)
    for one, other in zip(gram(*parts), explicit(*parts), strict=True):
        assert (one - other).abs().max() <= 1e-5 * other.abs().max()


@pytest.mark.benchmark
@pytest.mark.slow
def test_statistics_of_norms_cost_at_most_half_of_a_plain_pass(report):
    seconds = measured(__file__, "pass")
    ratios = [norms / plain for norms, plain in zip(seconds["norms"], seconds["plain"], strict=True)]
    report("time of a pass with statistics of norms / plain pass", ratios, at_most=1.5)


if __name__ == "__main__":
    torch.set_num_threads(1)
    runs = {"layer": layer_seconds, "pass": pass_seconds}
    with torch.inference_mode():
        print(json.dumps(runs[sys.argv[1]]() if sys.argv[1] in runs else peak_memory(sys.argv[1])))
