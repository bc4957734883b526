"""The weights of one site for some sentences, and reductions that statistics share.

A *reduction* turns a look into a small tensor, a row for each sentence: computed while the weights are in the
processor's cache. The highest weight of each query and its key serve confidence, offsets and rare tokens, so they are
computed once. Padding has no weight; special tokens (EOS) have, and are left out first: "not a real token" (Voita et
al. 2019, section 4).
"""

from collections.abc import Callable
from functools import cached_property

import torch
from jaxtyping import Float, Int
from torch import Tensor

from headwork.heads.streaming.batches import Batch, Side
from headwork.lens.attention import Attended
from headwork.lens.reductions import entropy, peak
from headwork.sites import Maps, Site

PerQuery = Float[Tensor, "batch head query"]
Keys = Int[Tensor, "batch head query"]


class Look:
    """One site's attention for the sentences `rows` of a batch; costly parts are computed on first use.

    `keys` is the whole batch's side: take `[look.rows]` of its tensors.
    """

    def __init__(self, attended: Attended, batch: Batch) -> None:
        self.site: Site = attended.site
        self.rows: slice = attended.rows
        self.weights: Maps = attended.weights
        self.keys: Side = batch.keys[attended.site.kind]

    @cached_property
    def real_weights(self) -> Maps:
        """Return the weights with those on keys that are not real set to 0."""
        return self.weights if self.keys.all_real else self.weights * self.keys.real[self.rows, None, None]

    @cached_property
    def strongest(self) -> tuple[PerQuery, Keys]:
        """The highest weight among real keys and the key that has it, the first of several."""
        weight, key = peak(self.real_weights)
        if self.keys.all_real:
            return weight, key
        # If the weights of all real keys underflow to 0, the first real key is taken.
        return weight, torch.where(weight > 0, key, self.keys.first[self.rows, None, None])


Reduction = Callable[[Look], Tensor]


def highest_weight(look: Look) -> PerQuery:
    """The highest weight of each query among real keys."""
    return look.strongest[0]


def highest_weight_of_all(look: Look) -> PerQuery:
    """The highest weight of each query among all keys, special tokens included."""
    return peak(look.weights)[0]


def strongest_key(look: Look) -> Keys:
    """The real key that each query attends to most."""
    return look.strongest[1]


def real_share(look: Look) -> PerQuery:
    """How much of each query's weight is on real keys."""
    return look.real_weights.sum(-1)


def entropy_of_all(look: Look) -> PerQuery:
    """-Σ w ln w over all keys."""
    return entropy(look.weights)


def entropy_of_real(look: Look) -> PerQuery:
    """-Σ w ln w over real keys, the weights not divided by their sum."""
    return entropy(look.real_weights)
