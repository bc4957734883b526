"""Heads that attend to the rarest token of the sentence (Voita et al. 2019, section 5.3).

For every sentence, its least frequent token by the training corpus's counts of subword types. Sentences whose least
frequent token is among the 500 most frequent types are left out.

    rate(head) = #{queries whose arg-max key is the rarest token} / #{queries}

and the same for the two rarest tokens. Equally frequent tokens are equally rare: all of them count. The paper does not
specify the denominator (here: every query token), nor whether a rare token may attend to itself (here: it may).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Int
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from headwork.errors import InputError
from headwork.heads.measure import WHERE, Measure, Row, chance
from headwork.heads.streaming.batches import Batch, Side
from headwork.heads.streaming.site_weights import Keys, strongest_key
from headwork.heads.streaming.tally import Tally, rates
from headwork.run.outputs import read_parquet
from headwork.settings.base import part_of
from headwork.settings.heads import RareSettings
from headwork.sites import KINDS, Mask, Site

KEYS = ("rarest", "two-rarest")


class Frequencies(NamedTuple):
    """For each piece's id: how often it stands in the training corpus, and its rank, 1 for the most frequent type."""

    count: Int[Tensor, " vocabulary"]
    rank: Int[Tensor, " vocabulary"]
    types: int


def read_frequencies(
    path: str | Path, tokenizer: PreTrainedTokenizerBase, side: str = "source"
) -> Frequencies:
    """The counts of one side's pieces from results/corpora/<corpus>/frequencies.parquet.

    Pieces that the training corpus lacks have count 0. Raises InputError for a file that is not such a table, or
    that knows none of the tokenizer's pieces.
    """
    table = read_parquet(path)
    missing = [name for name in ("side", "type", "count", "rank") if name not in table.columns]
    if missing:
        raise InputError.at(
            path, f"the table lacks the column(s) {', '.join(missing)}; rerun the corpora phase"
        )
    table = table[table["side"] == side]
    number_of = tokenizer.get_vocab()
    ids = table["type"].map(number_of)
    table, ids = table[ids.notna()], ids.dropna().astype(int)
    if table.empty:
        raise InputError.at(
            path, f"the table has no {side} token of the model's tokenizer; use the model's training corpus"
        )
    size = max(number_of.values()) + 1
    count, rank = np.zeros(size, dtype=np.int64), np.full(size, len(table) + 1, dtype=np.int64)
    count[ids], rank[ids] = table["count"], table["rank"]
    return Frequencies(torch.from_numpy(count), torch.from_numpy(rank), len(table))


class RarestTokens(NamedTuple):
    """The rarest tokens of one side's sentences: (batch, time) masks for one and for two, and which rows count."""

    rarest: Mask
    two_rarest: Mask
    counted: Bool[Tensor, " batch"]


def rarest_tokens(side: Side, frequencies: Frequencies, not_among: int | float) -> RarestTokens:
    """Which tokens are the rarest and the two rarest of their sentences.

    A row is not counted if it has no real token or its rarest is among the most frequent types.
    """
    limit = part_of(frequencies.types, not_among) if not_among < 1 else not_among
    never = torch.iinfo(torch.int64).max
    count = frequencies.count.to(side.ids.device)[side.ids].where(side.real, never)
    least = count.sort(1)[0][:, :2]
    rank = frequencies.rank.to(side.ids.device)[side.ids].where(side.real, 0)
    rarest, two = (side.real & (count <= least[:, [place]]) for place in (0, least.shape[1] - 1))
    return RarestTokens(rarest, two, rank.amax(1) > limit)


class _Sought(NamedTuple):
    """Per batch and kind: the keys sought, (key, 2), and the queries that count, (query, 2)."""

    keys: Bool[Tensor, "batch key 2"]
    queries: Bool[Tensor, "batch query 2"]


class Rare:
    """The statistic `rare`, keys `rarest` and `two-rarest`; its count is the number of queries.

    `frequencies` has one table for each kind of attention, for the side of its keys. Causal attention is left out,
    since later tokens are invisible there.
    """

    reductions = (strongest_key,)

    def __init__(self, frequencies: Mapping[str, Frequencies], settings: RareSettings | None = None) -> None:
        self.settings = settings or RareSettings()
        self.frequencies = dict(frequencies)
        self._tally = Tally("rare", KEYS)
        self._chance = {kind: torch.zeros(2, dtype=torch.float64) for kind in KINDS}
        self._queries = {kind: torch.zeros(2, dtype=torch.int64) for kind in KINDS}
        self._sought: dict[str, _Sought] = {}

    def start(self, batch: Batch) -> None:
        """Find the rarest tokens of each sentence."""
        self._sought = {}
        for kind, frequencies in self.frequencies.items():
            if kind not in batch.keys or kind in batch.causal:
                continue
            side, queries = batch.keys[kind], batch.queries[kind]
            found = rarest_tokens(side, frequencies, self.settings.not_among)
            keys = torch.stack([found.rarest, found.two_rarest], dim=-1)
            counted = (queries.real & found.counted[:, None])[..., None].expand(-1, -1, 2)
            if self.settings.exclude_self and batch.same_text(kind):
                counted = counted & ~keys
            self._sought[kind] = _Sought(keys, counted)
            chance = keys.sum(1) / side.lengths.clamp_min(1)[:, None]
            self._chance[kind] += (counted.sum(1) * chance.double()).sum(0).cpu()
            self._queries[kind] += counted.sum((0, 1)).cpu()

    def update(self, site: Site, key: Keys) -> None:
        """Count the queries whose strongest key is among those sought."""
        if site.kind not in self._sought:
            return
        keys, queries = self._sought[site.kind]
        rows = torch.arange(len(keys), device=keys.device).view(-1, 1, 1)
        hits = keys[rows, key] & queries[:, None]
        self._tally.add(site, hits.sum((0, 2)).double(), queries.sum((0, 1)))

    def table(self) -> pd.DataFrame:
        """Two rows per head."""
        return self._tally.table()

    def chance(self) -> pd.DataFrame:
        """kind, key, value: the rates for a uniformly random arg-max: 1/length and 2/length, more with ties."""
        return rates(self._chance, self._queries, KEYS)


def rare(seen: Any, settings: RareSettings | None) -> Rare:
    """The statistic of an attention pass."""
    return Rare(seen.frequencies, settings)


RARE = Measure(
    key="rare",
    name="rarest tokens",
    group=WHERE,
    says="Share of tokens that attend most to one of the two rarest ones.",
    source="Voita et al. 2019, section 5.3",
    made_by=rare,
    value=Row("rare", "two-rarest"),
    settings="rare",
    share=True,
    uniform=chance(rare, "two-rarest"),
    uniform_is="a random token",
    tables=("heads",),
    threshold=0.5,
    does="attends to the rarest tokens",
)
