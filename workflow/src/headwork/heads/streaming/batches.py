"""Batches with the word and tree of each token.

A head statistic needs more than a model's inputs. Every attention has queries on one `Side` (the text whose tokens
attend) and keys on one (the text whose tokens are attended to): in an encoder both are the source, in a decoder's
self-attention both are the target as the decoder reads it, in its cross-attention they are target and source.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from headwork.errors import InputError
from headwork.models.training.batches import cut, pad
from headwork.parses.align import SPECIAL, Pieces, pieces_of
from headwork.parses.conllu import Sentence
from headwork.parses.tokens import line_of
from headwork.sites import Ids, Mask

CAUSAL = frozenset({"decoder"})


@dataclass(frozen=True)
class Side:
    """The tokens of one side of a batch, each tensor (batch, time).

    `present` is false at padding; `real` is false at padding and at special tokens (EOS, the subword token a decoder
    starts from, [CLS], [SEP]), which stand for no text. `words` counts a sentence's words from 0, -1 where a token is
    not real. `sentences` are the trees, one a row, where there are any.
    """

    ids: Ids
    present: Mask
    real: Mask
    words: Ids
    sentences: tuple[Sentence, ...] | None = None

    @cached_property
    def all_real(self) -> bool:
        """Return whether there is neither padding nor a special token."""
        return bool(self.real.all())

    @cached_property
    def first(self) -> Tensor:
        """The place of the first real token of each row: (batch,)."""
        return self.real.int().argmax(1)

    @cached_property
    def lengths(self) -> Tensor:
        """The number of real tokens of each row: (batch,)."""
        return self.real.sum(1)

    @cached_property
    def last(self) -> Tensor:
        """The place of the last real token of each row: (batch,)."""
        places = torch.arange(self.real.shape[1], device=self.real.device)
        return (places * self.real).amax(1)

    def to(self, device: torch.device | str) -> "Side":
        """The same side with its tensors on that device."""
        names = ("ids", "present", "real", "words")
        return replace(self, **{name: getattr(self, name).to(device) for name in names})


@dataclass(frozen=True)
class Batch:
    """A model's inputs, and for each kind of its attention the sides of its queries and keys.

    `causal` are the kinds in which no query sees the keys after it; `target` is what a decoder that reads a source is
    to say.
    """

    inputs: Mapping[str, Tensor]
    queries: Mapping[str, Side]
    keys: Mapping[str, Side]
    causal: frozenset[str] = field(default=CAUSAL, kw_only=True)
    target: Side | None = field(default=None, kw_only=True)

    def same_text(self, kind: str) -> bool:
        """Return whether queries and keys are one text, so that offsets and relations between them are defined."""
        return kind in self.queries and self.queries[kind] is self.keys[kind]

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch with its tensors on that device; sides that were one stay one."""
        moved = {id(side): side.to(device) for side in (*self.queries.values(), *self.keys.values())}
        queries, keys = (
            {kind: moved[id(side)] for kind, side in sides.items()} for sides in (self.queries, self.keys)
        )
        inputs = {name: tensor.to(device) for name, tensor in self.inputs.items()}
        target = self.target and self.target.to(device)
        return replace(self, inputs=inputs, queries=queries, keys=keys, target=target)


@dataclass(frozen=True)
class Text:
    """One sentence before batching: its words, its subword tokens, and its tree if it has one."""

    line: str
    pieces: Pieces
    tree: Sentence | None = None

    def __len__(self) -> int:
        return len(self.pieces.ids)


def texts(
    lines: Iterable[str],
    tokenizer: PreTrainedTokenizerBase,
    trees: Iterable[Sentence] | None = None,
    name: str = "text",
    target: bool = False,
) -> Iterator[Text]:
    """Each line as pieces, with its tree; with `target`, of a translation.

    Words are those of the tree, or stand between single spaces; a line may lack the spaces that a tree's words hold.

    Raises InputError, naming `name` and the line, if a tree's words are not the line's or there are not as many.
    """
    tree_of = iter(trees) if trees is not None else None
    number = 0
    for number, line in enumerate(lines, start=1):
        line = line.rstrip("\n")
        words = line.split(" ")
        tree = next(tree_of, None) if tree_of is not None else None
        if tree_of is not None:
            if tree is None:
                raise InputError.at(name, "there are fewer trees than lines; parse this text again", number)
            if " ".join(tree.forms) == line:
                words = tree.forms  # a word may hold a space
            elif line_of(tree.forms) != line:
                raise InputError.at(
                    name,
                    f"the tree for this line is of {' '.join(tree.forms)!r}; parse this text again",
                    number,
                )
        yield Text(line, pieces_of(words, tokenizer, target), tree)
    if tree_of is not None and next(tree_of, None) is not None:
        raise InputError.at(name, f"there are more trees than the {number} lines; parse this text again")


