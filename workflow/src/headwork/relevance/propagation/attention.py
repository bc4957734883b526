"""Relevance through attention: from a head's contexts to its values, keys and queries.

    out[q, d] = Σ_k A[q, k] value[k, d],     A = softmax(scaling · query keyᵀ)

is linear in the values, and by its Jacobian an input contributes its derivative times itself:

    value[k, d]    A[q, k] value[k, d]
    key[k, e]      A[q, k] (value[k, d] - out[q, d]) · scaling query[q, e] key[k, e]
    query[q, e]    Σ_k A[q, k] (value[k, d] - out[q, d]) · scaling query[q, e] key[k, e]

to the output at query q, dimension d. All inputs of one head in one sentence share that head's relevance; with
`constant` weights only the values do. The contribution of a key is a product of a factor in d and one in e, so that its
positive part follows from those of the factors. The Jacobian with respect to keys, (query · d) x (key · e), is not
built; that with respect to queries, d x e for each query, is.

All relevance has the axes (step, batch, head, time, dimension). Tensors of the attention have the last four, or all
five where each step has queries of its own.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from headwork.lens.attention import attention_weights


@dataclass(frozen=True)
class Attention:
    """The tensors of one attention: weights (batch, head, query, key); query, key, value (batch, head, time,
    dimension).

    After `of_queries`, weights and queries have a leading step axis, and one query for each step.
    """

    weights: Tensor
    query: Tensor
    key: Tensor
    value: Tensor
    scaling: float

    @classmethod
    def of(
        cls,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        causal: bool = False,
        scaling: float | None = None,
    ) -> "Attention":
        """From what torch's `scaled_dot_product_attention` is called with; the mask is true where a key is seen."""
        scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
        return cls(attention_weights(query, key, mask, scaling, causal), query, key, value, scaling)

    def of_queries(self, places: Tensor) -> "Attention":
        """The attention of one query for each step: that at the step's place (batch, step)."""

        def chosen(tensor: Tensor) -> Tensor:
            index = places[:, None, :, None].expand(-1, tensor.shape[1], -1, tensor.shape[3])
            return tensor.gather(2, index).permute(2, 0, 1, 3)[..., None, :]

        return replace(self, weights=chosen(self.weights), query=chosen(self.query))

    @property
    def step(self) -> str:
        """The letter of the step axis of weights and queries in an einsum, if they have one."""
        return "s" if self.weights.ndim == 5 else ""

    @property
    def centred(self) -> Tensor:
        """A[q, k] (value[k, d] - out[q, d]): axes ..., query, key, d."""
        out = self.weights @ self.value
        return self.weights[..., None] * (self.value[..., None, :, :] - out[..., None, :])


def by_sign(
    attention: Attention, relevance: Tensor, alpha: float, epsilon: float, constant: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """The alpha-beta rule: shares among positive and among negative contributions. To query, key and value.

    Positive and negative parts of a vector are concatenated. Products of parts with equal signs are positive; for
    negative products the halves of one factor are exchanged.
    """
    a, step = attention, attention.step
    value, query, key = _signs(a.value), _signs(a.query), _signs(a.key)
    sums = a.weights @ value
    if not constant:
        centred = _signs(a.centred)
        scores = a.scaling * torch.stack([_exchanged(query), query]) @ key.transpose(-2, -1)
        by_query = a.scaling * (a.centred.transpose(-2, -1) @ a.key[..., None, :, :]) * a.query[..., None, :]
        by_query = torch.cat([by_query.clamp_min(0), (-by_query).clamp_min(0)], -2)
        differ, agree = _over_keys(centred, scores)
        sums = sums + agree + _exchanged(differ) + by_query.sum(-1)
    parts = relevance.new_tensor([alpha, 1 - alpha]).repeat_interleave(a.value.shape[-1])
    shared = torch.cat([relevance, relevance], -1) * (parts / (sums + epsilon))
    to_value = _joined(value * torch.einsum(f"{step}bhqk,sbhqd->sbhkd", a.weights, shared))
    if constant:
        return _no_queries(a, relevance), torch.zeros_like(to_value), to_value
    shared_by = torch.stack([shared, _exchanged(shared)])
    by_score = a.scaling * torch.einsum(f"{step}bhqkd,xsbhqd->xsbhqk", centred, shared_by)
    queries = torch.stack([query, _exchanged(query)])
    to_key = _joined(key * torch.einsum(f"xsbhqk,x{step}bhqe->sbhke", by_score, queries))
    return torch.einsum(f"{step}bhqde,sbhqd->sbhqe", by_query, shared), to_key, to_value


def by_sum(
    attention: Attention, relevance: Tensor, epsilon: float, constant: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """The epsilon rule: shares of the sum of all contributions. To query, key and value."""
    a, step = attention, attention.step
    total = a.weights @ a.value
    if not constant:
        centred = a.centred
        scores = a.scaling * (a.query @ a.key.transpose(-2, -1))
        total = total + 2 * _over_keys(centred, scores)  # once through the queries, once through the keys
    shared = relevance / stabilised(total, epsilon)
    to_value = a.value * torch.einsum(f"{step}bhqk,sbhqd->sbhkd", a.weights, shared)
    if constant:
        return _no_queries(a, relevance), torch.zeros_like(to_value), to_value
    by_score = a.scaling * torch.einsum(f"{step}bhqkd,sbhqd->sbhqk", centred, shared)
    to_key = a.key * torch.einsum(f"sbhqk,{step}bhqe->sbhke", by_score, a.query)
    return a.query * (by_score @ a.key), to_key, to_value


def stabilised(total: Tensor, epsilon: float) -> Tensor:
    """Return the sum of contributions moved away from zero by epsilon; zero counts as positive."""
    return total + torch.where(total < 0, -epsilon, epsilon)


def _signs(x: Tensor) -> Tensor:
    """Positive part and negative part, behind one another."""
    return torch.cat([x.clamp_min(0), (-x).clamp_min(0)], -1)


def _exchanged(halves: Tensor) -> Tensor:
    return torch.cat(halves.chunk(2, -1)[::-1], -1)


def _joined(halves: Tensor) -> Tensor:
    one, other = halves.chunk(2, -1)
    return one + other


def _over_keys(centred: Tensor, scores: Tensor) -> Tensor:
    """Σ_k centred[q, k, d] scores[q, k]."""
    return (scores[..., None, :] @ centred)[..., 0, :]


def _no_queries(attention: Attention, relevance: Tensor) -> Tensor:
    return relevance.new_zeros(*relevance.shape[:-1], attention.query.shape[-1])
