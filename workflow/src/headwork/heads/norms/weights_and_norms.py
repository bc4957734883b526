"""Attention weights and norms of weighted vectors, by class of token (Kobayashi et al. 2020, section 4).

Of every head, for the classes [CLS], [SEP], punctuation and other (see `headwork.heads.statistics.token_classes`):

    weight             mean over sentences of  1/n Σ_i Σ_{j in class} α_ij               figure 3; Clark et al. 2019
    weighted-norm      mean over sentences of  1/n Σ_i Σ_{j in class} ‖α_ij f(x_j)‖      figure 3
    norm               mean over tokens j of the class of  ‖f(x_j)‖                      figure 4
    pair-weight        mean over pairs of a query i and a token j of the class of  α_ij  figure 4
    norm-spread        mean, sd, cv (sd / mean), min and max of ‖f(x_j)‖ over tokens     table 1
    input-norm-spread  the same of ‖x_j‖, which all heads of a layer share: head 0       table 1

Special pieces are tokens like others; padding is not.
"""

from typing import NamedTuple

import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor

from headwork.heads.norms.vector_norms import PerKey, VectorNorms
from headwork.heads.statistics.spread import Spread
from headwork.heads.statistics.token_classes import TokenClasses
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.tally import Tally
from headwork.sites import Site


class _Kind(NamedTuple):
    """The class membership of each key, and the number of queries, for one kind of attention."""

    member: Float[Tensor, "batch key class_"]
    queries: Int[Tensor, " batch"]


class Norms:
    """Weights and norms by class of token; `vectors` must be reading while the model runs."""

    def __init__(self, vectors: VectorNorms, classes: TokenClasses) -> None:
        self.classes = classes
        self.reductions = (vectors.received,)
        self._vectors = vectors
        self._tallies = {
            name: Tally(name, classes.names) for name in ("weight", "weighted-norm", "norm", "pair-weight")
        }
        self._spread, self._input_spread = Spread("norm-spread"), Spread("input-norm-spread", first_head=0)
        self._kinds: dict[str, _Kind] = {}

    def start(self, batch: Batch) -> None:
        """Find each key's class."""
        self._vectors.start(batch)
        self._kinds = {}
        for kind, keys in batch.keys.items():
            class_of = self.classes.of(keys.ids).where(keys.present, -1)[:, :, None]
            member = class_of == torch.arange(len(self.classes.names), device=class_of.device)
            self._kinds[kind] = _Kind(member.double(), batch.queries[kind].present.sum(1))

    def update(self, site: Site, received: PerKey) -> None:
        """Add the sums of one site over the batch."""
        member, queries = self._kinds[site.kind]
        inputs, norms = self._vectors[site]
        received = received.double()
        sentences = torch.tensor([len(queries)] * member.shape[2], device=queries.device)
        for name, per_key, count in (
            ("weight", received, sentences),
            ("weighted-norm", received * norms, sentences),
            ("norm", norms.double(), member.sum((0, 1)).long()),
            ("pair-weight", received * queries[:, None, None], (member.sum(1).T @ queries.double()).long()),
        ):
            self._tallies[name].add(site, torch.einsum("bhk,bkc->hc", per_key, member), count)
        present = member.any(-1)
        self._spread.add(site, norms.transpose(1, 2)[present])
        self._input_spread.add(site, inputs[present][:, None])

    def table(self) -> pd.DataFrame:
        """One row per head, statistic and class, or number of the spread."""
        parts = [*self._tallies.values(), self._spread, self._input_spread]
        return pd.concat([part.table() for part in parts], ignore_index=True)
