"""Alignment of words and subword tokens, and word-level attention.

Clark et al. (2019), section 4.1: attention TO a word is the sum over its pieces, attention FROM a word the mean over
its pieces, so that a word's weights still sum to one (less what goes to special tokens).

The tokeniser gives the word of each subword token. The map does not depend on the form of the tokens, so that case
folding, punctuation splitting, Unicode normalisation and unknown characters do not affect it.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from tokenizers import Encoding, Tokenizer
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from headwork.corpora.subwords.encoding import encoding_of, plain
from headwork.errors import InputError
from headwork.sites import Ids, Maps

SPECIAL = -1  # word index of subword tokens without a word: [CLS], </s>, padding

QueryWords = Int[Tensor, "batch query"]
KeyWords = Int[Tensor, "batch key"]
WordMaps = Float[Tensor, "batch head query_word key_word"]
Membership = Float[Tensor, "batch time word"]


class Pieces(NamedTuple):
    """A sentence as subword tokens: their ids, the word of each (-1: none), and its character span in that word."""

    ids: list[int]
    words: list[int]
    spans: list[tuple[int, int]]


def pieces_of(
    words: Sequence[str], tokenizer: Tokenizer | PreTrainedTokenizerBase, target: bool = False
) -> Pieces:
    """The subword tokens of a sentence given as words, with the special tokens that the tokeniser adds.

    They are those of the tokeniser's own call; with `target`, of its call for a translation.

    A span (start, end) counts characters of the word as it was given, whatever the tokeniser normalises; it is (0, 0)
    for special tokens. Raises InputError unless every word has a token, every token at most one word, and both are in
    the same order.
    """
    words = list(words)
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not isinstance(backend, Tokenizer):
        kind = type(tokenizer).__name__
        raise InputError(f"{kind} gives no offsets of its tokens; use a fast tokeniser (tokenizer.json)")
    if _takes_words(backend):
        encoding = encoding_of(tokenizer, words, target)
        owners = [
            SPECIAL if word is None or special else word
            for word, special in zip(encoding.word_ids, encoding.special_tokens_mask, strict=True)
        ]
        pieces = Pieces(encoding.ids, owners, encoding.offsets)
    else:
        pieces = _by_characters(words, encoding_of(tokenizer, " ".join(words), target))
    _check(pieces, words)
    return pieces


@lru_cache(maxsize=8)
def _takes_words(backend: Tokenizer) -> bool:
    """Whether words can be given one by one.

    They cannot if the tokens then differ from those of running text: if a token includes the space before its word, as
    in GPT-2 (``Ġthe``).
    """
    words, backend = ["a", "a", "cat's", "3,000", "e-mails,", "isn't", "(it)?"], plain(backend)
    apart = backend.encode(words, is_pretokenized=True, add_special_tokens=False)
    return apart.ids == backend.encode(" ".join(words), add_special_tokens=False).ids


def _by_characters(words: list[str], encoding: Encoding) -> Pieces:
    """Align by character offsets; a space, and a token that is only a space, belongs to the following word."""
    starts = [0, *accumulate(len(word) + 1 for word in words)][:-1]
    owner = [number for number, word in enumerate(words) for _ in range(len(word) + 1)]
    within = [True for _ in owner]
    for start, word in zip(starts, words, strict=True):
        within[start + len(word)] = False
    pieces = Pieces(encoding.ids, [], [])
    for (start, end), special in zip(encoding.offsets, encoding.special_tokens_mask, strict=True):
        characters = [place for place in range(start, end) if within[place]]
        if special or not words:
            pieces.words.append(SPECIAL)
            pieces.spans.append((0, 0))
            continue
        first = characters[0] if characters else min(end if start < end else start, len(owner) - 1)
        last = characters[-1] if characters else first - 1
        number = owner[first]
        if characters and owner[last] != number:
            between = " ".join(words[number : owner[last] + 1])
            raise InputError(
                f"the tokeniser makes one piece of several words, '{between}'; use one that splits text at spaces"
            )
        pieces.words.append(number)
        pieces.spans.append((first - starts[number], last + 1 - starts[number]))
    return pieces


def _check(pieces: Pieces, words: list[str]) -> None:
    real = [word for word in pieces.words if word != SPECIAL]
    missing = sorted(set(range(len(words))) - set(real))
    if missing:
        raise InputError(
            f"the tokeniser makes no piece of word {missing[0] + 1}, {words[missing[0]]!r}, of '{' '.join(words)}'; "
            "drop such words when cleaning, or use a tokeniser with an unknown token"
        )
    if any(later < earlier for earlier, later in pairwise(real)):
        raise InputError(f"the tokeniser changes the order of the words of '{' '.join(words)}'; use another")
    for word, (start, end) in zip(pieces.words, pieces.spans, strict=True):
        if word != SPECIAL and not 0 <= start <= end <= len(words[word]):
            raise InputError(
                f"the tokeniser places a piece at characters {start} to {end} of '{words[word]}', beyond its end"
            )


def membership(pieces: Ids, words: int, which: str = "sum") -> Membership:
    """The membership of tokens in words as weights: 1 for each token (``sum``), for the ``first`` or ``last``
    only, or shares that sum to one over the word's tokens (``mean``).

    `pieces` holds the word of each piece, -1 for special ones, which belong to none.
    """
    member = (pieces[:, :, None] == torch.arange(words, device=pieces.device)).float()
    if which == "sum":
        return member
    if which == "mean":
        return member / member.sum(1, keepdim=True).clamp(min=1)
    if which == "first":
        return member * (member.cumsum(1) == 1)
    return member * (member.flip(1).cumsum(1).flip(1) == 1)


def to_words(
    weights: Maps,
    query_words: QueryWords,
    key_words: KeyWords,
    words: int,
    from_: str = "mean",
    to: str = "sum",
) -> WordMaps:
    """Attention between words from attention between pieces.

    `query_words` and `key_words` hold the word of each piece (`Pieces.words`), -1 for special tokens and padding, which
    are dropped without renormalising rows. `words` is that of the longest sentence; rows and columns past a sentence's
    end are zero. With `from_` = "mean" and `to` = "sum" each row keeps the mass that the word's pieces gave to words.
    """
    batch, heads, queries, keys = weights.shape
    # the heads of a sentence share the word alignment: one product a sentence instead of one a head
    to_word = weights.reshape(batch, heads * queries, keys) @ membership(key_words, words, to).to(weights)
    from_word = membership(query_words, words, from_).transpose(1, 2)[:, None].to(weights)
    return from_word @ to_word.view(batch, heads, queries, words)
