"""Frequent tokens have short vectors (Kobayashi et al. 2020, section 4.4, figure 5).

For each token the rank of its piece in the training corpus (1 for the most frequent) is set against ‖f(x)‖, and
against the mean weight that the token gets from the queries of its sentence. The paper averages both over all heads
and layers and correlates over tokens (`tokens`, `correlations`); `table` has the same correlations for each head.
Special pieces are frequent in the model's training but not in the counts, so correlations come with and without them.

Tokens are a sample of fixed size, the same for all heads.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from headwork.heads.batches import Batch
from headwork.heads.rare import Frequencies
from headwork.heads.sample import Sample
from headwork.heads.spearman import spearman
from headwork.heads.tally import COLUMNS
from headwork.heads.vector_norms import PerKey, VectorNorms
from headwork.options import require
from headwork.shapes import KINDS, Site

MEASURES = ("norm", "weight")
KEYS = ("all", "real")


@dataclass(frozen=True)
class RankSettings:
    """`tokens`: how many are kept, drawn by `seed`."""

    tokens: int = 20_000
    seed: int = 0

    def __post_init__(self) -> None:
        require(self.tokens >= 2, f"heads: ranks: tokens is {self.tokens}; a correlation needs 2 or more")


class _Drawn(NamedTuple):
    """The tokens of a batch that come into the sample: their slots, rows and places."""

    slots: np.ndarray
    rows: Tensor
    places: Tensor


class FrequencyRanks:
    """The statistics `rank-norm-rho` and `rank-weight-rho`, keys `all` (tokens) and `real` (no special pieces).

    `frequencies` are by the side that is looked at: one table for each kind. `vectors` must be reading while the
    model runs.
    """

    def __init__(
        self,
        vectors: VectorNorms,
        frequencies: Mapping[str, Frequencies],
        settings: RankSettings | None = None,
    ) -> None:
        self.settings = settings or RankSettings()
        self.frequencies = dict(frequencies)
        self.reductions = (vectors.received,)
        self._vectors = vectors
        self._samples = {
            kind: Sample(self.settings.tokens, [self.settings.seed, KINDS.index(kind)])
            for kind in frequencies
        }
        self._ids = {kind: np.zeros(self.settings.tokens, dtype=np.int64) for kind in frequencies}
        self._real = {kind: np.zeros(self.settings.tokens, dtype=bool) for kind in frequencies}
        self._kept: dict[Site, np.ndarray] = {}
        self._drawn: dict[str, _Drawn] = {}

    def start(self, batch: Batch) -> None:
        """Draw tokens."""
        self._vectors.start(batch)
        self._drawn = {}
        for kind in self.frequencies.keys() & batch.keys.keys():
            side = batch.keys[kind]
            rows, places = side.present.nonzero(as_tuple=True)
            slots, items = self._samples[kind].offer(len(rows))
            items = torch.from_numpy(items).to(rows.device)
            drawn = self._drawn[kind] = _Drawn(slots, rows[items], places[items])
            self._ids[kind][slots] = side.ids[drawn.rows, drawn.places].cpu().numpy()
            self._real[kind][slots] = side.real[drawn.rows, drawn.places].cpu().numpy()

    def update(self, site: Site, received: PerKey) -> None:
        """Put norm and weight of the tokens drawn into their slots: (slot, head, 2)."""
        if site.kind not in self._drawn:
            return
        slots, rows, places = self._drawn[site.kind]
        shape = (self.settings.tokens, received.shape[1], len(MEASURES))
        kept = self._kept.setdefault(site, np.zeros(shape, dtype=np.float32))
        both = torch.stack([self._vectors[site].transformed, received], dim=-1)
        kept[slots] = both[rows, :, places].cpu().numpy()

    def table(self) -> pd.DataFrame:
        """Two correlations, each with and without special pieces, for every head."""
        rows = [
            (*site, head, f"rank-{measure}-rho", key, rho, int(chosen.sum()))
            for site, kept in self._kept.items()
            for key, chosen in self._chosen(site.kind).items()
            for place, measure in enumerate(MEASURES)
            for head, rho in enumerate(
                spearman(self._ranks(site.kind)[chosen, None], kept[chosen, :, place]), start=1
            )
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def tokens(self) -> pd.DataFrame:
        """kind, id, rank, real, norm, weight: the tokens of the sample, means over all heads and layers of the kind."""
        tables = []
        for kind in dict.fromkeys(site.kind for site in self._kept):
            heads = np.concatenate([kept for site, kept in self._kept.items() if site.kind == kind], axis=1)
            taken = self._samples[kind].taken
            norm, weight = heads[taken].mean(1, dtype=np.float64).T
            columns = {
                "id": self._ids[kind],
                "rank": self._ranks(kind),
                "real": self._real[kind],
            }
            columns = {name: values[taken] for name, values in columns.items()}
            tables.append(pd.DataFrame({"kind": kind, **columns, "norm": norm, "weight": weight}))
        return pd.concat(tables, ignore_index=True)

    def correlations(self) -> pd.DataFrame:
        """kind, measure (norm, weight), key (all, real), value, count: over `tokens`, as in the paper."""
        rows = []
        for kind, tokens in self.tokens().groupby("kind", sort=False):
            for key, chosen in (("all", tokens), ("real", tokens[tokens["real"]])):
                rhos = spearman(chosen[["rank"]].to_numpy(), chosen[list(MEASURES)].to_numpy())
                rows += [
                    (kind, name, key, rho, len(chosen)) for name, rho in zip(MEASURES, rhos, strict=True)
                ]
        return pd.DataFrame(rows, columns=["kind", "measure", "key", "value", "count"])

    def _ranks(self, kind: str) -> np.ndarray:
        return self.frequencies[kind].rank.numpy()[self._ids[kind]]

    def _chosen(self, kind: str) -> dict[str, np.ndarray]:
        taken = self._samples[kind].taken
        return {"all": taken, "real": taken & self._real[kind]}
