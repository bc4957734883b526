"""Offsets from the query to the key attended to most: previous, next, itself, the sentence's last token.

Positional heads (Voita et al. 2019, section 5.1): the key with the highest weight is at one offset from its query in at
least 90 % of cases. Patterns of Raganato & Tiedemann (2018): itself, previous, next, last token.

    share(head, d) = #{queries q: arg-max key is q + d} / #{queries q: q + d is a token}       edge: skip

The first token has no previous one; `edge: count` divides by all queries all the same, so that a perfect head stops at
1 - 1/length. Positions are those of subword tokens, or of words.
"""

from typing import NamedTuple

import pandas as pd
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from headwork.heads.streaming.batches import Batch, Side
from headwork.heads.streaming.site_weights import Keys, Look, Reduction, strongest_key
from headwork.heads.streaming.tally import Tally
from headwork.heads.streaming.word_attention import WordLevel
from headwork.settings.heads import OffsetSettings
from headwork.sites import KINDS, Mask, Site


def signed(offset: int) -> str:
    """Format an offset for tables: ``-1``, ``0``, ``+1``."""
    return f"{offset:+d}" if offset else "0"


class _Places(NamedTuple):
    """A side in the unit of measurement: which places are tokens, and for each query how many offsets are.

    `eligible[b, i]`: queries of row b at whose offset number i there is a token. `chance[b, i]`: of these, how many
    would have their arg-max there if it were uniformly random in the sentence (in a decoder: up to the query).
    """

    real: Mask
    eligible: Int[Tensor, "batch offset"]
    chance: Tensor
    level: WordLevel | None


class Offsets:
    """The statistics `offset` (keys -1, 0, +1, ...; the share of arg-max there) and `last` (at the last real token).

    Sites whose queries and keys are different texts (cross-attention) have no offsets.
    """

    def __init__(self, settings: OffsetSettings | None = None) -> None:
        self.settings = settings or OffsetSettings()
        window = self.settings.window
        self.offsets = tuple(range(-window, window + 1))
        self._tally = Tally("offset", [signed(offset) for offset in self.offsets])
        self._last = Tally("last")
        self._chance = {kind: torch.zeros(len(self.offsets), dtype=torch.float64) for kind in KINDS}
        self._eligible = {kind: torch.zeros(len(self.offsets), dtype=torch.int64) for kind in KINDS}
        self._places: dict[str, _Places] = {}

    def start(self, batch: Batch) -> None:
        """Count at which offsets the batch's tokens have another token."""
        self._batch = batch
        self._places = {
            kind: self._of(side, causal=kind in batch.causal)
            for kind, side in batch.queries.items()
            if batch.same_text(kind)
        }
        for kind, places in self._places.items():
            self._chance[kind] += places.chance.sum(0).cpu()
            self._eligible[kind] += places.eligible.sum(0).cpu()

    def _of(self, side: Side, causal: bool) -> _Places:
        level, real = None, side.real
        if self.settings.unit == "word":
            count = side.words.amax(1, keepdim=True) + 1
            real = torch.arange(int(count.max()), device=count.device) < count
            level = WordLevel.of(side)
        there = torch.stack([real & _shifted(real, offset) for offset in self.offsets])
        eligible = there.sum(2).T
        if self.settings.edge == "count":
            eligible = real.sum(1, keepdim=True).expand_as(eligible)
        visible = real.cumsum(1) if causal else real.sum(1, keepdim=True).expand_as(real)
        if causal:
            there = there & (torch.tensor(self.offsets, device=real.device) <= 0)[:, None, None]
        return _Places(real, eligible, (there / visible.clamp_min(1)).double().sum(2).T, level)

    @property
    def reductions(self) -> tuple[Reduction, ...]:
        """The strongest key of each query, and in words if they are the unit."""
        return (strongest_key,) if self.settings.unit == "piece" else (strongest_key, self._strongest_words)

    def _strongest_words(self, look: Look) -> Int[Tensor, "batch word head"]:
        """The word that each word attends to most; nothing for sites between two texts."""
        if look.site.kind not in self._places:
            return look.weights.new_zeros(look.weights.shape[0], 0, look.weights.shape[1], dtype=torch.int64)
        return self._places[look.site.kind].level.strongest(look.weights, look.rows)

    def update(
        self,
        site: Site,
        key: Keys,
        words: Int[Tensor, "batch word head"] | None = None,
    ) -> None:
        """Count the offsets of each query's strongest key, and how often it is the last real token."""
        queries = self._batch.queries[site.kind].real[:, None]
        hits = (key == self._batch.keys[site.kind].last.view(-1, 1, 1)) & queries
        self._last.add(site, hits.sum((0, 2))[:, None].double(), queries.sum()[None])
        if site.kind in self._places:
            places = self._places[site.kind]
            key = key if words is None else words.transpose(1, 2)
            counts = _histogram(key, places.real[:, None], self.settings.window)
            self._tally.add(site, counts.double(), places.eligible.sum(0))

    def table(self) -> pd.DataFrame:
        """Offsets and the last token: one row per head and key."""
        return pd.concat([self._tally.table(), self._last.table()], ignore_index=True)

    def chance(self) -> pd.DataFrame:
        """kind, key, value: the share at each offset if each query's arg-max were uniformly random."""
        rows = [
            (kind, signed(offset), float(self._chance[kind][place] / self._eligible[kind][place]))
            for kind in KINDS
            for place, offset in enumerate(self.offsets)
            if self._eligible[kind][place]
        ]
        return pd.DataFrame(rows, columns=["kind", "key", "value"])


def _shifted(real: Mask, offset: int) -> Mask:
    """Whether there is a real token `offset` places on from each place."""
    moved = torch.zeros_like(real)
    size = real.shape[1]
    if abs(offset) < size:
        moved[:, max(0, -offset) : size - max(0, offset)] = real[:, max(0, offset) : size - max(0, -offset)]
    return moved


def _histogram(
    key: Int[Tensor, "batch head query"], real: Bool[Tensor, "batch 1 query"], window: int
) -> Int[Tensor, "head offset"]:
    """How many real queries of each head have their strongest key at each offset of the window."""
    heads, queries = key.shape[1:]
    outside = 2 * window + 1
    offset = key - torch.arange(queries, device=key.device) + window
    inside = real & (offset >= 0) & (offset < outside)
    bins = offset.where(inside, outside) + torch.arange(heads, device=key.device)[:, None] * (outside + 1)
    counts = bins.flatten().bincount(minlength=heads * (outside + 1))
    return counts.view(heads, outside + 1)[:, :outside]
