"""Jensen-Shannon divergence between the attention of heads (Clark et al. 2019, section 5).

    distance(a, b) = mean over tokens of JS(A_a[token], A_b[token])
    JS(P, Q) = H((P + Q) / 2) - (H(P) + H(Q)) / 2         in nats, from 0 to ln 2

over all keys, with each row smoothed first as the authors' code does, A' = (1 - ε) A + ε / n, ε = 0.001. (The code
adds up over tokens and does not divide; distances are JS itself, not its root.)
"""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor

from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.site_weights import Look, PerQuery, Reduction
from headwork.heads.streaming.tally import COLUMNS
from headwork.lens.reductions import entropy
from headwork.settings.heads import DistanceSettings
from headwork.sites import KINDS, Maps, Mask, Site

STATISTIC = "distance"
# Number of weights processed at a time, so that mixtures of two sites' rows stay in the processor's cache.
WEIGHTS_AT_ONCE = 2**18
NOWHERE = -1  # padding index for texts with fewer tokens


class _Rows(NamedTuple):
    """Smoothed rows of one site's maps at the chosen tokens of a batch, and their entropy."""

    maps: Maps
    entropy: PerQuery


class JensenShannon:
    """The statistic `distance` between every two heads of a kind; its key is the other head, its count that of tokens.

    Only sites whose queries and keys are one text have it. Memory holds the maps of one batch.
    """

    def __init__(self, settings: DistanceSettings | None = None) -> None:
        self.settings = settings or DistanceSettings()
        self.reductions: tuple[Reduction, ...] = (self._smoothed,)
        self._sums: dict[tuple[Site, Site], Tensor] = {}
        self._tokens = dict.fromkeys(KINDS, 0)

    def start(self, batch: Batch) -> None:
        """Forget the maps of the batch before, and choose the tokens."""
        self._seen: dict[Site, _Rows] = {}
        self._places: dict[str, Int[Tensor, "batch place"]] = {}
        self._floor: dict[str, Float[Tensor, "batch key"]] = {}
        for kind, side in batch.queries.items():
            if batch.same_text(kind):
                self._places[kind] = places = self._chosen(side.present)
                self._floor[kind] = self.settings.smoothing * side.present / side.present.sum(1, keepdim=True)
                self._tokens[kind] += int((places != NOWHERE).sum())

    def _chosen(self, present: Mask) -> Int[Tensor, "batch place"]:
        lengths = present.sum(1, keepdim=True)
        count = min(int(lengths.max()), self.settings.tokens or int(lengths.max()))
        number = torch.arange(count, device=present.device).expand(len(lengths), -1)
        # with padding on the left, positions are counted among the tokens present
        order = present.int().argsort(dim=1, descending=True, stable=True)
        return order.gather(1, number * lengths.clamp_min(count) // count).where(number < lengths, NOWHERE)

    def _smoothed(self, look: Look) -> Maps:
        """The chosen rows, mixed with even ones; nothing for sites between two texts."""
        places = self._places.get(look.site.kind)
        if places is None:
            return look.weights[:, :, :0]
        places = places[look.rows].clamp_min(0)
        rows = torch.arange(len(places), device=places.device)[:, None]
        chosen = look.weights[rows, :, places].transpose(1, 2)
        floor = self._floor[look.site.kind][look.rows, None, None]
        return torch.add(floor, chosen, alpha=1 - self.settings.smoothing)

    def update(self, site: Site, maps: Maps) -> None:
        """Compare the site's heads with each other and with those of all sites before."""
        if site.kind not in self._places:
            return
        self._seen[site] = own = _Rows(maps, entropy(maps))
        lengths = (self._places[site.kind] != NOWHERE).sum(1).tolist()
        for other, rows in self._seen.items():
            if other.kind == site.kind:
                sums = divergences(rows, own, lengths)
                if other == site:
                    sums.fill_diagonal_(0)  # rounding errors
                self._sums[other, site] = self._sums.get((other, site), 0) + sums

    def table(self) -> pd.DataFrame:
        """A row for each head and each head, itself too: the matrix is symmetric."""
        rows = []
        for (one, other), sums in self._sums.items():
            for first, own in enumerate(sums.tolist(), start=1):
                for second, total in enumerate(own, start=1):
                    pair = one.head(first), other.head(second)
                    rows += [(*pair, total)] if one == other else [(*pair, total), (*pair[::-1], total)]
        rows.sort(key=lambda row: (KINDS.index(row[0].kind), row[:2]))
        return pd.DataFrame(
            [
                (*head, STATISTIC, str(other), total / self._tokens[head.kind], self._tokens[head.kind])
                for head, other, total in rows
            ],
            columns=list(COLUMNS),
        )


def divergences(one: _Rows, other: _Rows, lengths: Sequence[int]) -> Float[Tensor, "head other"]:
    """Sums of JS over the first `lengths` rows of each text, for every pair of heads of two sites."""
    heads, others, keys = one.maps.shape[1], other.maps.shape[1], one.maps.shape[3]
    at_once = max(1, WEIGHTS_AT_ONCE // (heads * others * keys))
    sums = torch.zeros(heads, others, dtype=torch.float64, device=one.maps.device)
    for text, length in enumerate(lengths):
        for start in range(0, length, at_once):
            rows = slice(start, min(start + at_once, length))
            first, second = one.maps[text, :, None, rows], other.maps[text, None, :, rows]
            mean = (one.entropy[text, :, None, rows] + other.entropy[text, None, :, rows]) / 2
            sums += (entropy((first + second) / 2) - mean).sum(2, dtype=torch.float64)
    return sums
