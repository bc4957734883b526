"""Batches of sentence pairs of similar length, up to a token budget, with little padding.

The batch rule of Voita et al. 2019's code: shuffle, sort windows of pairs by length,
cut them greedily into batches whose padded size keeps to the budget on both sides, shuffle the batches.
"""

import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import numpy as np
import torch
from tokenizers.pre_tokenizers import WhitespaceSplit
from torch import Tensor
from torch.utils.data import Dataset, Sampler
from transformers import PreTrainedTokenizerBase

from headwork.corpora.sources.readers import lines
from headwork.corpora.subwords.encoding import encoding_of, ids_of
from headwork.errors import InputError

log = logging.getLogger(__name__)

LINES_AT_ONCE = 10_000
IGNORED = -100


class Side:
    """One side of a corpus as pieces: every sentence's ids after each other in one flat array.

    `starts` has one more entry than there are sentences: sentence i is `pieces[starts[i]:starts[i + 1]]`.
    """

    def __init__(self, pieces: np.ndarray, starts: np.ndarray) -> None:
        self.pieces = pieces
        self.starts = starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, sentence: int) -> np.ndarray:
        return self.pieces[self.starts[sentence] : self.starts[sentence + 1]]

    @property
    def lengths(self) -> np.ndarray:
        """Pieces of each sentence, EOS included."""
        return np.diff(self.starts)

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]]) -> "Side":
        """The pieces of some texts, as lists."""
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        return cls(np.fromiter(chain.from_iterable(texts), dtype=np.int32), _starts(lengths))

    @classmethod
    def encode(cls, text: Iterator[str], tokenizer: PreTrainedTokenizerBase, target: bool = False) -> "Side":
        """The pieces of each line, some thousand lines at a time (so text of any length streams)."""
        pieces_of = _encoder(tokenizer, target)
        blocks = [cls.of([])]
        while block := list(islice(text, LINES_AT_ONCE)):
            blocks.append(cls.of(pieces_of(block)))
        starts = _starts(np.concatenate([block.lengths for block in blocks]))
        return cls(np.concatenate([block.pieces for block in blocks]), starts)

    def only(self, kept: np.ndarray) -> "Side":
        """The sentences for which `kept` is true, in the same order."""
        lengths = self.lengths
        return Side(self.pieces[np.repeat(kept, lengths)], _starts(lengths[kept]))


def _starts(lengths: np.ndarray) -> np.ndarray:
    return np.append(0, np.cumsum(lengths, dtype=np.int64))


def _encoder(
    tokenizer: PreTrainedTokenizerBase, target: bool = False
) -> Callable[[list[str]], list[list[int]]]:
    """From lines to the subword tokens of each.

    Where text is split at spaces before all else, pieces never cross them, and each word is cut into pieces only once:
    in a corpus of a million words and two thousand types that takes a third of the time.
    """
    if not isinstance(tokenizer.backend_tokenizer.pre_tokenizer, WhitespaceSplit):
        return lambda text: ids_of(tokenizer, text, target)
    known: dict[str, list[int]] = {}
    sample = encoding_of(tokenizer, "a", target)
    own = np.flatnonzero(np.array(sample.special_tokens_mask) == 0)
    before, after = sample.ids[: own[0]], sample.ids[own[-1] + 1 :]

    def by_words(text: list[str]) -> list[list[int]]:
        split = [line.split(" ") for line in text]
        new = list({word for words in split for word in words} - known.keys())
        known.update(zip(new, ids_of(tokenizer, new, special=False), strict=True))
        return [[*before, *chain.from_iterable(known[word] for word in words), *after] for words in split]

    return by_words


class TranslationData(Dataset):
    """Line-aligned text as subword tokens; item i is the pair (source ids, target ids), each ending with EOS.

    `dropped` counts the pairs left out because a side is empty or longer than the limit.
    """

    def __init__(self, source: Side, target: Side, longest: int) -> None:
        lengths = np.stack([source.lengths, target.lengths])
        kept = (lengths.min(axis=0) > 1) & (lengths.max(axis=0) <= longest)
        self.dropped = int((~kept).sum())
        self.source, self.target = (
            (source.only(kept), target.only(kept)) if self.dropped else (source, target)
        )

    @classmethod
    def read(
        cls, source: str | Path, target: str | Path, tokenizer: PreTrainedTokenizerBase, longest: int
    ) -> "TranslationData":
        """Two line-aligned files, without the pairs of which a side has more than `longest` pieces.

        Raises `InputError` for unequal line counts, text that is not UTF-8, or when no pair is left.
        """
        sides = [
            Side.encode((line.text for line in lines(Path(path))), tokenizer, is_target)
            for path, is_target in ((source, False), (target, True))
        ]
        if len(sides[0]) != len(sides[1]):
            raise InputError(
                f"{source} has {len(sides[0])} lines and {target} has {len(sides[1])}; line-aligned text has as many"
            )
        data = cls(*sides, longest)
        if data.dropped:
            log.info("%s: %d pairs left out: empty, or over %d pieces", source, data.dropped, longest)
        if not len(data):
            raise InputError.at(source, f"no pair of sentences is left with at most {longest} pieces a side")
        return data

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, pair: int) -> tuple[np.ndarray, np.ndarray]:
        return self.source[pair], self.target[pair]

    def digest(self) -> str:
        """SHA-256 of the tokens and lengths of both sides, which determine a training."""
        sha = hashlib.sha256()
        for side in self.source, self.target:
            sha.update(side.pieces)
            sha.update(side.starts)
        return sha.hexdigest()


