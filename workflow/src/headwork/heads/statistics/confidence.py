"""Confidence of a head: the mean over tokens of the highest weight (Voita et al. 2019, section 4, figure 1b).

    conf(head) = mean over queries q of max over keys k of A[q, k]

over all real tokens of all sentences together, or the mean of each text first (`average`). The EOS is "not a real
token": neither a query nor a key, and the row is not renormalised. The paper specifies no more, so each of these is a
setting.
"""

from typing import Any

import pandas as pd
import torch

from headwork.heads.measure import SHAPE, Measure, Row
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.site_weights import (
    PerQuery,
    Reduction,
    highest_weight,
    highest_weight_of_all,
    real_share,
)
from headwork.heads.streaming.tally import Tally
from headwork.settings.heads import ConfidenceSettings
from headwork.sites import Mask, Site


class Confidence:
    """The statistic `confidence`, key ""; its count is the number of queries, or of texts (`average`)."""

    def __init__(self, settings: ConfidenceSettings | None = None) -> None:
        self.settings = settings or ConfidenceSettings()
        self.reductions: tuple[Reduction, ...] = (
            (highest_weight if self.settings.drop_special_keys else highest_weight_of_all),
        )
        if self.settings.drop_special_keys and self.settings.renormalise:
            self.reductions += (real_share,)
        self._tally = Tally("confidence")

    def start(self, batch: Batch) -> None:
        """Remember which queries count."""
        self._queries = counted_queries(batch, self.settings.drop_special_queries)

    def update(self, site: Site, weight: PerQuery, share: PerQuery | None = None) -> None:
        """Add the highest weight of each query."""
        queries = self._queries[site.kind]
        if share is not None:
            weight = torch.where(share > 0, weight / share, 0)
        weight = weight.masked_fill(~queries[:, None], 0)
        if self.settings.average == "sentences":
            sizes = queries.sum(1, keepdim=True)
            sums, count = (weight.sum(2) / sizes.clamp_min(1)).sum(0, dtype=torch.float64), (sizes > 0).sum()
        else:
            sums, count = weight.sum((0, 2), dtype=torch.float64), queries.sum()
        self._tally.add(site, sums[:, None], count[None])

    def table(self) -> pd.DataFrame:
        """One row per head."""
        return self._tally.table()


def counted_queries(batch: Batch, drop_special: bool) -> dict[str, Mask]:
    """For each kind of attention the queries that count: real tokens, or all but padding."""
    return {kind: side.real if drop_special else side.present for kind, side in batch.queries.items()}


def confidence(seen: Any, settings: ConfidenceSettings | None) -> Confidence:
    """The statistic of an attention pass."""
    return Confidence(settings)


CONFIDENCE = Measure(
    key="confidence",
    name="confidence",
    group=SHAPE,
    says="Mean of the highest attention weight of each token.",
    source="Voita et al. 2019, section 4, figure 1b",
    made_by=confidence,
    value=Row("confidence"),
    settings="confidence",
    share=True,
    tables=("heads",),
)
