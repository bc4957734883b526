"""When do points lie as far apart as the nodes of a tree? (Coenen et al. 2019, section 4.1 and appendix.)

A power-p embedding f of a tree has ‖f(x) - f(y)‖^p = d(x, y), the length of the path between x and y.

Theorem 1. Every tree of n nodes, whatever its branches' lengths, has a power-2 embedding in n - 1 dimensions: a child
lies at its parent's point plus √length times a direction of its own.
Theorem 2. No tree with a branching has a power-1 (isometric) embedding; for p < 2 some tree has no power-p embedding.
Branches that are independent Gaussian vectors are nearly a power-2 embedding if the dimension is large beside n.
"""

from collections.abc import Sequence
from numbers import Real

import numpy as np
from jaxtyping import Float
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

Lengths = Float[np.ndarray, "node node"]
Points = Float[np.ndarray, "node dimension"]
Branches = Sequence[Real] | Float[np.ndarray, " node"]


def path_lengths(heads: Sequence[int], lengths: Branches | None = None) -> Lengths:
    """The length of the path between any two nodes of a tree.

    `heads[i]` is the parent of node i + 1, counted from 1; 0 is no node: the parent of the root. `lengths[i]` is
    that of the branch over node i + 1 (the root's is not used), 1 by default.
    """
    nodes = len(heads)
    branches = np.ones(nodes) if lengths is None else np.asarray(lengths, dtype=float)
    below = np.array([node for node, head in enumerate(heads) if head], dtype=np.int64)
    above = np.array([heads[node] - 1 for node in below], dtype=np.int64)
    graph = coo_array((branches[below], (below, above)), shape=(nodes, nodes))
    return shortest_path(graph.tocsr(), directed=False)


def exact(heads: Sequence[int], lengths: Branches | None = None) -> Points:
    """The power-2 embedding of theorem 1, in n - 1 dimensions; the root lies at the origin."""
    branches = np.ones(len(heads)) if lengths is None else np.asarray(lengths, dtype=float)
    steps = np.zeros((len(heads), max(len(heads) - 1, 1)))
    for direction, node in enumerate(node for node, head in enumerate(heads) if head):
        steps[node, direction] = np.sqrt(branches[node])
    return _down(heads, steps)


def random_branches(heads: Sequence[int], dimensions: int, seed: int = 0) -> Points:
    """A child lies at its parent's point plus a Gaussian vector whose expected squared length is 1."""
    steps = np.random.default_rng(seed).normal(scale=dimensions**-0.5, size=(len(heads), dimensions))
    return _down(heads, steps)


def random_points(nodes: int, dimensions: int, seed: int = 0) -> Points:
    """Gaussian vectors that know of no tree."""
    return np.random.default_rng(seed).normal(scale=dimensions**-0.5, size=(nodes, dimensions))


def _down(heads: Sequence[int], steps: Points) -> Points:
    """The root at the origin, and every other node a step away from its parent."""
    placed: dict[int, np.ndarray] = {}

    def place(node: int) -> np.ndarray:
        chain = []
        while node not in placed and heads[node]:
            chain.append(node)
            node = heads[node] - 1
        point = placed.setdefault(node, np.zeros(steps.shape[1]))
        for below in reversed(chain):
            point = placed[below] = point + steps[below]
        return point

    return np.stack([place(node) for node in range(len(heads))])


def squared_distances(points: Points) -> Lengths:
    """‖x - y‖² of any two."""
    return np.square(points[:, None] - points[None]).sum(-1)
