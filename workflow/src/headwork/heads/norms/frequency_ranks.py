"""Correlation of frequency ranks with vector norms and weights (Kobayashi et al. 2020, section 4.4, figure 5).

For each token the rank of its piece in the training corpus (1 for the most frequent) is correlated with ‖f(x)‖ and with
the mean weight that the token receives from the queries of its sentence. The paper averages both over all heads and
layers and correlates over tokens (`tokens`, `correlations`); `table` has the same correlations for each head. Special
pieces are frequent in the model's training but not in the counts, so correlations come with and without them.

Tokens are a sample of fixed size, the same for all heads. All tokens of a subword token have one rank, so tokens are
not independent: intervals of the correlations over tokens are from a cluster bootstrap over subword types.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor

from headwork.heads.norms.vector_norms import PerKey, VectorNorms
from headwork.heads.statistics.rare import Frequencies
from headwork.heads.statistics.spearman import spearman
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.sample import Sample
from headwork.heads.streaming.tally import COLUMNS
from headwork.settings.heads import RankSettings
from headwork.sites import KINDS, Site

MEASURES = ("norm", "weight")
DRAWS = 300  # bootstrap draws for an interval


class _Drawn(NamedTuple):
    """The sampled tokens of a batch: their slots, rows and positions."""

    slots: np.ndarray
    rows: Tensor
    places: Tensor


class FrequencyRanks:
    """The statistics `rank-norm-rho` and `rank-weight-rho`, keys `all` (tokens) and `real` (no special tokens).

    `frequencies` has one table for each kind of attention, for the side of its keys. `vectors` must be reading while
    the model runs.
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
        """Store norm and weight of the sampled tokens in their slots: (slot, head, 2)."""
        if site.kind not in self._drawn:
            return
        slots, rows, places = self._drawn[site.kind]
        shape = (self.settings.tokens, received.shape[1], len(MEASURES))
        kept = self._kept.setdefault(site, np.zeros(shape, dtype=np.float32))
        both = torch.stack([self._vectors[site].transformed, received], dim=-1)
        kept[slots] = both[rows, :, places].cpu().numpy()

    def table(self) -> pd.DataFrame:
        """Two correlations, each with and without special tokens, for every head."""
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
        """kind, measure, key (all, real), value, low, high, count: over `tokens`, as in the paper.

        The measures are norm, weight, and their difference |ρ of norms| - |ρ of weights|. `low` and `high` are a 95 %
        bootstrap interval over subword types (`rhos_of_drawn_pieces`), with the same draws for both sides of a
        difference.
        """
        rows = []
        for kind, tokens in self.tokens().groupby("kind", sort=False):
            for key, chosen in (("all", tokens), ("real", tokens[tokens["real"]])):
                ranks, values = chosen["rank"].to_numpy(), chosen[list(MEASURES)].to_numpy()
                rhos = _with_difference(spearman(ranks[:, None], values)[None])[0]
                drawn = rhos_of_drawn_pieces(chosen["id"].to_numpy(), ranks, values, self.settings.seed)
                ends = np.nanpercentile(_with_difference(drawn), [2.5, 97.5], axis=0)
                rows += [
                    (kind, name, key, rho, low, high, len(chosen))
                    for name, rho, low, high in zip((*MEASURES, "difference"), rhos, *ends, strict=True)
                ]
        return pd.DataFrame(rows, columns=["kind", "measure", "key", "value", "low", "high", "count"])

    def _ranks(self, kind: str) -> np.ndarray:
        return self.frequencies[kind].rank.numpy()[self._ids[kind]]

    def _chosen(self, kind: str) -> dict[str, np.ndarray]:
        taken = self._samples[kind].taken
        return {"all": taken, "real": taken & self._real[kind]}


def _with_difference(
    rhos: Float[np.ndarray, "draw measure"],
) -> Float[np.ndarray, "draw measure_or_difference"]:
    """Append a third column: the absolute value of the first less that of the second."""
    return np.column_stack([rhos, np.abs(rhos[:, 0]) - np.abs(rhos[:, 1])])


def rhos_of_drawn_pieces(
    ids: Int[np.ndarray, " token"],
    ranks: Int[np.ndarray, " token"],
    values: Float[np.ndarray, "token measure"],
    seed: int = 0,
) -> Float[np.ndarray, "draw measure"]:
    """The rank correlations of ranks and each column of values, a row for each of `DRAWS` draws.

    A bootstrap of clusters: as many pieces as there are get drawn with replacement, each with all its tokens, and the
    correlation is that of the tokens drawn. NaN where there are fewer than two pieces.
    """
    pieces, piece = np.unique(ids, return_inverse=True)
    if len(pieces) < 2:
        return np.full((DRAWS, values.shape[1]), np.nan)
    columns = [np.unique(column, return_inverse=True)[1] for column in (ranks, *values.T)]
    chance, drawn = np.random.default_rng(seed), []
    for _ in range(DRAWS):
        times = np.bincount(chance.integers(len(pieces), size=len(pieces)), minlength=len(pieces))[piece]
        rank, *others = (_ranks_of_copies(column, times) for column in columns)
        drawn.append([_correlation(rank, other, times) for other in others])
    return np.array(drawn)


def _ranks_of_copies(column: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return each row's centred rank with ties averaged, for rows repeated `times`; `column` numbers the values."""
    copies = np.bincount(column, weights=times)
    return (copies.cumsum() - copies / 2)[column] - times.sum() / 2


def _correlation(x: np.ndarray, y: np.ndarray, times: np.ndarray) -> float:
    """Return Pearson's correlation of rows repeated `times`, with means of 0."""
    squares = (times * x**2).sum() * (times * y**2).sum()
    return float((times * x * y).sum() / np.sqrt(squares)) if squares > 0 else float("nan")
