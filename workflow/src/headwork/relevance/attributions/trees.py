"""Attribution trees: the edges that contribute most to a prediction (Hao et al. 2021, section 5).

Edges with an attribution (summed over heads) above a threshold are joined from the top layer down. [CLS] in the last
layer is the root; its child is the token with the largest total attribution as a query. From the layer below the last
on, an edge i -> j (i attends to j) is added if i is in the tree and j is not:

    1  a^l = Σ_h Attr^l_h, divided by its largest value outside [CLS]'s row and the diagonal; the root's edge is
       divided by the largest of [CLS]'s row instead, as in the last layer a classifier reads no other row
    2  top = argmax_i Σ_l Σ_{j != i} max(a^l_ij, 0) over all i but [CLS]
    3  for l = last - 1 down to 1: each edge i -> j, i != j, with a^l_ij above the threshold, strongest first:
       if i entered the tree in a higher layer and j has not yet, then j is a child of i

In the authors' code the order of edges decides which of several queries a token is attached to, and whether a new node
may have children in the same layer. Here the query with the largest attribution is chosen, and new nodes have no
children in the same layer.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from headwork.settings.relevance import TreeSettings

Layers = Float[np.ndarray, "layer query key"]
CLS = 0


class Edge(NamedTuple):
    """`reader` attends to `read` in a layer (from 1); both are positions in the text."""

    layer: int
    reader: int
    read: int
    score: float


class AttributionTree(NamedTuple):
    """The root is [CLS]; its one edge, in the last layer, is to the top token."""

    edges: list[Edge]

    def nodes(self) -> list[int]:
        """Return the positions in the tree, the root first, in the order of their addition."""
        return [CLS, *(edge.read for edge in self.edges)]

    def distances(self) -> dict[int, list[int]]:
        """|i - j| of the edges of each layer, those of the root left out: the receptive field."""
        found: dict[int, list[int]] = {}
        for edge in self.edges[1:]:
            found.setdefault(edge.layer, []).append(abs(edge.reader - edge.read))
        return found

    def as_json(self, pieces: Sequence[str]) -> dict[str, Any]:
        """Nodes and edges as they are written to a file."""
        return {
            "pieces": list(pieces),
            "nodes": self.nodes(),
            "edges": [edge._asdict() for edge in self.edges],
        }


def attribution_tree(layers: Layers, settings: TreeSettings | None = None) -> AttributionTree:
    """The tree of one text from its attributions summed over heads, without padding."""
    settings = settings or TreeSettings()
    others = ~np.eye(layers.shape[1], dtype=bool)
    others[CLS] = False
    highest = np.where(others, layers, -np.inf).max(axis=(1, 2))
    shares = layers / np.where(highest > 0, highest, np.inf)[:, None, None]
    read = np.where(others, shares.clip(min=0), 0).sum(axis=(0, 2))
    read[CLS] = -1
    top = int(read.argmax())
    last = len(layers)
    root = layers[-1, CLS]
    most = np.delete(root, CLS).max(initial=0.0)
    edges = [Edge(last, CLS, top, float(root[top] / most) if most > 0 else 0.0)]
    inside, may_read = {CLS, top}, {top}
    for layer in range(last - 1, 0, -1):
        own = shares[layer - 1]
        readers, keys = np.nonzero(others & (own > settings.threshold))
        strongest_first = sorted(zip(-own[readers, keys], readers.tolist(), keys.tolist(), strict=True))
        entered = set()
        for score, reader, key in strongest_first:
            if reader in may_read and key not in inside:
                edges.append(Edge(layer, reader, key, float(-score)))
                inside.add(key)
                entered.add(key)
        may_read |= entered
    return AttributionTree(edges)


def random_edges(tree: AttributionTree, length: int, chance: np.random.Generator) -> list[Edge]:
    """Return as many edges in each layer as the tree has, between random positions, as a control."""
    found = []
    for layer in sorted({edge.layer for edge in tree.edges}):
        wanted = sum(edge.layer == layer for edge in tree.edges)
        pairs = [(i, j) for i in range(length) for j in range(length) if i != j]
        for number in chance.permutation(len(pairs))[:wanted]:
            found.append(Edge(layer, *pairs[number], 0.0))
    return found
