"""Examples of a task as batches for head statistics: one sentence, or two as the tokenizer joins them ([CLS] A [SEP] B
[SEP]), with the words and trees of both.

The words of a pair, and of its trees, are numbered consecutively: those of B follow those of A.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

from headwork.corpora.annotated.glue import Example
from headwork.corpora.subwords.encoding import PLAIN
from headwork.errors import InputError
from headwork.heads.streaming.batches import Batch, Side, Text, side_of, single_batch
from headwork.models.training.batches import cut
from headwork.parses.align import SPECIAL, Pieces, pieces_of
from headwork.parses.conllu import Sentence, read_trees

log = logging.getLogger(__name__)


def trees_of_examples(path: str | Path) -> dict[int, list[Sentence]]:
    """The trees of a task's split by the index of the example: ``news-17-2`` is the second sentence of example 17.

    Raises InputError for a sentence that has no such id.
    """
    found: dict[int, list[Sentence]] = {}
    for sentence in read_trees(path):
        parts = (sentence.sent_id or "").rsplit("-", 2)
        if len(parts) != 3 or not parts[1].isdigit():
            message = f"sent_id is {sentence.sent_id!r}; it must end in the example's index and the sentence's number"
            raise InputError.at(path, message, sentence.line)
        found.setdefault(int(parts[1]), []).append(sentence)
    return found


def task_texts(
    examples: Iterable[Example],
    tokenizer: PreTrainedTokenizerBase,
    longest: int,
    trees: Mapping[int, Sequence[Sentence]] | None = None,
    name: str = "task",
) -> tuple[list[Text], list[int], list[int]]:
    """The texts of the examples, where their second parts begin (their length, if they have none), their indices.

    Examples of more than `longest` pieces are left out. Raises InputError if trees are given and those of an example
    are not of its words, and for a tokenizer that makes other pieces of two sentences than of each.
    """
    texts, seconds, indices, dropped = [], [], [], 0
    for example in examples:
        lines = [line for line in (example.first, example.second) if line is not None]
        sentences = [line.split() for line in lines]
        pieces = [pieces_of(words, tokenizer) for words in sentences]
        joined, second = _joined([" ".join(words) for words in sentences], pieces, tokenizer)
        if len(joined.ids) > longest:
            dropped += 1
            continue
        tree = None if trees is None else _tree(trees.get(example.index, ()), sentences, name, example.index)
        texts.append(Text(" ".join(lines), joined, tree))
        seconds.append(second)
        indices.append(example.index)
    if dropped:
        log.info("%s: %d examples left out: more than %d pieces", name, dropped, longest)
    if not texts:
        raise InputError(f"{name}: no example has at most {longest} pieces")
    return texts, seconds, indices


def task_batches(
    texts: Sequence[Text],
    seconds: Sequence[int],
    padding: int,
    tokens: int,
    types: bool = True,
    kind: str = "encoder",
    causal: bool = False,
) -> list[Batch]:
    """The texts, sorted by length, in batches of at most `tokens` tokens; `types`: the model knows two parts.

    `kind` and `causal` are those of the model's attention.
    """
    lengths = np.array([list(map(len, texts))]).repeat(2, axis=0)
    batches = []
    for chosen in cut(np.arange(len(texts)), lengths, tokens):
        side: Side = side_of([texts[number] for number in chosen], padding)
        batch = single_batch(side, kind, causal)
        if types:
            begins = torch.tensor([seconds[number] for number in chosen])[:, None]
            second = (torch.arange(side.ids.shape[1]) >= begins) & side.present
            batch = replace(batch, inputs={**batch.inputs, "token_type_ids": second.long()})
        batches.append(batch)
    return batches


def _joined(
    lines: Sequence[str], pieces: Sequence[Pieces], tokenizer: PreTrainedTokenizerBase
) -> tuple[Pieces, int]:
    """The pieces of one or two sentences as the tokenizer joins them, and where the second begins (or their end)."""
    (encoding,) = tokenizer(*lines, **PLAIN).encodings
    length, words = len(encoding.ids), 0
    joined = Pieces(encoding.ids, [SPECIAL] * length, [(0, 0)] * length)
    for part, own in enumerate(pieces):
        places = [place for place, of in enumerate(encoding.sequence_ids) if of == part]
        known = [each for each in zip(*own, strict=True) if each[1] != SPECIAL]
        if [encoding.ids[place] for place in places] != [number for number, *_ in known]:
            raise InputError(
                f"{type(tokenizer).__name__} does not join two sentences of the pieces that it makes of each; heads on "
                "tasks are measured for models that do"
            )
        for place, (_, word, span) in zip(places, known, strict=True):
            joined.words[place], joined.spans[place] = word + words, span
        words += max(own.words) + 1
    second = encoding.sequence_ids.index(1) if len(pieces) > 1 else length
    return joined, second


def _tree(trees: Sequence[Sentence], sentences: Sequence[list[str]], name: str, index: int) -> Sentence:
    if [tree.forms for tree in trees] != list(sentences):
        raise InputError(f"{name}: the trees of example {index} are not of its words; parse the task again")
    whole = Sentence([])
    for tree in trees:
        start = len(whole)
        for word in tree.words:
            head = word.head if not word.head else word.head + start
            whole.words.append(replace(word, head=head, misc=_shifted(word.misc, start)))
    return whole


def _shifted(misc: Mapping[str, str], start: int) -> dict[str, str]:
    """Shift the word numbers in semantic roles by `start`."""
    if start and "Role" in misc:
        roles = (role.rsplit(":", 1) for role in misc["Role"].split(","))
        return {**misc, "Role": ",".join(f"{role}:{int(predicate) + start}" for role, predicate in roles)}
    return dict(misc)
