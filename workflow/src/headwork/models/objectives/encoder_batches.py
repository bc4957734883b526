"""Batches for encoders: segments, masked differently in every epoch, and labelled texts.

Items are numbered through all epochs: item i of epoch p has the number p · (number of items) + i. Masks depend only on
the seed and that number, so that a resumed training sees the same masks.
"""

import hashlib
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from headwork.corpora.annotated.glue import Example, Task
from headwork.corpora.running_text.segments import Segment, read_segments
from headwork.errors import InputError
from headwork.models.objectives.masking import Masking
from headwork.models.training.batches import IGNORED, LINES_AT_ONCE, Side, TranslationData, pad
from headwork.settings.corpora import SegmentSettings

FOLLOWS, DOES_NOT_FOLLOW = 0, 1  # the numbers of BERT's own head


class Row(NamedTuple):
    """An encoder's input and its labels, one per position or one per text; `follows`: next-sentence label."""

    pieces: np.ndarray
    types: np.ndarray
    labels: np.ndarray | int | float
    follows: int | None = None


class EncoderData(TranslationData):
    """Texts with their special tokens; text i's second part begins at `second[i]`, and `typed` if types say so.

    Both sides of it are the text itself: batches are cut by its length.
    """

    dropped = 0
    typed = True

    def __init__(self, text: Side, second: np.ndarray) -> None:
        self.source = self.target = text
        self.second = second

    def place(self, number: int) -> tuple[int, int, np.ndarray, np.ndarray]:
        """(epoch, text, its tokens, their types) of an item."""
        turn, text = divmod(number, len(self))
        pieces = self.source[text].astype(np.int64)
        return turn, text, pieces, self.types(len(pieces), int(self.second[text]))

    def types(self, length: int, second: int) -> np.ndarray:
        """Of a text of `length` pieces: 1 from `second` on, or 0 throughout if the tokenizer's are."""
        return ((np.arange(length) >= second) & self.typed).astype(np.int64)

    @abstractmethod
    def __getitem__(self, number: int) -> Row: ...

    def digest(self) -> str:
        """SHA-256 of the tokens, of the positions of second parts, and of the labels."""
        sha = hashlib.sha256(super().digest().encode())
        sha.update(np.ascontiguousarray(self.second))
        for answers in self.answers():
            sha.update(np.ascontiguousarray(answers))
        return sha.hexdigest()

    @abstractmethod
    def answers(self) -> Iterator[np.ndarray]:
        """The arrays that determine the labels."""


class MaskedTexts(EncoderData):
    """Texts, masked differently in each epoch."""

    def __init__(self, text: Side, seed: int, masking: Masking, second: np.ndarray | None = None) -> None:
        super().__init__(text, text.lengths if second is None else second)
        self.seed, self.masking = seed, masking

    def __getitem__(self, number: int) -> Row:
        turn, text, pieces, types = self.place(number)
        read, labels = self.masking(pieces, np.random.default_rng([self.seed, turn, text]))
        return Row(read, types, labels)

    def answers(self) -> Iterator[np.ndarray]:
        settings = self.masking.settings
        yield np.array([self.seed, settings.share, settings.mask, settings.random])