def side_of(chosen: Sequence[Text], padding: int) -> Side:
    """These texts as one side, padded on the right to the longest."""
    ids = pad([np.asarray(text.pieces.ids) for text in chosen], padding)
    lengths = torch.tensor([len(text) for text in chosen])
    words = torch.full_like(ids, SPECIAL)
    for row, text in zip(words, chosen, strict=True):
        row[: len(text)] = torch.as_tensor(np.asarray(text.pieces.words))
    trees = tuple(text.tree for text in chosen)
    return Side(
        ids=ids,
        present=torch.arange(ids.shape[1]) < lengths[:, None],
        real=words != SPECIAL,
        words=words,
        sentences=None if any(tree is None for tree in trees) else trees,
    )


def read_by_decoder(side: Side, start: int | None) -> Side:
    """The side as a decoder reads it under teacher forcing: one place later, behind its start piece.

    A position denotes its input token, not the token it predicts; what ends a text is never an input. Without `start`,
    a decoder starts from what ends its text (mBART: the language's code).
    """

    def later(tensor: Tensor, first: int | bool | Tensor) -> Tensor:
        front = torch.zeros_like(tensor[:, :1]) + first
        return torch.cat([front.to(tensor.dtype), tensor[:, :-1]], dim=1)

    end = side.ids.gather(1, side.present.sum(1, keepdim=True) - 1)
    ids = later(side.ids, end if start is None else start)
    return Side(ids, side.present, later(side.real, False), later(side.words, SPECIAL))


def translation_batch(source: Side, target: Side, decoder_start: int | None) -> Batch:
    """A batch for an encoder-decoder that reads the target by teacher forcing."""
    read = read_by_decoder(target, decoder_start)
    return Batch(
        inputs={
            "input_ids": source.ids,
            "attention_mask": source.present.long(),
            "decoder_input_ids": read.ids,
            "decoder_attention_mask": read.present.long(),
        },
        queries={"encoder": source, "decoder": read, "cross": read},
        keys={"encoder": source, "decoder": read, "cross": source},
        target=target,
    )


def single_batch(side: Side, kind: str, causal: bool = False) -> Batch:
    """A batch for a model that reads one text: an encoder (perhaps a `causal` one), or a decoder."""
    inputs = {"input_ids": side.ids, "attention_mask": side.present.long()}
    return Batch(inputs, {kind: side}, {kind: side}, causal=CAUSAL | {kind} if causal else CAUSAL)


def bare_batch(inputs: Mapping[str, Tensor]) -> Batch:
    """A batch of which only the model's inputs are known: every token but padding is real, and a word of its own.

    `inputs` are those of an encoder, or of an encoder-decoder.
    """

    def side(prefix: str) -> Side:
        ids, present = inputs[f"{prefix}input_ids"], inputs[f"{prefix}attention_mask"].bool()
        return Side(ids, present, present, (present.cumsum(1) - 1).where(present, SPECIAL))

    source = side("")
    if "decoder_input_ids" not in inputs:
        return Batch(inputs, {"encoder": source}, {"encoder": source})
    read = side("decoder_")
    return Batch(
        inputs,
        {"encoder": source, "decoder": read, "cross": read},
        {"encoder": source, "decoder": read, "cross": source},
    )


def query_weights(
    masks: Bool[Tensor, "batch part query"], average: str
) -> tuple[Float[Tensor, "batch part query"], Int[Tensor, " part"]]:
    """Weights that make sums over queries means, and the counts to divide by, for each of several parts of the queries.

    `average` is ``tokens`` (all queries of all texts count alike) or ``sentences`` (the mean of each text that has such
    queries, then over texts; Clark et al. 2019).
    """
    sizes = masks.sum(2)
    if average == "tokens":
        return masks.float(), sizes.sum(0)
    return masks / sizes.clamp_min(1)[:, :, None], (sizes > 0).sum(0)


def translation_batches(
    sources: Sequence[Text], targets: Sequence[Text], padding: int, decoder_start: int | None, tokens: int
) -> list[Batch]:
    """Sentence pairs sorted by length, in batches of at most `tokens` tokens a side, padding included.

    Raises InputError if there are not as many sources as targets.
    """
    if len(sources) != len(targets):
        raise InputError(f"{len(sources)} source and {len(targets)} target sentences; give as many of each")
    return [
        translation_batch(
            side_of([sources[pair] for pair in chosen], padding),
            side_of([targets[pair] for pair in chosen], padding),
            decoder_start,
        )
        for chosen in _cut(tokens, sources, targets)
    ]


def single_batches(
    sentences: Sequence[Text], kind: str, padding: int, tokens: int, causal: bool = False
) -> list[Batch]:
    """Sentences sorted by length, in batches of at most `tokens` tokens; otherwise as `single_batch`."""
    return [
        single_batch(side_of([sentences[number] for number in chosen], padding), kind, causal)
        for chosen in _cut(tokens, sentences, sentences)
    ]


def _cut(tokens: int, *sides: Sequence[Text]) -> list[np.ndarray]:
    lengths = np.array([[len(text) for text in side] for side in sides])
    return cut(np.arange(lengths.shape[1]), lengths, tokens) if lengths.size else []
