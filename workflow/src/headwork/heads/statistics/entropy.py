"""Entropy of a head's attention in nats, the mean over real tokens (Clark et al. 2019, section 3.3, figure 4).

    H(head) = mean over queries q of -Σ_k A[q, k] ln A[q, k]

over all keys, as only then a row is a distribution; without special tokens a row is first divided by what is left, and
where that is nothing it adds 0. The authors' code smooths first, A' = (1 - ε) A + ε / n over the n tokens of the text
with ε = 0.0001, counts special tokens as queries too, and averages each text before all of them.
"""

from typing import Any

import pandas as pd
import torch

from headwork.heads.measure import SHAPE, Measure, Row
from headwork.heads.statistics.confidence import counted_queries
from headwork.heads.streaming.batches import Batch, query_weights
from headwork.heads.streaming.site_weights import (
    Look,
    PerQuery,
    Reduction,
    entropy_of_all,
    entropy_of_real,
    real_share,
)
from headwork.heads.streaming.tally import Tally
from headwork.lens.reductions import entropy
from headwork.settings.heads import EntropySettings
from headwork.sites import Site


class Entropy:
    """The statistic `entropy`, key "" and, if asked for, `first`; its count is what is averaged over."""

    def __init__(self, settings: EntropySettings | None = None) -> None:
        self.settings = settings or EntropySettings()
        self.reductions: tuple[Reduction, ...] = (entropy_of_all,)
        if self.settings.drop_special_keys:
            self.reductions = (entropy_of_real, real_share)
        elif self.settings.smoothing:
            self.reductions = (self._smoothed,)
        self._tally = Tally("entropy", ("", "first") if self.settings.first else ("",))

    def start(self, batch: Batch) -> None:
        """Remember which queries count, and how many tokens each text has."""
        self._weights = {}
        for kind, queries in counted_queries(batch, self.settings.drop_special_queries).items():
            parts = [queries]
            if self.settings.first:
                present = batch.queries[kind].present
                parts.append(present & (present.cumsum(1) == 1))
            self._weights[kind] = query_weights(torch.stack(parts, dim=1), self.settings.average)
        self._floor = {
            kind: self.settings.smoothing * (side.present / side.present.sum(1, keepdim=True))
            for kind, side in batch.keys.items()
        }

    def _smoothed(self, look: Look) -> PerQuery:
        """The entropy of the weights mixed with even ones."""
        floor = self._floor[look.site.kind][look.rows, None, None]
        return entropy(torch.add(floor, look.weights, alpha=1 - self.settings.smoothing))

    def update(self, site: Site, values: PerQuery, share: PerQuery | None = None) -> None:
        """Add the entropy of each query's weights."""
        weights, counts = self._weights[site.kind]
        if share is not None:
            # with t = Σ w:  -Σ (w/t) ln (w/t) = (-Σ w ln w) / t + ln t
            values = torch.where(share > 0, values / share + share.log(), 0)
        values = values.double().masked_fill(~weights.any(1)[:, None], 0)
        self._tally.add(site, torch.einsum("bhq,bpq->hp", values, weights.double()), counts)

    def table(self) -> pd.DataFrame:
        """One row per head, and one for its first tokens."""
        return self._tally.table()


def entropies(seen: Any, settings: EntropySettings | None) -> Entropy:
    """The statistic of an attention pass."""
    return Entropy(settings)


def of_uniform(seen: Any) -> dict[str, float]:
    """The entropy of uniform attention by kind: mean over real queries of the logarithm of their number of keys."""
    found: dict[str, list[torch.Tensor]] = {}
    for batch in seen.batches:
        for kind, keys in batch.keys.items():
            queries = batch.queries[kind]
            visible = keys.present.sum(1, keepdim=True).expand(queries.real.shape)
            visible = queries.present.cumsum(1) if kind in batch.causal else visible
            found.setdefault(kind, []).append(visible[queries.real].double().log())
    return {kind: float(torch.cat(parts).mean()) for kind, parts in found.items()}


ENTROPY = Measure(
    key="entropy",
    name="entropy",
    group=SHAPE,
    says="Mean entropy of attention, in nats: low is focused, high is broad.",
    source="Clark et al. 2019, section 3.3, figure 4",
    made_by=entropies,
    value=Row("entropy"),
    settings="entropy",
    uniform=of_uniform,
    tables=("heads", "segments"),
)
