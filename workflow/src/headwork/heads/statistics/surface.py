"""Surface patterns: attention to classes of tokens and to neighbouring tokens (Clark et al. 2019, 3.1-3.2).

For a set of keys K (those of a token class; the previous token, the token itself, the next),

    attention(head) = mean over texts of 1/n Σ_i Σ_{j in K} A[i, j]          figures 1 and 2

and for K = [SEP] also with i over the two [SEP] only, and over all other tokens (figure 2, bottom). The mean over
neighbours divides by n although the first token has no previous one; `edge: skip` leaves such queries out.
"""

from typing import Any, NamedTuple

import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor

from headwork.heads.measure import WHERE, Measure, Row, chance
from headwork.heads.statistics.token_classes import TokenClasses
from headwork.heads.streaming.batches import Batch, Side, query_weights
from headwork.heads.streaming.site_weights import Look, Reduction
from headwork.heads.streaming.tally import Tally
from headwork.settings.heads import SurfaceSettings
from headwork.sites import KINDS, Maps, Mask, Site

NEIGHBOURS = {"previous": -1, "self": 0, "next": 1}
FROM_SEP, FROM_OTHERS = "sep-to-sep", "other-to-sep"


class _Weighted(NamedTuple):
    """A batch's queries and keys of one kind.

    `queries` weighs each query for all, [SEP] and other queries, then for each neighbour; `counts` goes with these
    six. `keys` is one where a key is of a class.
    """

    queries: Float[Tensor, "batch 6 query"]
    counts: Int[Tensor, " 6"]
    keys: Float[Tensor, "batch key class"]


class Surface:
    """The statistic `attention`; keys are the token classes, `sep-to-sep`, `other-to-sep`, previous, self and next.

    Its count is the number of texts (or of queries, if `average` is tokens). Only sites whose queries and keys are one
    text have it.
    """

    def __init__(self, classes: TokenClasses, settings: SurfaceSettings | None = None) -> None:
        self.settings = settings or SurfaceSettings()
        self.classes = classes
        self.keys = (*classes.names, FROM_SEP, FROM_OTHERS, *NEIGHBOURS)
        self.reductions: tuple[Reduction, ...] = (self._attention,)
        self._tally = Tally("attention", self.keys)
        self._chance = {kind: torch.zeros(len(self.keys), dtype=torch.float64) for kind in KINDS}
        self._counts = {kind: torch.zeros(len(self.keys), dtype=torch.int64) for kind in KINDS}

    def start(self, batch: Batch) -> None:
        """Find each token's class and neighbours; add up the shares of uniform attention."""
        self._weighted = {
            kind: self._of(side) for kind, side in batch.queries.items() if batch.same_text(kind)
        }
        for kind, weighted in self._weighted.items():
            present = batch.queries[kind].present
            even = uniform(present, causal=kind in batch.causal)[:, None]
            self._chance[kind] += self._sums(even, weighted, slice(None))[:, 0].double().sum(0).cpu()
            self._counts[kind] += self._key_counts(weighted).cpu()

    def _of(self, side: Side) -> _Weighted:
        present, classes = side.present, self.classes.of_side(side)
        sep = present & (classes == self.classes.names.index("sep"))
        parts = [present, sep, present & ~sep]
        for offset in NEIGHBOURS.values():
            parts.append(present & _neighbour(present, offset) if self.settings.edge == "skip" else present)
        queries, counts = query_weights(torch.stack(parts, dim=1), self.settings.average)
        numbers = torch.arange(len(self.classes.names), device=classes.device)
        keys = (classes[..., None] == numbers) & present[..., None]
        return _Weighted(queries, counts, keys.float())

    def _attention(self, look: Look) -> Float[Tensor, "batch head key"]:
        """Each text's attention to each kind of key; nothing for sites between two texts."""
        weighted = self._weighted.get(look.site.kind)
        if weighted is None:
            return look.weights.new_zeros(*look.weights.shape[:2], 0)
        return self._sums(look.weights, weighted, look.rows)

    def _sums(self, weights: Maps, weighted: _Weighted, rows: slice) -> Float[Tensor, "batch head part"]:
        queries = weighted.queries[rows, None].to(weights.dtype)
        from_parts = queries[:, :, :3] @ weights
        to_classes = from_parts @ weighted.keys[rows, None].to(weights.dtype)
        sep = self.classes.names.index("sep")
        neighbours = [
            # the diagonal of an offset begins at the first query that has such a neighbour
            (weights.diagonal(offset, -2, -1) * _along(queries[:, :, place], offset)).sum(-1, keepdim=True)
            for place, offset in enumerate(NEIGHBOURS.values(), start=3)
        ]
        return torch.cat([to_classes[:, :, 0], to_classes[:, :, 1:, sep], *neighbours], dim=-1)

    def _key_counts(self, weighted: _Weighted) -> Int[Tensor, " key"]:
        return torch.cat([weighted.counts[:1].expand(len(self.classes.names)), weighted.counts[1:]])

    def update(self, site: Site, attention: Float[Tensor, "batch head key"]) -> None:
        """Add each text's attention."""
        if site.kind in self._weighted:
            sums = attention.sum(0, dtype=torch.float64)
            self._tally.add(site, sums, self._key_counts(self._weighted[site.kind]))

    def table(self) -> pd.DataFrame:
        """One row per head and key."""
        return self._tally.table()

    def chance(self) -> pd.DataFrame:
        """kind, key, value: the value under uniform attention; for a class, its share of the tokens."""
        rows = [
            (kind, key, float(self._chance[kind][place] / self._counts[kind][place]))
            for kind in KINDS
            for place, key in enumerate(self.keys)
            if self._counts[kind][place]
        ]
        return pd.DataFrame(rows, columns=["kind", "key", "value"])


