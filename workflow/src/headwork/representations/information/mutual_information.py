"""Mutual information between tokens and clusters of their hidden states.

Voita, Sennrich & Titov (2019), section 4. Vectors of tokens of the most frequent types are clustered by mini-batch
k-means; with t the type and c the cluster,

    I(t; c) = Σ_tc p(t, c) ln [p(t, c) / (p(t) p(c))]        in nats, by relative frequencies (plug-in)

The plug-in estimate is biased upwards by about (types - 1)(clusters - 1) / 2N. It is therefore compared only at equal
N, and with `shuffled`, the estimate for permuted types, whose true value is 0. `without` has the replicates of
`headwork.representations.distances.jackknife`; clusters are those of the whole text.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from sklearn.cluster import MiniBatchKMeans

from headwork.representations.distances.jackknife import Tenths, cut_by
from headwork.settings.base import require

Vectors = Float[np.ndarray, "token dimension"]
Numbers = Int[np.ndarray, " token"]


class Information(NamedTuple):
    """In nats: the estimate, that with permuted types, and the entropy of the types; and the number of tokens."""

    value: float
    shuffled: float
    entropy: float
    n: int
    without: tuple[float, ...] = ()


def mutual_information(types: Numbers, clusters: Numbers) -> float:
    """The plug-in estimate, in nats; both count from 0."""
    return _of_counts(_counts(types, clusters))


def _counts(types: Numbers, clusters: Numbers) -> Float[np.ndarray, "type cluster"]:
    given = len(types) == len(clusters) and len(types) > 0
    require(given, "mutual information: give a cluster for each token")
    table = np.zeros((types.max() + 1, clusters.max() + 1))
    np.add.at(table, (types, clusters), 1)
    return table


def _of_counts(table: Float[np.ndarray, "type cluster"]) -> float:
    return entropy(table.sum(1)) + entropy(table.sum(0)) - entropy(table.ravel())


def entropy(counts: Float[np.ndarray, " _"]) -> float:
    """-Σ p ln p of relative frequencies, in nats."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def information(types: Numbers, clusters: Numbers, seed: int = 0, parts: Tenths | None = None) -> Information:
    """Return the estimate and its control and, given `parts` (the tenth of each token), its jackknife replicates."""
    permuted, table = np.random.default_rng(seed).permutation(types), _counts(types, clusters)
    without = []
    for rows in cut_by(parts) if parts is not None else []:
        left = table.copy()
        np.subtract.at(left, (types[rows], clusters[rows]), 1)
        without.append(_of_counts(left))
    shuffled = mutual_information(permuted, clusters)
    return Information(_of_counts(table), shuffled, entropy(table.sum(1)), len(types), tuple(without))


def clusters_of(
    vectors: Vectors, clusters: int, seed: int = 0, batch: int = 4096, passes: int = 3
) -> Numbers:
    """The cluster of each vector by mini-batch k-means. Raises InputError for fewer vectors than clusters."""
    require(
        len(vectors) >= clusters,
        f"mutual information: {len(vectors)} vectors for {clusters} clusters; give more vectors, or ask for fewer",
    )
    means = MiniBatchKMeans(clusters, batch_size=batch, max_iter=passes, n_init=1, random_state=seed)
    return means.fit_predict(vectors).astype(np.int64)
