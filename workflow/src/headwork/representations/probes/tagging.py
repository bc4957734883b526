"""Linear probes: the tag of a word from its vector alone, the encoder left as it is.

    p(tag | word) = softmax(W z + b),    z = (x - mean) / deviation, dimension by dimension over the training words

A sentence gets as many tags as it has words, so there are no errors of length (compare `sequence_probe`). What the
probe must beat is the most frequent tag of each word.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from headwork.parses.tagged import Tagged
from headwork.settings.representations import LinearTagProbe


class LinearProbe(nn.Module):
    """Standardises vectors as those it was trained on, and scores each tag."""

    def __init__(self, vectors: Float[Tensor, "word width"], tags: int) -> None:
        super().__init__()
        self.register_buffer("mean", vectors.mean(0))
        self.register_buffer("deviation", vectors.std(0).clamp_min(1e-6))
        self.scores = nn.Linear(vectors.shape[1], tags)
        nn.init.zeros_(self.scores.weight)
        nn.init.zeros_(self.scores.bias)

    def forward(self, vectors: Float[Tensor, "word width"]) -> Float[Tensor, "word tag"]:
        """The logit of each tag."""
        return self.scores((vectors - self.mean) / self.deviation)


def train_linear(
    vectors: Float[Tensor, "word width"],
    tags: Int[Tensor, " word"],
    number: int,
    settings: LinearTagProbe | None = None,
    seed: int = 0,
) -> LinearProbe:
    """A probe for `number` tags, trained on these words; the seed orders them."""
    settings = settings or LinearTagProbe()
    probe = LinearProbe(vectors, number).to(vectors.device)
    optimiser = torch.optim.AdamW(probe.parameters(), lr=settings.rate, weight_decay=settings.decay)
    steps = settings.epochs * -(-len(tags) // settings.batch)
    falling = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, steps)
    chance = torch.Generator().manual_seed(seed)
    for _ in range(settings.epochs):
        for chosen in torch.randperm(len(tags), generator=chance).to(tags.device).split(settings.batch):
            optimiser.zero_grad()
            cross_entropy(probe(vectors[chosen]), tags[chosen]).backward()
            optimiser.step()
            falling.step()
    return probe


@torch.no_grad()
def accuracy(probe: LinearProbe, vectors: Float[Tensor, "word width"], tags: Int[Tensor, " word"]) -> float:
    """The share of words whose most probable tag is theirs; a tag that is not the probe's is -1, and never found."""
    return float((probe(vectors).argmax(1) == tags).double().mean())


def most_frequent_tag(learned: Sequence[Tagged], scored: Sequence[Tagged]) -> float:
    """The share of words of `scored` that have the tag their word most often has in `learned`.

    Of equally frequent tags the first in the alphabet counts; a word that was not seen gets the most frequent of all.
    """
    by_word: dict[str, Counter[str]] = {}
    overall: Counter[str] = Counter()
    for sentence in learned:
        overall.update(sentence.tags)
        for word, tag in zip(sentence.words, sentence.tags, strict=True):
            by_word.setdefault(word, Counter())[tag] += 1
    usual = {word: _most(counts) for word, counts in by_word.items()}
    default = _most(overall)
    hits = [
        usual.get(word, default) == tag
        for sentence in scored
        for word, tag in zip(sentence.words, sentence.tags, strict=True)
    ]
    return float(np.mean(hits))


def _most(counts: Counter[str]) -> str:
    return min(counts, key=lambda tag: (-counts[tag], tag))
