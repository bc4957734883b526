"""Entropy of a head's attention in nats, the mean over real tokens (Clark et al. 2019, section 3.3, figure 4).

    H(head) = mean over queries q of -Σ_k A[q, k] ln A[q, k]

over all keys, as only then a row is a distribution; without special pieces a row is first divided by what is left.
"""

from dataclasses import dataclass

import pandas as pd
import torch

from headwork.heads.batches import Batch
from headwork.heads.confidence import counted_queries
from headwork.heads.look import PerQuery, Reduction, entropy_of_all, entropy_of_real, real_share
from headwork.heads.tally import Tally
from headwork.shapes import Site


@dataclass(frozen=True)
class EntropySettings:
    """Whether special pieces count as queries and keys."""

    drop_special_queries: bool = True
    drop_special_keys: bool = False


class Entropy:
    """The statistic `entropy`, key ""; its count is the number of queries."""

    def __init__(self, settings: EntropySettings | None = None) -> None:
        self.settings = settings or EntropySettings()
        self.reductions: tuple[Reduction, ...] = (
            (entropy_of_real, real_share) if self.settings.drop_special_keys else (entropy_of_all,)
        )
        self._tally = Tally("entropy")

    def start(self, batch: Batch) -> None:
        """Remember which queries count."""
        self._queries = counted_queries(batch, self.settings.drop_special_queries)

    def update(self, site: Site, entropy: PerQuery, share: PerQuery | None = None) -> None:
        """Add the entropy of each query's weights."""
        queries = self._queries[site.kind]
        if share is not None:
            # with t = Σ w:  -Σ (w/t) ln (w/t) = (-Σ w ln w) / t + ln t
            share = share.clamp_min(torch.finfo(share.dtype).tiny)
            entropy = entropy / share + share.log()
        sums = entropy.masked_fill(~queries[:, None], 0).sum((0, 2), dtype=torch.float64)
        self._tally.add(site, sums[:, None], queries.sum()[None])

    def table(self) -> pd.DataFrame:
        """One row per head."""
        return self._tally.table()
