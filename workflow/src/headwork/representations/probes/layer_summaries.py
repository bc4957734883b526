"""Where in an encoder a task is solved: summaries of mixing weights and cumulative scores (Tenney et al. 2019).

    centre of gravity   E_s = Σ_l l s_l, l = 0 to L
    differential score  δ^(l) = F1(P^(l)) - F1(P^(l-1)), l = 1 to L
    expected layer      E_δ = Σ_l l δ^(l) / Σ_l δ^(l)
    K(s), K(δ)          Kullback-Leibler divergence from the uniform distribution, in bits

As in the authors' released notebook, K(δ) sets negative differences to 0 and normalises, and E_δ does neither. E_δ is
no mean of a distribution: it may lie outside 1 to L, and means nothing where the whole gain is near 0.
"""

import numpy as np
from jaxtyping import Float

Scores = Float[np.ndarray, "... layer"]
Gains = Float[np.ndarray, "... gain"]
Values = Float[np.ndarray, "..."] | float


def centre_of_gravity(weights: Scores) -> Values:
    """E_s of the mixing weights of layers 0 to L."""
    return weights @ np.arange(weights.shape[-1])


def differences(scores: Scores) -> Gains:
    """δ of layers 1 to L, from the scores of probes that mix layers 0 to l."""
    return np.diff(scores, axis=-1)


def expected_layer(scores: Scores) -> Values:
    """E_δ; NaN where the last score equals the first."""
    gains = differences(scores)
    total = gains.sum(-1)
    sums = gains @ np.arange(1, gains.shape[-1] + 1)
    return np.divide(sums, total, out=np.full(np.shape(total), np.nan), where=np.abs(total) > 1e-12)


def divergence(shares: Scores) -> Values:
    """K of a distribution over layers: Σ p log2(p n), n layers."""
    known = np.where(shares > 0, shares, 1.0)
    return (shares * np.log2(known * shares.shape[-1])).sum(-1)


def divergence_of_gains(scores: Scores) -> Values:
    """K(δ); NaN where no layer gains."""
    gains = differences(scores).clip(min=0)
    total = gains.sum(-1, keepdims=True)
    shares = np.divide(gains, total, out=np.full(gains.shape, np.nan), where=total > 0)
    return divergence(shares)
