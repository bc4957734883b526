"""Sums and counts per head, accumulated on the model's device, and their tidy table."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor

from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.site_weights import Reduction
from headwork.sites import KINDS, Site

COLUMNS = ("kind", "layer", "head", "statistic", "key", "value", "count")


@runtime_checkable
class Statistic(Protocol):
    """One thing measured of every head.

    `start` is called for each batch. While the model runs, each of `reductions` is called for every `Look` of a site (a
    few sentences at a time) and must return a row for each sentence; equal ones of several statistics are called once.
    Then `update` gets, for each site, what they returned for all sentences of the batch.
    """

    @property
    def reductions(self) -> tuple[Reduction, ...]:
        """Return the reductions of the weights that the statistic needs."""

    def start(self, batch: Batch) -> None:
        """Prepare the parts that depend only on the batch's text."""

    def update(self, site: Site, *reduced: Tensor) -> None:
        """Add the reductions of one site over the batch."""

    def table(self) -> pd.DataFrame:
        """kind, layer, head, statistic, key, value, count: one row per head and key."""


class Tally:
    """Means per head and key, from float64 sums and int64 counts, nearly independent of the order of batches."""

    def __init__(self, statistic: str, keys: Sequence[str] = ("",)) -> None:
        self.statistic = statistic
        self.keys = tuple(keys)
        self._sums: dict[Site, Tensor] = {}
        self._counts: dict[Site, Tensor] = {}

    def add(self, site: Site, sums: Float[Tensor, "head key"], counts: Int[Tensor, " key"]) -> None:
        """Add sums of every head and key, and the number of things summed, which is the same for all heads."""
        if site not in self._sums:
            self._sums[site] = torch.zeros_like(sums, dtype=torch.float64)
            self._counts[site] = torch.zeros_like(counts, dtype=torch.int64)
        self._sums[site] += sums
        self._counts[site] += counts

    def table(self) -> pd.DataFrame:
        """Return the means as tidy rows, without keys that never occurred."""
        rows = [
            (site.kind, site.layer, head, self.statistic, key, total / count, count)
            for site in sorted(self._sums, key=lambda site: (KINDS.index(site.kind), site.layer))
            for head, totals in enumerate(self._sums[site].tolist(), start=1)
            for key, total, count in zip(self.keys, totals, self._counts[site].tolist(), strict=True)
            if count
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))


def rates(sums: Mapping[str, Tensor], counts: Mapping[str, Tensor], keys: Sequence[str]) -> pd.DataFrame:
    """kind, key, value: means by kind of attention, from sums and counts of every key that occurred."""
    rows = [
        (kind, key, float(sums[kind][place] / counts[kind][place]))
        for kind in KINDS
        for place, key in enumerate(keys)
        if counts[kind][place]
    ]
    return pd.DataFrame(rows, columns=["kind", "key", "value"])
