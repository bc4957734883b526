"""Assignment of sentences to splits, by a hash of the source sentence or by their source.

The hash (BLAKE2b of the case-folded, tokenised source sentence) depends on nothing but the sentence, so a sentence goes
to the same split whatever the order of the input, the target language or the other data. Test takes precedence over
dev, and dev over train: a sentence that belongs to two splits is kept in the first and dropped, and reported, from the
other.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from hashlib import blake2b
from typing import get_args

import numpy as np
from jaxtyping import Bool, UInt8, UInt64

from headwork.settings.corpora import Shares, Split

SPLITS = get_args(Split)
KEEP, DUPLICATE, IN_TEST, IN_DEV_OR_TEST, BEYOND_LIMIT = range(5)
DECISIONS = ("kept", "duplicate", "sentence is in test", "sentence is in dev or test", "beyond the limit")

Hashes = UInt64[np.ndarray, " pairs"]
HeldOut = UInt64[np.ndarray, " sentences"]
Decisions = UInt8[np.ndarray, " pairs"]


def hash_of(text: str, seed: int = 0) -> int:
    """64 bits of BLAKE2b: the same on every machine, in every process."""
    return int.from_bytes(
        blake2b(text.encode(), digest_size=8, salt=seed.to_bytes(8, "little")).digest(), "little"
    )


def sentence_hash(source: str, shares: Shares) -> int:
    """The hash of the case-folded words, by which source sentences are compared."""
    return hash_of(source.casefold(), shares.seed)


def split_of(sentence: int, shares: Shares) -> str:
    """train, dev or test, for the hash of a sentence."""
    place = sentence / 2**64
    return "test" if place < shares.test else "dev" if place < shares.test + shares.dev else "train"


class Members:
    """The pairs of one split so far, 20 bytes each: hashes of pair and source sentence, and line.

    Their origin is kept once per run of pairs: (source number, file, whether its duplicates are dropped).
    """

    def __init__(self) -> None:
        self.pairs, self.sentences, self.lines = array("Q"), array("Q"), array("I")
        self.starts: list[int] = []
        self.places: list[tuple] = []

    def add(self, pair: int, sentence: int, line: int, place: tuple) -> None:
        """One more pair; `place` is (source number, file, whether duplicates are dropped)."""
        if not self.places or self.places[-1] != place:
            self.starts.append(len(self.pairs))
            self.places.append(place)
        self.pairs.append(pair)
        self.sentences.append(sentence)
        self.lines.append(line)

    def place(self, number: int) -> tuple:
        """Where pair `number` came from."""
        return self.places[bisect_right(self.starts, number) - 1]

    def stretches(self) -> Iterator[tuple[slice, tuple]]:
        """Runs of pairs that came from one file."""
        ends = [*self.starts, len(self)][1:]
        for place, start, end in zip(self.places, self.starts, ends, strict=True):
            yield slice(start, end), place

    def __len__(self) -> int:
        return len(self.pairs)


def decide(members: dict[str, Members], limit: int | None) -> dict[str, Decisions]:
    """For every pair of every split whether it is kept, or why it is dropped (an index of DECISIONS).

    `limit` is the number of pairs left in train: those with the smallest hashes, a random choice that does
    not depend on the order of the input.
    """
    decisions = {split: _duplicates(members[split]) for split in SPLITS}
    sentences = {split: np.frombuffer(members[split].sentences, dtype=np.uint64) for split in SPLITS}
    test = np.unique(sentences["test"])
    held_out = np.unique(np.concatenate([test, sentences["dev"]]))
    for split, elsewhere, reason in (("dev", test, IN_TEST), ("train", held_out, IN_DEV_OR_TEST)):
        shared = _among(sentences[split], elsewhere)
        decisions[split][shared & (decisions[split] == KEEP)] = reason
    if limit is not None:
        pairs, train = np.frombuffer(members["train"].pairs, dtype=np.uint64), decisions["train"]
        kept = np.sort(pairs[train == KEEP])
        if len(kept) > limit:
            train[(train == KEEP) & (pairs >= kept[limit])] = BEYOND_LIMIT
    return decisions


def _duplicates(members: Members) -> Decisions:
    decisions = np.zeros(len(members), dtype=np.uint8)
    pairs = np.frombuffer(members.pairs, dtype=np.uint64)
    repeated = np.ones(len(members), dtype=bool)
    repeated[np.unique(pairs, return_index=True)[1]] = False
    for stretch, (_, _, drop) in members.stretches():
        if drop:
            decisions[stretch][repeated[stretch]] = DUPLICATE
    return decisions


def _among(hashes: Hashes, held_out: HeldOut) -> Bool[np.ndarray, " pairs"]:
    if not len(held_out):
        return np.zeros(len(hashes), dtype=bool)
    nearest = np.minimum(np.searchsorted(held_out, hashes), len(held_out) - 1)
    return held_out[nearest] == hashes
