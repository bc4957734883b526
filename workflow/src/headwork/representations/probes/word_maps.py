"""Maps between words of all heads of a model, batch by batch, with what probes need beside them.

Maps are made anew in each pass and never stored: those of 5000 sentences of 25 words and 144 heads would take 1.8 GB.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from headwork.heads.streaming.batches import Batch, Side
from headwork.heads.streaming.word_attention import WordLevel, special_as_words
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.parses.align import SPECIAL
from headwork.parses.scores import main_label
from headwork.representations.probes.word_vectors import WordVectors
from headwork.settings.base import require
from headwork.sites import Site

PADDING = -100
KIND = "encoder"


@dataclass(frozen=True)
class Parsed:
    """Some sentences, their attention and their trees; all tensors are padded to the longest sentence.

    `maps[b, k, i, j]`: what word i gives to word j in head k, counted over all layers. `to_special` and `from_special`:
    what a word gives to, and gets from, the special pieces before and after the sentence ([CLS] and [SEP]).
    `heads`: the head of each word, counted from 1; 0 is the root, -100 padding. `scored`: words that are no
    punctuation. `vectors`: the words' own.
    """

    maps: Float[Tensor, "batch head word word"]
    to_special: Float[Tensor, "batch head word 2"]
    from_special: Float[Tensor, "batch head word 2"]
    heads: Int[Tensor, "batch word"]
    scored: Bool[Tensor, "batch word"]
    vectors: Float[Tensor, "batch word size"]

    def __len__(self) -> int:
        return len(self.heads)

    @property
    def present(self) -> Bool[Tensor, "batch word"]:
        """Which words are there."""
        return self.heads != PADDING

    def parts(self, sentences: int) -> Iterator["Parsed"]:
        """The same, `sentences` at a time, without the padding that these do not need."""
        for start in range(0, len(self), sentences):
            rows = slice(start, start + sentences)
            words = slice(0, int(self.present[rows].sum(1).max()))
            yield Parsed(
                self.maps[rows, :, words, words],
                *(part[rows, :, words] for part in (self.to_special, self.from_special)),
                *(part[rows, words] for part in (self.heads, self.scored, self.vectors)),
            )


class WordMaps:
    """A stream of `Parsed`: each pass runs the model over all batches, in another order drawn from the seed.

    `batches` are of one kind of attention, with trees. Raises InputError where they are not.
    """

    def __init__(
        self, model: nn.Module, batches: Sequence[Batch], vectors: WordVectors, seed: int = 0
    ) -> None:
        self.model, self.batches, self.vectors = model, batches, vectors
        self._chance = np.random.default_rng(seed)
        for batch in batches:
            parsed = KIND in batch.queries and batch.queries[KIND].sentences is not None
            require(parsed, f"word maps: the batches have no {KIND} text with trees; give the text's trees")

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[Parsed]:
        device = next(self.model.parameters()).device
        for number in self._chance.permutation(len(self.batches)):
            yield self._parsed(self.batches[number].to(device))

    @torch.no_grad()
    def _parsed(self, batch: Batch) -> Parsed:
        side = batch.queries[KIND]
        numbers = special_as_words(side.words, side.present)
        size = int(numbers.max()) + 1
        every = torch.arange(size, device=numbers.device).expand(len(numbers), -1)
        level = WordLevel(numbers, numbers, every)
        found: dict[Site, list[Tensor]] = {}

        def keep(attended: Attended) -> None:
            found.setdefault(attended.site, []).append(level.maps(attended.weights, attended.rows))

        with Lens(self.model) as lens:
            sites = [site for site in lens.anatomy.sites if site.kind == KIND]
            with lens.observing(keep, sites=sites):
                self.model(**batch.inputs)
        # (batch, head, query, key) of all sites' heads together
        maps = torch.cat([torch.cat(found[site]) for site in sites], dim=2).transpose(1, 2)
        before = int((side.words[:, 0] == SPECIAL).all())
        longest = max(map(len, side.sentences))
        words = slice(before, before + longest)
        special = _special(side, size, before)[:, None]
        heads, scored = _trees(side, longest)
        # a shorter sentence's last special piece stands where a longer one still has words
        there = (heads != PADDING)[:, None, :, None].to(maps.dtype)
        vectors = torch.stack([self._vectors(sentence.forms, longest) for sentence in side.sentences])
        return Parsed(
            maps[:, :, words, words] * there * there.transpose(2, 3),
            (maps @ special)[:, :, words] * there,
            (maps.transpose(2, 3) @ special)[:, :, words] * there,
            heads,
            scored,
            vectors.to(maps.device),
        )

    def _vectors(self, words: list[str], longest: int) -> Float[Tensor, "word size"]:
        own = self.vectors.of(words)
        return torch.cat([own, own.new_zeros(longest - len(own), self.vectors.size)])


def _special(side: Side, size: int, before: int) -> Float[Tensor, "batch place 2"]:
    """One where a word, special pieces counted as words, is that before or after the sentence."""
    found = torch.zeros(len(side.ids), size, 2, device=side.ids.device)
    found[:, 0, 0] = before
    for row, sentence in enumerate(side.sentences):
        found[row, before + len(sentence) : before + len(sentence) + 1, 1] = 1
    return found


def _trees(side: Side, longest: int) -> tuple[Int[Tensor, "batch word"], Bool[Tensor, "batch word"]]:
    heads = np.full((len(side.sentences), longest), PADDING)
    scored = np.zeros(heads.shape, dtype=bool)
    for row, sentence in enumerate(side.sentences):
        for place, word in enumerate(sentence.words):
            loose = f"word maps: {word.form!r} of {sentence.text!r} has no head; parse the text"
            require(word.head is not None, loose)
            heads[row, place] = word.head
            scored[row, place] = main_label(word.deprel) != "punct"
    return tuple(torch.from_numpy(part).to(side.ids.device) for part in (heads, scored))
