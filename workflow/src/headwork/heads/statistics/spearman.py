"""Spearman's rank correlation, column by column."""

import numpy as np
from jaxtyping import Float, Num
from scipy.stats import rankdata


def spearman(x: Num[np.ndarray, "row _"], y: Num[np.ndarray, "row _"]) -> Float[np.ndarray, " column"]:
    """The correlation of the ranks of x and y over their first axis; ties share their mean rank.

    Columns of x and y belong together, or one of the two has a single column for all of the other's. NaN where a column
    is constant or has fewer than two rows.
    """
    ranks = [rankdata(values, axis=0) - (len(values) + 1) / 2 for values in (x, y)]
    squares = np.prod([(rank**2).sum(0) for rank in np.broadcast_arrays(*ranks)], axis=0)
    with np.errstate(invalid="ignore"):
        return (ranks[0] * ranks[1]).sum(0) / np.sqrt(squares)