def uniform(present: Mask, causal: bool) -> Float[Tensor, "batch query key"]:
    """Uniform attention over the tokens that are not padding; if `causal`, up to the query."""
    visible = present[:, None].expand(-1, present.shape[1], -1)
    visible = visible.tril() if causal else visible
    return visible / visible.sum(2, keepdim=True).clamp_min(1)


def _neighbour(present: Mask, offset: int) -> Mask:
    """Whether the token `offset` places on is there."""
    there = torch.zeros_like(present)
    queries = slice(max(0, -offset), present.shape[1] - max(0, offset))
    keys = slice(max(0, offset), present.shape[1] - max(0, -offset))
    there[:, queries] = present[:, keys]
    return there


def _along(queries: Float[Tensor, "batch 1 query"], offset: int) -> Float[Tensor, "batch 1 place"]:
    """The queries that a diagonal of the map runs through."""
    return queries[..., max(0, -offset) : queries.shape[-1] - max(0, offset)]


def surface(seen: Any, settings: SurfaceSettings | None) -> Surface:
    """The statistic of an attention pass."""
    return Surface(seen.classes, settings)


def _neighbour_measure(key: str, name: str, says: str, does: str) -> Measure:
    return Measure(
        key=key,
        name=name,
        group=WHERE,
        says=says,
        source="Clark et al. 2019, section 3.1, figure 1; threshold: their code for figure 6",
        made_by=surface,
        value=Row("attention", key),
        settings="surface",
        share=True,
        uniform=chance(surface, key),
        tables=("segments", "tasks"),
        threshold=0.5,
        does=does,
    )


PREVIOUS = _neighbour_measure(
    *("previous", "previous token", "Mean attention to the previous token."), "attends to the previous token"
)
NEXT = _neighbour_measure(
    *("next", "next token", "Mean attention to the next token."), "attends to the next token"
)
SELF = _neighbour_measure(
    *("self", "itself", "Mean attention of a token to itself."), "attends to the token itself"
)
