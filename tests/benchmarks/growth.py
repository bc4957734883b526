"""How time and memory grow: one phase's work at several sizes, in a process of its own.

As a program: the name of one of `PHASES`; prints, by size, CPU seconds and MiB beyond what the process held before.
Models are small, so that growth and not the model's own products is what is seen: two layers of four heads, width 64,
texts of 16 tokens, where nothing else is said.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from memory import forget_peak, peak

VOCABULARY, AT_ONCE = 500, 64

Work = Callable[[], object]


def model_of(layers: int = 2, heads: int = 4, width: int = 64, classes: bool = False) -> Any:
    """A random BERT that reads up to 2,048 tokens."""
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=VOCABULARY,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        hidden_size=width,
        intermediate_size=2 * width,
        max_position_embeddings=2048,
    )
    model = BertForSequenceClassification(config).eval()
    return model if classes else model.bert


def batches(sentences: int, tokens: int) -> Iterator[Any]:
    """Random texts in batches of at most 64, made as they are asked for."""
    from headwork.heads.streaming.batches import Side, single_batch

    for start in range(0, sentences, AT_ONCE):
        ids = torch.randint(0, VOCABULARY, (min(AT_ONCE, sentences - start), tokens))
        every = torch.ones_like(ids, dtype=torch.bool)
        yield single_batch(Side(ids, every, every, torch.arange(tokens).expand_as(ids)), "encoder")


def heads(sentences: int = 1, tokens: int = 16, layers: int = 2, own: int = 4, width: int = 64) -> Work:
    """Confidence and entropy of every head."""
    from headwork.heads.statistics.confidence import Confidence
    from headwork.heads.statistics.entropy import Entropy
    from headwork.heads.streaming.measure import measure

    model = model_of(layers, own, width)
    return lambda: measure(model, batches(sentences, tokens), [Confidence(), Entropy()])


def relevance(sentences: int = 1, tokens: int = 16, layers: int = 2, own: int = 4, width: int = 64) -> Work:
    """AttnLRP of a class."""
    from headwork.relevance.propagation.lrp import head_relevance
    from headwork.settings.relevance import LRPSettings

    model = model_of(layers, own, width, classes=True)
    return lambda: head_relevance(model, batches(sentences, tokens), LRPSettings(rule="gradient"))


def attribution(tokens: int = 16, layers: int = 2, own: int = 4, width: int = 64) -> Work:
    """Self-attention attribution of all layers of one text, 8 nodes each."""
    from headwork.relevance.attributions.self_attention import attributions
    from headwork.relevance.attributions.targets import of_class
    from headwork.settings.relevance import AttributionSettings

    model = model_of(layers, own, width, classes=True)
    inputs = next(batches(1, tokens)).inputs
    settings = AttributionSettings(rule="right", steps=8)
    return lambda: list(attributions(model, inputs, of_class(model, torch.tensor([1])), settings=settings))


class Phase(NamedTuple):
    """What is made larger (one of `AXES`), the sizes, and the work at a size."""

    axis: str
    sizes: tuple[int, ...]
    work: Callable[[int], Work]


AXES = ("sentences", "tokens a text", "heads")
MANY, LENGTHS, LAYERS = (1000, 3000, 10_000, 30_000), (32, 128, 512, 2048), (1, 4, 16, 64)
OF_12 = {"own": 12, "width": 96}

PHASES = {
    "head statistics": Phase("sentences", (*MANY, 100_000), lambda size: heads(size)),
    "LRP": Phase("sentences", MANY[:3], lambda size: relevance(size)),
    "head statistics of a text": Phase("tokens a text", LENGTHS, lambda size: heads(tokens=size)),
    "LRP of a text": Phase("tokens a text", LENGTHS, lambda size: relevance(tokens=size)),
    "attribution of a text": Phase("tokens a text", LENGTHS, lambda size: attribution(tokens=size)),
    "statistics by heads": Phase("heads", LAYERS, lambda size: heads(4, 32, size, **OF_12)),
    "LRP by heads": Phase("heads", LAYERS, lambda size: relevance(4, 32, size, **OF_12)),
    "attribution by heads": Phase("heads", LAYERS[:3], lambda size: attribution(32, size, **OF_12)),
}
"""By heads, a size is a number of layers of twelve heads."""


def measure(phase: Phase) -> list[tuple[int, float, float]]:
    """(size, CPU seconds, MiB) at each size, after the smallest once unmeasured: the best time of three, if short."""
    phase.work(phase.sizes[0])()
    found = []
    for size in phase.sizes:
        seconds, memory = [], []
        while len(seconds) < 3 and sum(seconds) < 10:  # a shared machine only ever adds to it
            run = phase.work(size)
            before, start = forget_peak(), time.process_time()
            run()
            seconds.append(time.process_time() - start)
            memory.append(peak() - before)
        shown = size * 12 if phase.axis == "heads" else size
        found.append((shown, min(seconds), memory[0]))
    return found


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(1)
    print(json.dumps(measure(PHASES[sys.argv[1]])))