class MaskedSegments(MaskedTexts):
    """Segments ``[CLS] A [SEP] B [SEP]``; with `unrelated`, half of the Bs are exchanged."""

    def __init__(
        self,
        segments: Iterable[Segment],
        tokenizer: PreTrainedTokenizerBase,
        masking: Masking,
        seed: int,
        unrelated: bool = False,
        room: int | None = None,
    ) -> None:
        self.seed = seed
        pairs = [tuple(segment) for segment in segments]
        self.follows = np.full(len(pairs), FOLLOWS)
        if unrelated:
            pairs = self._exchange(pairs, room)
        start, end = [tokenizer.cls_token_id], [tokenizer.sep_token_id]
        text = Side.of([start + first + end + second + end for first, second in pairs])
        super().__init__(text, seed, masking, np.array([len(first) + 2 for first, _ in pairs]))
        self.unrelated = unrelated

    @classmethod
    def read(
        cls,
        path: str | Path,
        tokenizer: PreTrainedTokenizerBase,
        settings: SegmentSettings,
        masking: Masking,
        seed: int,
        unrelated: bool = False,
    ) -> "MaskedSegments":
        """The segments of a file of paragraphs. Raises `InputError` if there is none, and as `read_segments` does."""
        found = read_segments(path, tokenizer.backend_tokenizer, settings, seed)
        data = cls(found, tokenizer, masking, seed, unrelated, settings.pieces)
        if not len(data):
            raise InputError.at(path, "the file has no segment of two parts; give it longer paragraphs")
        return data

    def _exchange(self, pairs: list[tuple[list[int], list[int]]], room: int | None) -> list:
        """Half of the segments, drawn by the seed, get each other's second parts, cut to the room there is."""
        chance = np.random.default_rng([self.seed, len(pairs)])
        chosen = chance.permutation(len(pairs))[: len(pairs) // 2]
        exchanged = list(pairs)
        for ours, theirs in zip(chosen, np.roll(chosen, 1), strict=True):
            first, second = pairs[ours][0], pairs[theirs][1]
            left = len(second) if room is None else max(1, room - 3 - len(first))
            exchanged[ours] = (first, second[:left])
        self.follows[chosen] = DOES_NOT_FOLLOW
        return exchanged

    def __getitem__(self, number: int) -> Row:
        follows = int(self.follows[number % len(self)]) if self.unrelated else None
        return super().__getitem__(number)._replace(follows=follows)

    def answers(self) -> Iterator[np.ndarray]:
        yield from super().answers()
        yield self.follows


class LabelledTexts(EncoderData):
    """Sentences or pairs of a task with a label each: the number of its name among the task's, or a score."""

    def __init__(
        self, examples: Sequence[Example], task: Task, tokenizer: PreTrainedTokenizerBase, longest: int
    ) -> None:
        self.indices = [example.index for example in examples]
        kind = np.float32 if task.labels is None else np.int64
        number = float if task.labels is None else task.labels.index
        self.labels = np.array([number(example.label) for example in examples], dtype=kind)
        ids, second, self.typed = [], [], False
        remaining = iter(examples)
        while block := list(islice(remaining, LINES_AT_ONCE)):
            texts = [[example.first for example in block]]
            if task.columns[1] is not None:
                texts.append([example.second for example in block])
            encoded = tokenizer(*texts, truncation=True, max_length=longest, return_token_type_ids=True)
            ids += encoded["input_ids"]
            for text, types in enumerate(encoded["token_type_ids"]):
                self.typed |= 1 in types
                # RoBERTa's types are all 0, but its tokenizer knows which sentence a subword token is of
                parts = types if 1 in types else encoded.sequence_ids(text)
                second.append(parts.index(1) if 1 in parts else len(parts))
        super().__init__(Side.of(ids), np.array(second))

    def __getitem__(self, number: int) -> Row:
        _, text, pieces, types = self.place(number)
        return Row(pieces, types, self.labels[text].item())

    def answers(self) -> Iterator[np.ndarray]:
        yield self.labels


class EncoderCollator:
    """Collates rows into tensors, padded to the longest; `types`: whether the model has token types."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, types: bool = True) -> None:
        self.padding = tokenizer.pad_token_id or 0  # it is masked
        self.types = types

    def __call__(self, rows: Sequence[Row]) -> dict[str, Tensor]:
        """`input_ids`, `attention_mask`, `token_type_ids` (batch, time); `labels`: the same shape, or (batch,)."""
        lengths = torch.tensor([len(row.pieces) for row in rows])
        ids = pad([row.pieces for row in rows], self.padding)
        batch = {
            "input_ids": ids,
            "attention_mask": (torch.arange(ids.shape[1]) < lengths[:, None]).long(),
        }
        if self.types:
            batch["token_type_ids"] = pad([row.types for row in rows], 0)
        labels = [row.labels for row in rows]
        batch["labels"] = pad(labels, IGNORED) if isinstance(labels[0], np.ndarray) else torch.tensor(labels)
        if rows[0].follows is not None:
            batch["next_sentence_label"] = torch.tensor([row.follows for row in rows])
        return batch