class TokenBudget(Sampler[list[int]]):
    """An endless corpus cut to `batches` batches of like-long pairs: the same batches for the same seed.

    A batch's padded size is at most `tokens` on either side (one pair alone may exceed it). Passes over the data
    follow each other without a seam, each with an order of its own that depends on the seed and the pass only; so
    a training that skips the batches it has seen goes on as if it had never stopped.
    """

    def __init__(
        self, data: TranslationData, tokens: int, batches: int, seed: int, window: int = 200_000
    ) -> None:
        self.data = data
        self.tokens = tokens
        self.batches = batches
        self.seed = seed
        self.window = window
        self.lengths = np.stack([data.source.lengths, data.target.lengths])

    def __len__(self) -> int:
        return self.batches

    def __iter__(self) -> Iterator[list[int]]:
        return islice((batch.tolist() for batch in self._endless()), self.batches)

    def target_tokens(self) -> np.ndarray:
        """Target tokens of each batch, EOS tokens included."""
        lengths = self.lengths[1]
        return np.fromiter((lengths[batch].sum() for batch in self), dtype=np.int64, count=self.batches)

    def one_pass(self, number: int) -> list[np.ndarray]:
        """The batches of one pass over the data, in their order."""
        order = np.random.default_rng([self.seed, number])
        pairs = order.permutation(len(self.data))
        batches = []
        for start in range(0, len(pairs), self.window):
            batches += cut(pairs[start : start + self.window], self.lengths, self.tokens)
        order.shuffle(batches)
        return batches

    def _endless(self) -> Iterator[np.ndarray]:
        number = 0
        while True:
            yield from self.one_pass(number)
            number += 1


class Passes(TokenBudget):
    """As `TokenBudget`, for items numbered through all epochs; with `examples`, batches have this number of texts."""

    def __init__(
        self,
        data: TranslationData,
        tokens: int,
        batches: int,
        seed: int,
        window: int = 200_000,
        examples: int | None = None,
    ) -> None:
        super().__init__(data, tokens, batches, seed, window)
        self.examples = examples

    def one_pass(self, number: int) -> list[np.ndarray]:
        """The batches of one pass over the data, in their order."""
        batches = super().one_pass(number) if self.examples is None else self._of_examples(number)
        return [batch + number * len(self.data) for batch in batches]

    def _of_examples(self, number: int) -> list[np.ndarray]:
        """Texts of like length: windows of a random order, sorted and cut into batches, in random order again."""
        order = np.random.default_rng([self.seed, number])
        texts, lengths = order.permutation(len(self.data)), self.lengths[0]
        size = max(self.window // self.examples, 1) * self.examples
        batches = []
        for start in range(0, len(texts), size):
            window = texts[start : start + size]
            window = window[np.argsort(lengths[window], kind="stable")]
            batches += [window[at : at + self.examples] for at in range(0, len(window), self.examples)]
        order.shuffle(batches)
        return batches

    def target_tokens(self) -> np.ndarray:
        """Pieces of each batch, on the second side if there are two; special ones included."""
        lengths = self.lengths[1]
        read = (lengths[np.array(batch) % len(self.data)].sum() for batch in self)
        return np.fromiter(read, dtype=np.int64, count=self.batches)


def cut(pairs: np.ndarray, lengths: np.ndarray, tokens: int) -> list[np.ndarray]:
    """Those pairs, sorted by length and cut into batches of at most `tokens` tokens a side, padding included.

    `lengths` holds the lengths of sources and of targets: (2, all pairs). Pairs equally long keep their order,
    so that a shuffle before decides which of them meet. Sources ascend and descend by turns as targets ascend:
    a batch that spans two target lengths then joins sources of like length.
    """
    source, target = lengths[:, pairs]
    pairs = pairs[np.lexsort((np.where(target % 2, source, -source), target))]
    longer = lengths[:, pairs].max(axis=0).tolist()
    batches, start, longest = [], 0, 0
    for position, length in enumerate(longer):
        longest = max(longest, length)
        if position > start and longest * (position + 1 - start) > tokens:
            batches.append(pairs[start:position])
            start, longest = position, length
    batches.append(pairs[start:])
    return batches


class Collator:
    """Pairs of sentences as the tensors a model is trained on, padded to the longest of the batch."""

    def __init__(self, padding: int, decoder_start: int) -> None:
        self.padding = padding
        self.decoder_start = decoder_start

    def __call__(self, pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> dict[str, Tensor]:
        """`input_ids`, `attention_mask`: (batch, source); `decoder_input_ids`, `labels`: (batch, target).

        The decoder's input is the target shifted right after its start token; labels are -100 at padding.
        """
        source = pad([pair[0] for pair in pairs], self.padding)
        labels = pad([pair[1] for pair in pairs], IGNORED)
        shifted = labels.roll(1, dims=1)
        shifted[:, 0] = self.decoder_start
        lengths = torch.tensor([len(pair[0]) for pair in pairs])
        return {
            "input_ids": source,
            "attention_mask": (torch.arange(source.shape[1]) < lengths[:, None]).long(),
            "decoder_input_ids": shifted.masked_fill_(shifted == IGNORED, self.padding),
            "labels": labels,
        }


def pad(sentences: Sequence[np.ndarray], filler: int) -> Tensor:
    """Sentences as one tensor (batch, longest), filled up on the right."""
    padded = np.full((len(sentences), max(map(len, sentences))), filler, dtype=np.int64)
    for row, sentence in zip(padded, sentences, strict=True):
        row[: len(sentence)] = sentence
    return torch.from_numpy(padded)
