"""Jackknife replicates of an estimate: the same estimate without each tenth of the text.

Tenths are consecutive sentences, so that the sentences of a document are left out together. With θ_k the estimate
without the k-th tenth (the delete-a-group jackknife; Shao & Tu 1995, section 2.3),

    standard error² = 9/10 Σ_k (θ_k - mean of θ)²

computed in `headwork.intervals.of_tenths`. The difference of two estimates on one text has a smaller
error than either.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

NUMBER = 10
# columns of a table: the value without the first tenth of the text, ...
WITHOUT = tuple(f"without-{number}" for number in range(1, NUMBER + 1))

Tenths = Int[np.ndarray, " token"]


def tenths(sentences: Sequence[int] | Int[np.ndarray, " token"] | pd.Series) -> Tenths:
    """Return the tenth of the text, from 0, of each token; sentences are counted from 0 to that of the last token."""
    numbers = np.asarray(sentences, dtype=np.int64)
    return numbers * NUMBER // (numbers.max(initial=0) + 1)


def means_without(values: Float[np.ndarray, " token"], parts: Tenths) -> Float[np.ndarray, "10"]:
    """The mean without each tenth; NaN where nothing is left."""
    counts = np.bincount(parts, minlength=NUMBER)
    sums = np.bincount(parts, weights=values, minlength=NUMBER)
    left = counts.sum() - counts
    return np.divide(sums.sum() - sums, left, out=np.full(NUMBER, np.nan), where=left > 0)


def cut_by(parts: Tenths) -> list[Int[np.ndarray, " row"]]:
    """The rows of each tenth."""
    order = np.argsort(parts, kind="stable")
    ends = np.searchsorted(parts[order], np.arange(NUMBER + 1))
    return [order[low:high] for low, high in pairwise(ends)]
