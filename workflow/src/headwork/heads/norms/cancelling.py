"""Correlation of attention weights with vector norms (Kobayashi et al. 2020, section 4.3, figure 4).

Spearman's correlation of α_ij and ‖f(x_j)‖ over pairs of a query i and a token j, by the class of j ([CLS], [SEP],
punctuation, other). All pairs of 992 segments in 144 heads are 2e9, so the correlation is over a sample of pairs of
each class: the same pairs for every head, of a fixed number for any length of text.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from headwork.heads.norms.vector_norms import VectorNorms
from headwork.heads.statistics.spearman import spearman
from headwork.heads.statistics.token_classes import TokenClasses
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.sample import Sample
from headwork.heads.streaming.site_weights import Look
from headwork.heads.streaming.tally import COLUMNS
from headwork.settings.heads import CancellingSettings
from headwork.sites import KINDS, Site

PairWeights = Float[Tensor, "batch pair head"]
Points = Float[np.ndarray, "pair head 2"]


class _Pairs(NamedTuple):
    """The sampled pairs of a batch, a row for each sentence; valid where `real`, in the order of slots."""

    query: Int[Tensor, "batch pair"]
    key: Int[Tensor, "batch pair"]
    real: Bool[Tensor, "batch pair"]
    slots: np.ndarray


class Cancelling:
    """The statistic `weight-norm-rho`, with a key for each class; `vectors` must be reading while the model runs."""

    def __init__(
        self, vectors: VectorNorms, classes: TokenClasses, settings: CancellingSettings | None = None
    ) -> None:
        self.settings = settings or CancellingSettings()
        self.classes = classes
        self.reductions = (self._pair_weights,)
        self._vectors = vectors
        self._samples = {
            (kind, number): Sample(self.settings.pairs, [self.settings.seed, place, number])
            for place, kind in enumerate(KINDS)
            for number in range(len(classes.names))
        }
        self._kept: dict[Site, Float[np.ndarray, "slot head 2"]] = {}
        self._pairs: dict[str, _Pairs] = {}

    def start(self, batch: Batch) -> None:
        """Draw pairs."""
        self._pairs = {
            kind: self._draw(kind, batch.queries[kind].present, self.classes.of_side(keys), keys.present)
            for kind, keys in batch.keys.items()
        }

    def _draw(
        self,
        kind: str,
        queries: Bool[Tensor, "batch query"],
        class_of: Int[Tensor, "batch key"],
        keys: Bool[Tensor, "batch key"],
    ) -> _Pairs:
        shape = (*queries.shape, keys.shape[1])
        places, slots = [], []
        for number in range(len(self.classes.names)):
            sample = self._samples[kind, number]
            fit = queries[:, :, None] & (keys & (class_of == number))[:, None]
            fitting = fit.flatten().nonzero()[:, 0].cpu().numpy()
            taken, items = sample.offer(len(fitting))
            places.append(fitting[items])
            slots.append(taken + number * sample.size)
        place = np.concatenate(places)
        order = place.argsort()
        row, query, key = np.unravel_index(place[order], shape)
        count = np.bincount(row, minlength=len(queries))
        column = np.arange(len(row)) - (count.cumsum() - count)[row]
        padded = np.zeros((3, len(queries), count.max()), dtype=np.int64)
        padded[:, row, column] = query, key, np.ones_like(key)
        query, key, real = torch.from_numpy(padded).to(queries.device)
        return _Pairs(query, key, real.bool(), np.concatenate(slots)[order])

    def _pair_weights(self, look: Look) -> PairWeights:
        """The weights of the pairs drawn, of all heads."""
        pairs = self._pairs[look.site.kind]
        rows = torch.arange(len(look.weights), device=look.weights.device)[:, None]
        return look.weights[rows, :, pairs.query[look.rows], pairs.key[look.rows]]

    def update(self, site: Site, weights: PairWeights) -> None:
        """Store weight and norm of the sampled pairs in their slots."""
        pairs, norms = self._pairs[site.kind], self._vectors[site].transformed
        rows = torch.arange(len(norms), device=norms.device)[:, None]
        both = torch.stack([weights, norms[rows, :, pairs.key]], dim=-1)[pairs.real]
        slots = self.settings.pairs * len(self.classes.names)
        kept = self._kept.setdefault(site, np.zeros((slots, *both.shape[1:]), dtype=np.float32))
        kept[pairs.slots] = both.cpu().numpy()

    def _points(self, site: Site, number: int) -> Points:
        """Weights and norms of the pairs of one class."""
        slots = slice(number * self.settings.pairs, (number + 1) * self.settings.pairs)
        return self._kept[site][slots][self._samples[site.kind, number].taken]

    def table(self) -> pd.DataFrame:
        """One row per head and class; its count is the number of pairs."""
        rows = [
            (*site, head, "weight-norm-rho", name, rho, len(points))
            for site in self._kept
            for number, name in enumerate(self.classes.names)
            if len(points := self._points(site, number)) > 1
            for head, rho in enumerate(spearman(points[..., 0], points[..., 1]), start=1)
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def together(self) -> pd.DataFrame:
        """kind, class, value, count: the correlation over the pairs of all heads of a kind together, as in the paper.

        The count is the number of pairs, which all heads share.
        """
        rows = []
        for kind in dict.fromkeys(site.kind for site in self._kept):
            for number, name in enumerate(self.classes.names):
                points = [self._points(site, number) for site in self._kept if site.kind == kind]
                both = np.concatenate([of_site.reshape(-1, 2) for of_site in points])
                if len(both):
                    rho = float(spearman(both[:, :1], both[:, 1:])[0])
                    rows.append((kind, name, rho, len(points[0])))
        return pd.DataFrame(rows, columns=["kind", "class", "value", "count"])

    def scatter(self, points: int = 1000) -> pd.DataFrame:
        """kind, layer, head, class, weight, norm: at most `points` points of each kind and class, for a plot."""
        tables = []
        for site in self._kept:
            for number, name in enumerate(self.classes.names):
                both = self._points(site, number)
                heads = np.tile(np.arange(1, both.shape[1] + 1), len(both))
                place = {"kind": site.kind, "layer": site.layer, "head": heads, "class": name}
                weight, norm = both.reshape(-1, 2).T
                tables.append(pd.DataFrame({**place, "weight": weight, "norm": norm}))
        every = pd.concat(tables, ignore_index=True)
        order = np.random.default_rng(self.settings.seed).permutation(len(every))
        return every.iloc[order].groupby(["kind", "class"]).head(points).sort_index(ignore_index=True)
