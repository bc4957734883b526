"""Norms of the transformed vectors f(x) and of their weighted sums (Kobayashi et al. 2020, sections 2 and 3).

A head h gives query i the sum over keys j of α_ij f(x_j), a layer the sum of that over its heads plus a bias, with

    f(x) = (x W_V + b_V) W_O        the part of W_V, b_V, W_O that belongs to the head

The contribution of key j to the sum is the norm of a vector, not a weight alone: ‖α_ij f(x_j)‖ = α_ij ‖f(x_j)‖, and for
the layer ‖Σ_h α_ij f_h(x_j)‖. The vectors of every head, query and key are not computed: Gram matrices give all norms,

    ‖f(x)‖² = v G vᵀ            v the head's value, G = W_O W_Oᵀ of the head
    ‖Σ_h α_h f_h(x_j)‖² = α M αᵀ        M[h, g] = f_h(x_j) · f_g(x_j), one small matrix for each key

A square loses half of the digits where its terms cancel: a value that W_O maps to nearly zero, or heads with opposite
vectors. Therefore the root of G is used, the R of W_Oᵀ = QR, as ‖f(x)‖ = ‖R v‖; and M is in double precision. Both
agree with directly computed norms to single precision.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.site_weights import Look
from headwork.lens.anatomy import anatomy
from headwork.lens.values import reading_values
from headwork.sites import HeadVectors, Maps, Mask, Site, Vectors

OutputWeight = Float[Tensor, "hidden head head_dim"]
PerKey = Float[Tensor, "batch head key"]


def gram_roots(weight: OutputWeight) -> Float[Tensor, "head rank head_dim"]:
    """R of each head, with Rᵀ R the Gram matrix of its part of W_O."""
    return torch.linalg.qr(weight.detach().double().movedim(1, 0), mode="r").R.to(weight.dtype)


def transformed_norms(value: HeadVectors, roots: Float[Tensor, "head rank head_dim"]) -> PerKey:
    """‖f(x)‖ of each head and token, from the heads' values and `gram_roots`."""
    return (value @ roots.mT).norm(dim=-1)


def summed_norms(
    weights: Maps, value: HeadVectors, output_weight: OutputWeight
) -> Float[Tensor, "batch query key"]:
    """‖Σ_h α f_h(x)‖ of each query and key: the norm of the sum over all heads of a layer."""
    norms = weights.new_empty(weights.shape[0], *weights.shape[2:])
    project = output_weight.detach().double().permute(1, 2, 0)
    for sentence, alphas, values in zip(norms, weights, value, strict=True):  # the memory of one at a time
        vectors = (values.double() @ project).transpose(0, 1)
        gram = vectors @ vectors.mT
        alphas = alphas.permute(2, 1, 0).double()
        sentence.copy_(((alphas @ gram) * alphas).sum(-1).clamp_min(0).sqrt().T)
    return norms


class Read(NamedTuple):
    """Norms at one site for the current batch: ‖x‖ of each token, and ‖f(x)‖ of each head and token."""

    inputs: Float[Tensor, "batch key"]
    transformed: PerKey


class VectorNorms:
    """The norms of the current batch at every site of a model, shared by all statistics that need them.

        vectors = VectorNorms(model)
        with vectors.reading():
            measure(model, batches, [Norms(vectors, classes), FrequencyRanks(vectors, frequencies)])

    `kinds` are the kinds of attention (all of the model's by default).
    """

    def __init__(self, model: nn.Module, kinds: Sequence[str] | None = None) -> None:
        sites = anatomy(model).sites.items()
        self._parts = {site: part for site, part in sites if kinds is None or site.kind in kinds}
        self._roots = {site: gram_roots(part.output_weight()) for site, part in self._parts.items()}
        self._read: dict[Site, Read] = {}
        self._queries: dict[str, Mask] = {}
        self._values: tuple[Site, HeadVectors] | None = None

    def __getitem__(self, site: Site) -> Read:
        """Return the norms at a site, after the forward pass has reached it."""
        return self._read[site]

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Compute norms in each forward pass inside the block."""
        try:
            with reading_values(self._parts.values(), self._receive):
                yield
        finally:
            self._read, self._values = {}, None

    def start(self, batch: Batch) -> None:
        """Remember which queries the batch has; each statistic that uses these norms calls it."""
        self._queries = {kind: side.present for kind, side in batch.queries.items()}

    def received(self, look: Look) -> PerKey:
        """Return the mean weight that each key receives from the queries of its sentence, special tokens included."""
        present = self._queries[look.site.kind][look.rows].to(look.weights)
        share = present / present.sum(1, keepdim=True)
        return (share[:, None, None] @ look.weights)[:, :, 0]

    def summed(self, look: Look) -> Float[Tensor, "batch query key"]:
        """Return ‖Σ_h α f_h(x)‖ for the sentences of `look`."""
        site, value = self._values
        assert site == look.site  # a site attends as soon as its values are made
        return summed_norms(look.weights, value[look.rows], self._parts[site].output_weight())

    def _receive(self, site: Site, x: Vectors, value: HeadVectors) -> None:
        self._values = site, value
        self._read[site] = Read(x.norm(dim=-1), transformed_norms(value, self._roots[site]))
