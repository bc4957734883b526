"""Nearest neighbours of hidden states, and the labels that they share.

Voita, Sennrich & Titov (2019), section 6. Exact search, in blocks of the distance matrix so that memory is bounded; a
vector is not its own neighbour.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import normalize

from headwork.settings.base import require
from headwork.settings.representations import Metric

Vectors = Float[Tensor, "token dimension"]
Neighbours = Int[Tensor, "token neighbour"]
AT_ONCE = 2**26  # bytes of a block of the distance matrix


def nearest(vectors: Vectors, number: int, metric: Metric = "l2") -> Neighbours:
    """The indices of each vector's nearest other vectors, nearest first.

    Raises InputError for more neighbours than there are others.
    """
    count = len(vectors)
    require(0 < number < count, f"neighbours: {number} of each of {count} vectors; ask for 1 to {count - 1}")
    # centring leaves distances unchanged and avoids rounding errors of a large common mean
    vectors = normalize(vectors, dim=1) if metric == "cosine" else vectors - vectors.mean(0)
    lengths = (vectors * vectors).sum(1)
    rows = max(1, AT_ONCE // (len(vectors) * vectors.element_size()))
    # one block for all, as a new one does not always fit where the last was freed
    block = vectors.new_empty(min(rows, len(vectors)), len(vectors))
    found = []
    for start in range(0, len(vectors), rows):
        some = vectors[start : start + rows]
        # |x - y|² = |x|² - 2 ⟨x, y⟩ + |y|²; the first term is constant for each x
        distances = torch.addmm(lengths[None], some, vectors.T, alpha=-2, out=block[: len(some)])
        own = torch.arange(start, start + len(some), device=vectors.device)
        distances[torch.arange(len(some), device=vectors.device), own] = torch.inf
        found.append(distances.topk(number, dim=1, largest=False).indices)
    return torch.cat(found)


def same(labels: Int[Tensor, " token"], neighbours: Neighbours) -> Float[Tensor, " token"]:
    """The share of each vector's neighbours that have its label."""
    return (labels[neighbours] == labels[:, None]).float().mean(1)


def distance(places: Int[Tensor, " token"], neighbours: Neighbours) -> Float[Tensor, " token"]:
    """The mean distance between each vector's position in its sentence and those of its neighbours."""
    return (places[neighbours] - places[:, None]).abs().float().mean(1)
