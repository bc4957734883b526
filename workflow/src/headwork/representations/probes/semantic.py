"""A linear map under which words of one sense are alike and of two senses are not (Coenen et al. 2019, section 4.2).

B, of k x m, is trained on the contexts of each lemma so that

    mean cos(B x, B y) of contexts in different senses  -  mean cos(B x, B y) of contexts in the same sense

falls. Each cosine is clamped to within `clamp` of its kind's mean before training: pairs that are far enough apart, or
near enough, pull no more. A random matrix of the same shape is the control, and where training starts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import normalize

from headwork.representations.geometry.senses import Occurrence, Vectors
from headwork.settings.base import require
from headwork.settings.representations import SemanticProbe

Matrix = Float[np.ndarray, "k m"]


def random_matrix(k: int, m: int, seed: int = 0) -> Matrix:
    """Gaussian numbers of variance 1/k, under which lengths stay about the same."""
    return np.random.default_rng(seed).normal(scale=k**-0.5, size=(k, m)).astype(np.float32)


@dataclass(frozen=True)
class Groups:
    """Contexts lemma by lemma, padded: vectors, the number of each one's sense, and which are there."""

    vectors: Float[Tensor, "lemma context size"]
    senses: Float[Tensor, "lemma context"]
    present: Bool[Tensor, "lemma context"]

    def part(self, lemmas: Tensor) -> "Groups":
        """Some of the lemmas."""
        return Groups(self.vectors[lemmas], self.senses[lemmas], self.present[lemmas])


def groups(found: Sequence[Occurrence], vectors: Vectors, settings: SemanticProbe) -> Groups:
    """The lemmas to train on, of each a sample of its contexts. Raises InputError if there is none."""
    chance = np.random.default_rng(settings.seed)
    rows: dict[str, dict[str, list[int]]] = {}
    for row, each in enumerate(found):
        rows.setdefault(each.lemma, {}).setdefault(each.sense, []).append(row)
    chosen: list[tuple[list[int], list[int]]] = []
    for lemma in sorted(rows):
        kept = [places for _, places in sorted(rows[lemma].items()) if len(places) >= settings.at_least]
        if len(kept) < 2:
            continue
        own = [(row, number) for number, places in enumerate(kept) for row in places]
        order = np.sort(chance.permutation(len(own))[: settings.contexts])
        chosen.append(([own[place][0] for place in order], [own[place][1] for place in order]))
    require(
        len(chosen) > 0,
        f"semantic probe: no lemma has two senses that are seen {settings.at_least} times; give more annotated text",
    )
    longest = max(len(places) for places, _ in chosen)
    padded = torch.zeros(len(chosen), longest, vectors.shape[1])
    senses, present = torch.zeros(len(chosen), longest), torch.zeros(len(chosen), longest, dtype=torch.bool)
    for place, (own, numbers) in enumerate(chosen):
        padded[place, : len(own)] = torch.from_numpy(vectors[own])
        senses[place, : len(own)] = torch.tensor(numbers, dtype=torch.float32)
        present[place, : len(own)] = True
    return Groups(padded, senses, present)


def cosines(
    matrix: Float[Tensor, "k m"], contexts: Groups
) -> tuple[Float[Tensor, " same"], Float[Tensor, " different"]]:
    """Those of contexts of one lemma in the same sense, and in different senses, after the map."""
    points = normalize(contexts.vectors @ matrix.T, dim=2)
    values = points @ points.transpose(1, 2)
    pairs = (contexts.present[:, :, None] & contexts.present[:, None]).triu(1)
    same = contexts.senses[:, :, None] == contexts.senses[:, None]
    return values[pairs & same], values[pairs & ~same]


def loss(
    matrix: Float[Tensor, "k m"], contexts: Groups, around: tuple[float, float], clamp: float
) -> Float[Tensor, ""]:
    """How alike different senses are, less how alike the same are; `around`: the means of the same, of different."""
    same, different = (
        values.clamp(mean - clamp, mean + clamp)
        for values, mean in zip(cosines(matrix, contexts), around, strict=True)
    )
    return different.mean() - same.mean()


def train(
    found: Sequence[Occurrence], vectors: Vectors, k: int, settings: SemanticProbe | None = None
) -> Matrix:
    """The trained map, from the random one of the settings' seed.

    Raises InputError as `groups` does, and if no two contexts are of one sense, or none of two.
    """
    settings = settings or SemanticProbe()
    contexts = groups(found, vectors, settings)
    matrix = torch.from_numpy(random_matrix(k, vectors.shape[1], settings.seed)).requires_grad_()
    with torch.no_grad():
        around = tuple(float(values.mean()) for values in cosines(matrix, contexts))
    # the mean of no pair is NaN, and its gradient would leave the random map as it is
    require(
        all(map(math.isfinite, around)),
        "semantic probe: no two contexts are of the same sense, or of different ones; raise `contexts` and `at_least`",
    )
    optimiser = torch.optim.Adam([matrix], lr=settings.rate)
    chance = torch.Generator().manual_seed(settings.seed)
    for _ in range(settings.steps):
        some = torch.randperm(len(contexts.vectors), generator=chance)[: settings.lemmas]
        optimiser.zero_grad()
        loss(matrix, contexts.part(some), around, settings.clamp).backward()
        optimiser.step()
    return matrix.detach().numpy()
