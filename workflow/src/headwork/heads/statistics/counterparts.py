"""Attention to the same token in the other sentence of a pair.

Of a text [CLS] A [SEP] B [SEP], let C(i) be the tokens of the other sentence with the subword of token i, and Q the
tokens i whose C(i) is not empty, special tokens left out. Then

    counterpart(head) = mean over texts of 1/|Q| Σ_{i in Q} Σ_{j in C(i)} A[i, j]

Under uniform attention over the n tokens of the text the inner sum is |C(i)| / n. No study defines this measure; it
is what the maps of Kovaleva et al. (2019), figure 10, show of sentence pairs.
"""

import pandas as pd
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from headwork.heads.streaming.batches import Batch, Side, query_weights
from headwork.heads.streaming.site_weights import Look, Reduction
from headwork.heads.streaming.tally import Tally
from headwork.sites import Site

COUNTERPART = "counterpart"
WEIGHT, UNIFORM = "attention", "uniform"


class Counterparts:
    """The statistic `COUNTERPART`; keys are `WEIGHT` and `UNIFORM`: attention, and its value if it were uniform.

    Its count is the number of texts in which both sentences have some subword. Other texts, and sites between two
    texts, have none.
    """

    def __init__(self) -> None:
        self.reductions: tuple[Reduction, ...] = (self._attention,)
        self._tally = Tally(COUNTERPART, (WEIGHT, UNIFORM))

    def start(self, batch: Batch) -> None:
        """Find the tokens that both sentences have."""
        self._alike, self._visible = {}, {}
        for kind, side in batch.queries.items():
            if batch.same_text(kind):
                causal, pairs = kind in batch.causal, alike(side)
                self._alike[kind] = pairs.tril() if causal else pairs
                self._visible[kind] = side.present.cumsum(1) if causal else side.present.sum(1, keepdim=True)

    def _attention(self, look: Look) -> Float[Tensor, "batch head two"]:
        """Each text's attention and its uniform value; 0 for a text without such tokens."""
        if look.site.kind not in self._alike:
            return look.weights.new_zeros(*look.weights.shape[:2], 0)
        pairs = self._alike[look.site.kind][look.rows, None]
        queries, _ = query_weights(pairs.any(-1), "sentences")  # batch, 1, query
        uniform = pairs.sum(-1) / self._visible[look.site.kind][look.rows, None].clamp_min(1)
        sums = [(look.weights * pairs).sum(-1), uniform.expand(-1, look.weights.shape[1], -1)]
        return torch.stack([(queries * each).sum(-1) for each in sums], dim=-1)

    def update(self, site: Site, attention: Float[Tensor, "batch head two"]) -> None:
        """Add each text's attention."""
        if site.kind in self._alike:
            count = self._alike[site.kind].any(-1).any(-1).sum()
            self._tally.add(site, attention.sum(0, dtype=torch.float64), count.expand(2))

    def table(self) -> pd.DataFrame:
        """One row per head and key."""
        return self._tally.table()


def alike(side: Side) -> Bool[Tensor, "batch query key"]:
    """Whether two tokens are the same subword in different sentences: a special token ends a sentence."""
    sentence = (~side.real).cumsum(1)
    other = sentence[:, :, None] != sentence[:, None]
    real = side.real[:, :, None] & side.real[:, None]
    return (side.ids[:, :, None] == side.ids[:, None]) & other & real
