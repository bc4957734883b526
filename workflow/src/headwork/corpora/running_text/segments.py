"""Segments of two consecutive parts A and B of running text, as in BERT's pretraining.

The construction of Devlin et al. 2019 (appendix A.2) as Clark et al. 2019 released it, without its random second parts:
sentences of a paragraph are gathered until they fill a segment or the paragraph ends; the boundary of two of them,
drawn evenly, divides A from B; what is too long loses single pieces from its longer part (B if they are equal), at the
front or the back with equal chances. A segment is ``[CLS] A [SEP] B [SEP]``.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tokenizers import Tokenizer

from headwork.corpora.running_text.paragraphs import paragraphs
from headwork.corpora.subwords.encoding import plain
from headwork.settings.corpora import SegmentSettings

PARAGRAPHS_AT_ONCE = 2000
SPECIALS = 3  # [CLS] and two [SEP]


class Segment(NamedTuple):
    """The pieces of the two parts, without special tokens; neither is empty."""

    first: list[int]
    second: list[int]


def segments(
    texts: Iterable[Sequence[Sequence[int]]], settings: SegmentSettings, seed: int = 0
) -> Iterator[Segment]:
    """The segments of paragraphs, each a sequence of sentences in pieces; the same for the same seed."""
    chance = random.Random(seed)
    room = settings.pieces - SPECIALS
    for sentences in texts:
        for stretch in _stretches(sentences, room):
            if len(stretch) > 1:
                boundary = chance.randint(1, len(stretch) - 1)
                parts = [
                    [piece for sentence in part for piece in sentence]
                    for part in (stretch[:boundary], stretch[boundary:])
                ]
            elif settings.lone == "halve" and len(stretch[0]) > 1:
                middle = min(room, len(stretch[0])) // 2
                parts = [list(stretch[0][:middle]), list(stretch[0][middle:])]
            elif settings.lone == "stop":
                break
            else:
                continue
            yield trimmed(*parts, room, chance)


def _stretches(sentences: Sequence[Sequence[int]], room: int) -> Iterator[list[Sequence[int]]]:
    """Sentences that follow each other, until they fill the room; the last stretch may not fill it."""
    gathered: list[Sequence[int]] = []
    for sentence in filter(len, sentences):
        gathered.append(sentence)
        if sum(map(len, gathered)) >= room:
            yield gathered
            gathered = []
    if gathered:
        yield gathered


def trimmed(first: list[int], second: list[int], room: int, chance: random.Random) -> Segment:
    """The two parts cut to `room` pieces together, piece by piece from the longer one, at either end."""
    ends = [[0, len(first)], [0, len(second)]]
    for _ in range(len(first) + len(second) - room):
        longer = ends[0] if ends[0][1] - ends[0][0] > ends[1][1] - ends[1][0] else ends[1]
        if chance.random() < 0.5:
            longer[0] += 1
        else:
            longer[1] -= 1
    return Segment(first[slice(*ends[0])], second[slice(*ends[1])])


def read_segments(
    path: str | Path, tokenizer: Tokenizer, settings: SegmentSettings, seed: int = 0
) -> Iterator[Segment]:
    """The segments of a text file (see `paragraphs`) in the tokenizer's pieces, as a stream.

    Raises `InputError` as `paragraphs` does.
    """
    return segments(_in_pieces(Path(path), tokenizer), settings, seed)


def _in_pieces(path: Path, tokenizer: Tokenizer) -> Iterator[list[list[int]]]:
    texts, tokenizer = paragraphs(path), plain(tokenizer)
    while block := list(islice(texts, PARAGRAPHS_AT_ONCE)):
        every = [sentence for paragraph in block for sentence in paragraph.sentences]
        encoded = iter(tokenizer.encode_batch_fast(every, add_special_tokens=False))
        for paragraph in block:
            yield [next(encoded).ids for _ in paragraph.sentences]
