"""Heads that attend from a mention to its antecedent (Clark et al. 2019, section 4.3, table 2).

    accuracy(head) = #{anaphors: the candidate word attended to most is the head of an antecedent} / #{anaphors}

from the anaphor's head word, between words (see `headwork.heads.streaming.word_attention`), and in the other direction:
the word that attends most to it. The paper does not define the candidates, so three definitions are measured at once:
any other word, heads of other mentions, heads of preceding mentions. In causal attention candidates are those that the
direction can see: no earlier word attends to the anaphor. `headwork.heads.coreference.antecedents` has the
rules to compare with.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Int
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from headwork.corpora.annotated.coreference import Document
from headwork.heads.coreference.antecedents import (
    CANDIDATES,
    MENTION_KINDS,
    MentionText,
    anaphors,
    candidates,
)
from headwork.heads.streaming.batches import Batch, Side, Text, single_batches
from headwork.heads.streaming.site_weights import Look, Reduction
from headwork.heads.streaming.tally import Tally
from headwork.heads.streaming.word_attention import WordLevel
from headwork.lens.reductions import peak
from headwork.parses.align import SPECIAL, Pieces, pieces_of
from headwork.sites import Site

WAYS = ("to-antecedent", "from-antecedent")
KINDS = ("all", *MENTION_KINDS)


def shortened(
    documents: Iterable[Document], tokenizer: PreTrainedTokenizerBase, longest: int = 128
) -> list[MentionText]:
    """The documents, each cut to its first words that make at most `longest` pieces, special ones included."""
    texts = []
    for document in documents:
        text = MentionText.of(document)
        text = text.first(_words_within(pieces_of(text.forms, tokenizer), longest))
        if len(text):
            texts.append(text)
    return texts


def mention_batches(
    texts: Iterable[MentionText],
    tokenizer: PreTrainedTokenizerBase,
    tokens: int = 4000,
    kind: str = "encoder",
) -> list[Batch]:
    """Texts with mentions sorted by length, in batches of at most `tokens` tokens."""
    sides = [Text(" ".join(text.forms), pieces_of(text.forms, tokenizer), text) for text in texts]
    return single_batches(sides, kind, tokenizer.pad_token_id, tokens)


def _words_within(pieces: Pieces, longest: int) -> int:
    """Return the number of whole words that, with special tokens, are at most `longest` subword tokens."""
    words = np.array(pieces.words)
    ends = np.bincount(words[words != SPECIAL]).cumsum() + (words == SPECIAL).sum()
    return int((ends <= longest).sum())


class _Anaphors(NamedTuple):
    """A batch's anaphors, padded to the largest number in a text; `group` is the group each is counted in."""

    level: WordLevel
    query: Int[Tensor, "batch slot"]
    allowed: Bool[Tensor, "batch slot setting way word"]
    right: Bool[Tensor, "batch slot word"]
    group: Bool[Tensor, "batch slot kind"]


class Coreference:
    """The statistic `coreference`, keys like ``any-word/to-antecedent/pronoun``; its count is the number of anaphors.

    It reads the batches of `mention_batches`.
    """

    def __init__(self) -> None:
        self.keys = tuple(
            f"{setting}/{way}/{kind}" for setting in CANDIDATES for way in WAYS for kind in KINDS
        )
        self.reductions: tuple[Reduction, ...] = (self._hits,)
        self._tally = Tally("coreference", self.keys)

    def start(self, batch: Batch) -> None:
        """Find the batch's anaphors, their candidates and their antecedents."""
        self._anaphors = {
            kind: self._gather(side, kind in batch.causal)
            for kind, side in batch.queries.items()
            if batch.same_text(kind)
            and all(isinstance(each, MentionText) for each in side.sentences or [None])
        }

    def _gather(self, side: Side, causal: bool) -> _Anaphors:
        found = [list(anaphors(text)) for text in side.sentences]
        size = max(map(len, side.sentences))
        shape = (len(found), max(map(len, found)))
        query = np.zeros(shape, dtype=np.int64)
        allowed = np.zeros((*shape, len(CANDIDATES), len(WAYS), size), dtype=bool)
        right = np.zeros((*shape, size), dtype=bool)
        group = np.zeros((*shape, len(KINDS)), dtype=bool)
        wanted = np.full((len(found), size), SPECIAL)
        for row, (text, own) in enumerate(zip(side.sentences, found, strict=True)):
            wanted[row, : len(text)] = np.arange(len(text))
            for slot, anaphor in enumerate(own):
                query[row, slot] = anaphor.mention.head
                right[row, slot, list(anaphor.antecedents)] = True
                group[row, slot, [0, KINDS.index(anaphor.mention.kind)]] = True
                for number, setting in enumerate(CANDIDATES):
                    allowed[row, slot, number][:, candidates(text, anaphor, setting)] = True
                if causal:  # words see those before them, and are seen by those after them
                    allowed[row, slot, :, 0, anaphor.mention.head :] = False
                    allowed[row, slot, :, 1, : anaphor.mention.head] = False
        wanted, query, allowed, right, group = (
            torch.from_numpy(part).to(side.ids.device) for part in (wanted, query, allowed, right, group)
        )
        return _Anaphors(WordLevel(side.words, side.words, wanted), query, allowed, right, group)

    def _hits(self, look: Look) -> Bool[Tensor, "batch slot setting way head"]:
        """Return whether the chosen candidate is right; an empty tensor for texts without mentions."""
        heads, found = look.weights.shape[1], self._anaphors.get(look.site.kind)
        if found is None or not found.query.shape[1]:
            shape = (len(look.weights), 0, len(CANDIDATES), len(WAYS), heads)
            return torch.zeros(shape, dtype=torch.bool, device=look.weights.device)
        query, size = found.query[look.rows], found.right.shape[-1]
        maps = found.level.maps(look.weights, look.rows)[..., :size]
        rows = torch.arange(len(query), device=query.device)[:, None]
        both = torch.cat([maps[rows, query], maps.transpose(1, 3)[rows, query]], dim=2)
        hits = []
        for number in range(len(CANDIDATES)):
            allowed = found.allowed[look.rows, :, number].repeat_interleave(heads, dim=2)
            chosen = peak(both.masked_fill(~allowed, -1))[1]
            right = found.right[look.rows].gather(2, chosen) & allowed.any(-1)
            hits.append(right.unflatten(2, (len(WAYS), heads)))
        return torch.stack(hits, dim=2)

    def update(self, site: Site, hits: Bool[Tensor, "batch slot setting way head"]) -> None:
        """Count the right choices of each kind of anaphor."""
        found = self._anaphors.get(site.kind)
        if found is None or not found.query.shape[1]:
            return
        sums = torch.einsum("bsk,bscwh->hcwk", found.group.double(), hits.double())
        counts = found.group.sum((0, 1)).repeat(len(CANDIDATES) * len(WAYS))
        self._tally.add(site, sums.flatten(1), counts)

    def table(self) -> pd.DataFrame:
        """One row per head, candidates, direction and kind of anaphor that occurs."""
        return self._tally.table()
