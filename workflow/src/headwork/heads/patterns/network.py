"""A small convolutional network that classifies attention maps (Kovaleva et al. 2019, section 4.1).

The paper gives only its kind (eight convolutions with ReLU) and its score (F1 0.86 on 400 maps). This network has: maps
without padding, resized to a square; pairs of 3 x 3 convolutions with batch normalisation, then max pooling, four
times; the mean over the square; a linear layer. It is trained on maps that are clear-cut by the rules
(`headwork.heads.patterns.rules`) or labelled by hand.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, interpolate
from torch.utils.data import DataLoader, TensorDataset

from headwork.errors import InputError
from headwork.heads.patterns.rules import PATTERNS
from headwork.settings.heads import NetworkSettings

Squares = Float[Tensor, "map side side"]
Labels = Int[Tensor, " map"]


class Validated(NamedTuple):
    """Results of cross-validation: the class of each map by the network that was not trained on it.

    `f1` is macro F1, the mean over classes; `of_classes` that of each class in the order of `PATTERNS` that occurs.
    """

    predicted: Labels
    f1: float
    of_classes: dict[str, float]


def square(weights: Float[Tensor, "query key"], side: int) -> Float[Tensor, "side side"]:
    """A map of real tokens, resized by bilinear interpolation."""
    return interpolate(weights[None, None].float(), size=(side, side), mode="bilinear", antialias=True)[0, 0]


class PatternNetwork(nn.Module):
    """Logits of `PATTERNS` for squares."""

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = 1
        for channels in settings.channels:
            for _ in range(2):
                layers += [nn.Conv2d(before, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU()]
                before = channels
            layers.append(nn.MaxPool2d(2))
        # channels last: a sixth faster on a CPU
        self.layers = nn.Sequential(*layers).to(memory_format=torch.channels_last)
        self.classes = nn.Linear(before, len(PATTERNS))

    def forward(self, squares: Squares) -> Float[Tensor, "map pattern"]:
        """Return the logits of squares with weights from 0 to 1."""
        return self.classes(self.layers(squares[..., None].movedim(-1, 1)).mean((-2, -1)))


def learn(squares: Squares, labels: Labels, settings: NetworkSettings) -> PatternNetwork:
    """Return a network trained on these maps, with a loss weighted so that all classes count equally."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        network = PatternNetwork(settings)
        counts = torch.bincount(labels, minlength=len(PATTERNS)).float()
        weights = torch.where(counts > 0, len(labels) / counts.clamp_min(1), torch.zeros_like(counts))
        optimiser = torch.optim.Adam(network.parameters(), lr=settings.rate)
        data = DataLoader(TensorDataset(squares, labels), settings.batch, shuffle=True)
        for _ in range(settings.epochs):
            for some, own in data:
                if len(some) > 1:  # batch normalisation needs more than one map
                    optimiser.zero_grad()
                    cross_entropy(network(some), own, weight=weights).backward()
                    optimiser.step()
    return network.eval()


@torch.no_grad()
def classify(network: PatternNetwork, squares: Squares, batch: int = 256) -> Labels:
    """Return the index in `PATTERNS` of each map's class."""
    found = [network(some).argmax(1) for some in squares.split(batch)]
    return torch.cat(found) if found else torch.zeros(0, dtype=torch.int64)


def cross_validate(squares: Squares, labels: Labels, settings: NetworkSettings) -> Validated:
    """Train a network for each fold on all others, and classify the maps of the fold with it.

    Raises InputError if a class has fewer maps than there are folds.
    """
    counts = torch.bincount(labels, minlength=len(PATTERNS))
    for name, count in zip(PATTERNS, counts.tolist(), strict=True):
        if 0 < count < settings.folds:
            raise InputError(
                f"pattern network: only {count} maps are labelled {name}, for {settings.folds} folds; label more"
            )
    folds = StratifiedKFold(settings.folds, shuffle=True, random_state=settings.seed)
    predicted = torch.zeros_like(labels)
    for known, unseen in folds.split(np.zeros(len(labels)), labels.numpy()):
        network = learn(squares[known], labels[known], settings)
        predicted[unseen] = classify(network, squares[unseen])
    there = [number for number, count in enumerate(counts.tolist()) if count]
    scores = f1_score(labels.numpy(), predicted.numpy(), labels=there, average=None, zero_division=0)
    of_classes = {PATTERNS[number]: float(score) for number, score in zip(there, scores, strict=True)}
    return Validated(predicted, float(np.mean(scores)), of_classes)


def agreement(one: Sequence[int], other: Sequence[int]) -> float:
    """Return the share of maps with the same class from both classifiers."""
    return float(np.mean(np.asarray(one) == np.asarray(other)))
