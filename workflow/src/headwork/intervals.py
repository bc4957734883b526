"""Confidence intervals: of a share (Wilson), of a statistic of several shares (bootstrap), of rank correlations, of
means, over seeds, and by the jackknife.

All but the last treat trials as independent. Tokens of one sentence are not, so these intervals are slightly too
narrow; n is always reported with them.
"""

from collections.abc import Callable, Iterable, Sequence
from numbers import Real

import numpy as np
from scipy.stats import norm, t

DRAWS = 2000
SEED = 20190728  # arbitrary; fixed, so that tables are byte-identical between runs


def wilson(share: Real, count: Real, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a share observed in `count` trials (Wilson 1927).

    centre = (p + z²/2n) / (1 + z²/n), half width = z sqrt(p(1-p)/n + z²/4n²) / (1 + z²/n). No trials: (0, 1).
    """
    if count <= 0:
        return 0.0, 1.0
    z = float(norm.ppf(0.5 + confidence / 2))
    shrink = 1 + z * z / count
    centre = (share + z * z / (2 * count)) / shrink
    half = z * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / shrink
    # at a share of 0 or 1 the interval ends there exactly; rounding would miss that by 1e-17
    low = 0.0 if share == 0 else max(0.0, float(centre - half))
    return low, 1.0 if share == 1 else min(1.0, float(centre + half))


def of_shares(
    statistic: Callable[[np.ndarray], np.ndarray],
    shares: Iterable[Real],
    counts: Iterable[Real],
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Return the interval of a statistic of several shares, by parametric bootstrap.

    Each share is sampled from Binomial(count, share) / count; `statistic` maps sampled shares (draws, shares) to
    (draws,).
    """
    random = np.random.default_rng(SEED)
    trials = np.array([*counts], dtype=np.int64)
    drawn = random.binomial(trials, np.array([*shares], dtype=float), size=(DRAWS, len(trials))) / trials
    tail = 50 * (1 - confidence)
    low, high = np.percentile(statistic(drawn), [tail, 100 - tail])
    return float(low), float(high)


def of_rank_correlation(rho: Real, count: Real) -> tuple[float, float]:
    """Return the 95 % interval of Spearman's correlation over `count` pairs, by Fisher's z.

    The variance of z is 1.06 / (n - 3) (Fieller, Hartley and Pearson 1957, which is 1 / (n - 3) for Pearson's).
    """
    half = 1.96 * np.sqrt(1.06 / max(count - 3, 1))
    middle = np.arctanh(np.clip(rho, -0.999999, 0.999999))
    return float(np.tanh(middle - half)), float(np.tanh(middle + half))


def of_mean(values: Iterable[Real], confidence: float = 0.95) -> tuple[float, float]:
    """Return the mean of independent values and the half width of Student's interval, NaN for a single value."""
    found = np.array([*values], dtype=float)
    half = np.nan
    if len(found) > 1:
        half = t.ppf(0.5 + confidence / 2, len(found) - 1) * np.std(found, ddof=1) / np.sqrt(len(found))
    return float(np.mean(found)), float(half)


def of_seeds(values: Sequence[Real], halves: Sequence[Real], confidence: float = 0.95) -> tuple[float, float]:
    """Return the mean of a quantity over runs that differ in their seeds, and the half width of its interval.

    `halves` are half widths of each run's own interval. All runs are scored on the same sentences, so that the mean of
    these is the uncertainty due to sentences, for any number of runs. The uncertainty due to seeds is that of
    `of_mean`; for a single run it is unknown and taken as 0. The two are treated as independent.
    """
    mean, seeds = of_mean(values, confidence)
    return mean, float(np.hypot(np.mean(halves), seeds if len(values) > 1 else 0.0))


def of_tenths(value: Real, without: Sequence[Real], confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of a value from its jackknife replicates (`headwork.representations.distances.jackknife`).

    Delete-a-group jackknife: with g groups, standard error² = (g - 1)/g Σ (θ_k - mean of θ)², and Student's t with g -
    1 degrees of freedom. NaN if any replicate is NaN.
    """
    left, groups = np.array([*without], dtype=float), len(without)
    error = np.sqrt((groups - 1) / groups * ((left - left.mean()) ** 2).sum())
    half = t.ppf(0.5 + confidence / 2, groups - 1) * error
    return float(value - half), float(value + half)
