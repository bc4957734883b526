"""Projection-weighted CCA: similarity of two sets of vectors of the same tokens (Morcos et al. 2018).

For centred X (tokens x d) and Y (tokens x e), with orthonormal bases Q_x, Q_y of their columns,

    Q_xᵀ Q_y = U diag(ρ) Vᵀ        canonical correlations ρ and variates h_i = Q_x u_i
    α_i = Σ_j |⟨h_i, x_j⟩|         over the columns x_j of X; divided by their sum
    PWCCA = Σ_i α_i ρ_i            distance = 1 - PWCCA

PWCCA is invariant to an invertible linear map of Y but not of X, so it is not symmetric: always state which is X. It is
biased upwards for few tokens (about sqrt(d/n) for n independent vectors of d dimensions): compare only equal numbers of
tokens, and see `floor`.

`google_compat` reproduces google/svcca of 2019, which papers of that time used: directions are not whitened and the
columns' means are added again before α is taken.
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from headwork.errors import InputError
from headwork.representations.distances.jackknife import Tenths, cut_by
from headwork.settings.representations import Variant

Vectors = Float[Tensor, "token dimension"]
Others = Float[Tensor, "other_token other_dimension"]
RANK = 1e-6  # relative to the largest singular value: directions below it are treated as absent


class RankError(InputError):
    """Vectors without full rank, for which `google_compat` is not defined."""


class Similarity(NamedTuple):
    """PWCCA, and the canonical correlations in falling order; PWCCA `without` each tenth of the text, if it was cut."""

    pwcca: float
    correlations: Float[np.ndarray, " direction"]
    without: tuple[float, ...] = ()

    @property
    def distance(self) -> float:
        """1 - PWCCA."""
        return 1 - self.pwcca

    @property
    def distances_without(self) -> tuple[float, ...]:
        """The distance without each tenth of the text."""
        return tuple(1 - value for value in self.without)


def pwcca(x: Vectors, y: Others, variant: Variant = "morcos", parts: Tenths | None = None) -> Similarity:
    """PWCCA of two sets of vectors, a row a token, in the same order; `parts`: the tenth of the text of each token.

    Raises InputError for unequal numbers of tokens, and for no more tokens than dimensions (the correlations are then 1
    for any vectors); RankError, a subclass, for `google_compat` of vectors without full rank. If too few tokens remain
    without a tenth, that value is NaN.
    """
    if len(x) != len(y):
        raise InputError(f"PWCCA: {len(x)} and {len(y)} vectors; give two sets of the same tokens")
    widest = max(x.shape[1], y.shape[1])
    if len(x) <= widest:
        raise InputError(
            f"PWCCA: {len(x)} tokens for {widest} dimensions, for which any two sets have PWCCA 1; give more tokens"
        )
    means = x.double().mean(0)
    # both centred by the same vector, so that sums of squares are not dominated by means
    moved = x.double() - means, y.double() - y.double().mean(0)
    if parts is None:
        return _similarity(_Moments.of(*moved), means, variant)
    of_parts = [_Moments.of(*(each[rows] for each in moved)) for rows in map(torch.from_numpy, cut_by(parts))]
    whole = _Moments(*map(sum, zip(*of_parts, strict=True)))
    without = []
    for part in of_parts:
        left = _Moments(*(all_ - own for all_, own in zip(whole, part, strict=True)))
        without.append(_similarity(left, means, variant).pwcca if left.tokens > widest else float("nan"))
    return _similarity(whole, means, variant)._replace(without=tuple(without))


class _Moments(NamedTuple):
    """Sums over tokens, which is all that PWCCA needs: those of parts of the tokens can be added and taken away."""

    tokens: int
    x: Float[Tensor, " dimension"]
    y: Float[Tensor, " other_dimension"]
    xx: Float[Tensor, "dimension dimension"]
    yy: Float[Tensor, "other_dimension other_dimension"]
    xy: Float[Tensor, "dimension other_dimension"]

    @classmethod
    def of(cls, x: Vectors, y: Others) -> "_Moments":
        return cls(len(x), x.sum(0), y.sum(0), x.T @ x, y.T @ y, x.T @ y)


def _similarity(moments: _Moments, moved_by: Float[Tensor, " dimension"], variant: str) -> Similarity:
    """PWCCA from sums over vectors, those of X moved by `moved_by`."""
    tokens, x, y = moments[:3]
    xx = moments.xx - torch.outer(x, x) / tokens
    bases = _basis(xx), _basis(moments.yy - torch.outer(y, y) / tokens)
    both = bases[0].whitening.T @ (moments.xy - torch.outer(x, y) / tokens) @ bases[1].whitening
    left, correlations, _ = torch.linalg.svd(both, full_matrices=False)
    correlations = correlations.clamp(0, 1)
    if variant == "morcos":
        # h = Q_x u and Q_xᵀ X = diag(singular) rightᵀ
        weights = ((left * bases[0].singular[:, None]).T @ bases[0].right.T).abs().sum(1)
    else:
        if len(correlations) < len(x):
            raise RankError("PWCCA: google_compat needs vectors of full rank; use the variant morcos")
        # not whitened again, the mean of the i-th neuron in the i-th direction, and QR to make them orthonormal
        means = moved_by + x / tokens
        directions = bases[0].right @ left
        # the sign of a direction is arbitrary, but matters once the means are added
        directions = directions * torch.where(directions.sum(0) < 0, -1, 1)
        added = tokens * torch.outer(means, means)
        lower = torch.linalg.cholesky(directions.T @ xx @ directions + added)  # of QR, the transpose of R
        weights = torch.linalg.solve_triangular(lower, directions.T @ xx + added, upper=False).abs().sum(1)
    share = weights / weights.sum()
    return Similarity(float((share * correlations[: len(share)]).sum()), correlations.numpy())


class _Basis(NamedTuple):
    """Centred vectors are q diag(singular) rightᵀ, without directions in which they do not vary."""

    singular: Tensor
    right: Tensor

    @property
    def whitening(self) -> Tensor:
        """The matrix that maps centred vectors to q."""
        return self.right / self.singular


def _basis(squares: Float[Tensor, "dimension dimension"]) -> _Basis:
    # by the eigenvectors of the small square matrix: for 20,000 x 512 ten times faster than an SVD of the tall one
    values, vectors = torch.linalg.eigh(squares)
    singular = values.clamp_min(0).sqrt()
    kept = singular > RANK * singular.max()
    return _Basis(singular[kept].flip(0), vectors[:, kept].flip(1))


def floor(tokens: int, dimensions: int, repeats: int = 3, seed: int = 0) -> float:
    """The PWCCA of independent Gaussian vectors, its bias for these numbers of tokens and dimensions."""
    chance = torch.Generator().manual_seed(seed)
    pairs = ((torch.randn(tokens, dimensions, generator=chance) for _ in range(2)) for _ in range(repeats))
    return float(np.mean([pwcca(*pair).pwcca for pair in pairs]))
