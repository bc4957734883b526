"""Attention to the first and the last token of a text, and to other occurrences of the same token.

For a set of pairs P of a query i and a key j,

    landmark(head) = mean over queries i that have a j with (i, j) in P of  Σ_{j: (i, j) in P} A[i, j]

    first        j is the first token of the text, special or not ([CLS], <s>), and not i
    last         j is the last token of the text, special or not ([SEP], </s>), and not i
    same-token   i and j are different positions with the same subword token, neither of them special

In a causal model no token but the last itself sees the last, which has no value there. In cross-attention queries
and keys are different texts, so that no j is i. The first token is the sink of many decoders (Xiao et al. 2024);
heads that attend to the same word: Kovaleva et al. (2019), section 4.5.
"""

from typing import Any

import pandas as pd
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from headwork.heads.measure import WHERE, Measure, Row, chance
from headwork.heads.statistics.surface import uniform
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.site_weights import Look, Reduction
from headwork.heads.streaming.tally import Tally, rates
from headwork.sites import KINDS, Site

KEYS = ("first", "last", "same-token")
Pairs = Bool[Tensor, "batch 3 query key"]


class Landmarks:
    """The statistic `landmark`, keys first, last and same-token; its count is the number of queries."""

    def __init__(self) -> None:
        self.reductions: tuple[Reduction, ...] = (self._attention,)
        self._tally = Tally("landmark", KEYS)
        self._chance = {kind: torch.zeros(len(KEYS), dtype=torch.float64) for kind in KINDS}
        self._queries = {kind: torch.zeros(len(KEYS), dtype=torch.int64) for kind in KINDS}
        self._pairs: dict[str, Pairs] = {}

    def start(self, batch: Batch) -> None:
        """Find the pairs; add up what uniform attention would give them."""
        self._pairs = {kind: self._of(batch, kind) for kind in batch.queries}
        for kind, pairs in self._pairs.items():
            present = batch.keys[kind].present
            even = uniform(present, causal=kind in batch.causal)
            if not batch.same_text(kind):
                even = even[:, :1].expand(-1, pairs.shape[2], -1)
            self._chance[kind] += (even[:, None] * pairs).double().sum((0, 2, 3)).cpu()
            self._queries[kind] += self._counts(pairs).cpu()

    @staticmethod
    def _of(batch: Batch, kind: str) -> Pairs:
        queries, keys = batch.queries[kind], batch.keys[kind]
        present = keys.present
        first = present & (present.cumsum(1) == 1)
        last = present & (present.flip(1).cumsum(1).flip(1) == 1)
        same = (queries.ids[:, :, None] == keys.ids[:, None]) & queries.real[:, :, None] & keys.real[:, None]
        pairs = torch.stack([first[:, None].expand_as(same), last[:, None].expand_as(same), same], dim=1)
        pairs = pairs & queries.present[:, None, :, None]
        if batch.same_text(kind):
            pairs = pairs & ~torch.eye(present.shape[1], dtype=torch.bool, device=pairs.device)
        return pairs.tril() if kind in batch.causal else pairs

    @staticmethod
    def _counts(pairs: Pairs) -> Tensor:
        return pairs.any(3).sum((0, 2))

    def _attention(self, look: Look) -> Float[Tensor, "batch head 3"]:
        pairs = self._pairs[look.site.kind][look.rows].to(look.weights.dtype)
        return torch.einsum("bhqk,bpqk->bhp", look.weights, pairs)

    def update(self, site: Site, attention: Float[Tensor, "batch head 3"]) -> None:
        """Add each text's attention."""
        self._tally.add(site, attention.sum(0, dtype=torch.float64), self._counts(self._pairs[site.kind]))

    def table(self) -> pd.DataFrame:
        """One row per head and key."""
        return self._tally.table()

    def chance(self) -> pd.DataFrame:
        """kind, key, value: the value under uniform attention."""
        return rates(self._chance, self._queries, KEYS)


def landmarks(seen: Any, settings: None) -> Landmarks:
    """The statistic of an attention pass."""
    return Landmarks()


def _landmark(key: str, name: str, says: str, source: str, threshold: float) -> Measure:
    return Measure(
        key=key,
        name=name,
        group=WHERE,
        says=says,
        source=f"{source}; threshold: the code of Clark et al. 2019 for figure 6",
        made_by=landmarks,
        value=Row("landmark", key),
        share=True,
        uniform=chance(landmarks, key),
        threshold=threshold,
        does=f"attends to the {name}",
    )


FIRST = _landmark(
    *(
        "first",
        "first token",
        "Mean attention of the other tokens to the first token, special or not ([CLS], <s>).",
    ),
    "Xiao et al. 2024",
    0.6,
)
LAST = _landmark(
    *(
        "last",
        "last token",
        "Mean attention of the other tokens to the last token, special or not ([SEP], </s>).",
    ),
    *("Raganato & Tiedemann 2018, figure 1", 0.6),
)
SAME_TOKEN = _landmark(
    *("same-token", "same token elsewhere", "Mean attention to the same token elsewhere."),
    *("Kovaleva et al. 2019, section 4.5", 0.5),
)
