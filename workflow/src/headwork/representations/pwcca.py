"""How alike two sets of vectors of the same tokens are: projection-weighted CCA (Morcos et al. 2018).

For centred X (tokens x d) and Y (tokens x e), with orthonormal bases Q_x, Q_y of their columns,

    Q_xᵀ Q_y = U diag(ρ) Vᵀ        canonical correlations ρ and variates h_i = Q_x u_i
    α_i = Σ_j |⟨h_i, x_j⟩|         over the columns x_j of X; divided by their sum
    PWCCA = Σ_i α_i ρ_i            distance = 1 - PWCCA

It does not change if Y is mapped by an invertible matrix, but does if X is, so it is not symmetric: say which is X. Of
few tokens it is biased upwards (n independent vectors of d dimensions are alike to about the root of d/n): compare
equal numbers of tokens only, and see `floor`.

`google_compat` is what google/svcca computed in 2019, which papers of that time used: directions are not whitened and
the columns' means are added again before α is taken.
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from headwork.errors import InputError
from headwork.options import require

Vectors = Float[Tensor, "token dimension"]
Others = Float[Tensor, "other_token other_dimension"]
VARIANTS = ("morcos", "google_compat")
RANK = 1e-6  # of the largest singular value: what is below it is no dimension of the data


class RankError(InputError):
    """Vectors that do not vary in all of their dimensions, which `google_compat` cannot be computed of."""


class Similarity(NamedTuple):
    """PWCCA, and the canonical correlations in falling order."""

    pwcca: float
    correlations: Float[np.ndarray, " direction"]

    @property
    def distance(self) -> float:
        """1 - PWCCA."""
        return 1 - self.pwcca


def pwcca(x: Vectors, y: Others, variant: str = "morcos") -> Similarity:
    """PWCCA of two sets of vectors, a row a token, in the same order.

    Raises InputError for unequal numbers of tokens, for no more tokens than dimensions (the correlations are then 1
    whatever the vectors are), and for an unknown variant; RankError, which is one, for `google_compat` of an X that
    does not vary in all of its dimensions.
    """
    require(variant in VARIANTS, f"PWCCA: unknown variant '{variant}'; known are {', '.join(VARIANTS)}")
    if len(x) != len(y):
        raise InputError(f"PWCCA: {len(x)} and {len(y)} vectors; both sets must be of the same tokens")
    widest = max(x.shape[1], y.shape[1])
    if len(x) <= widest:
        raise InputError(
            f"PWCCA: {len(x)} tokens for {widest} dimensions, with which any two sets are alike; give more tokens"
        )
    means = x.double().mean(0)
    centred = [each.double() - each.double().mean(0) for each in (x, y)]
    bases = [_basis(each) for each in centred]
    left, correlations, _ = torch.linalg.svd(bases[0].q.T @ bases[1].q, full_matrices=False)
    correlations = correlations.clamp(0, 1)
    if variant == "morcos":
        variates = bases[0].q @ left
        weights = (variates.T @ centred[0]).abs().sum(1)
    else:
        if bases[0].q.shape[1] < x.shape[1]:
            raise RankError("PWCCA: google_compat needs vectors that vary in all of their dimensions")
        # not whitened again, the mean of the i-th neuron in the i-th direction, and QR to make them orthonormal
        directions = torch.linalg.qr(centred[0] @ (bases[0].right @ left) + means).Q
        weights = (directions.T @ (centred[0] + means)).abs().sum(1)
    share = weights / weights.sum()
    return Similarity(float((share * correlations[: len(share)]).sum()), correlations.numpy())


class _Basis(NamedTuple):
    """q diag(singular) rightᵀ, without directions in which the data do not vary."""

    q: Tensor
    singular: Tensor
    right: Tensor


def _basis(centred: Tensor) -> _Basis:
    # by the eigenvectors of the small square matrix: for 20,000 x 512 ten times faster than an SVD of the tall one
    values, vectors = torch.linalg.eigh(centred.T @ centred)
    singular = values.clamp_min(0).sqrt()
    kept = singular > RANK * singular.max()
    singular, vectors = singular[kept].flip(0), vectors[:, kept].flip(1)
    return _Basis(centred @ vectors / singular, singular, vectors)


def floor(tokens: int, dimensions: int, repeats: int = 3, seed: int = 0) -> float:
    """PWCCA of independent Gaussian vectors: what so many tokens of so many dimensions give where nothing is alike."""
    chance = torch.Generator().manual_seed(seed)
    found = [
        pwcca(*(torch.randn(tokens, dimensions, generator=chance) for _ in range(2))).pwcca
        for _ in range(repeats)
    ]
    return float(np.mean(found))
