"""A linear map under which squared distances of words are their distances in the tree (Hewitt & Manning 2019).

    d_B(h_i, h_j)² = ‖B (h_i - h_j)‖²

is trained to be d_T(i, j), the number of arcs between the words, by gradient descent on

    Σ_sentences 1/|s|² Σ_ij |d_T(i, j) - d_B(h_i, h_j)²|

with a B for each layer, all trained side by side on the same batches: their losses are summed, and none sees another.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.stats import rankdata
from torch import Tensor, nn
from tqdm.auto import tqdm

from headwork.options import require
from headwork.parses.conllu import Sentence
from headwork.parses.scores import main_label
from headwork.representations.geometry.tree_embeddings import path_lengths
from headwork.representations.states.annotated_words import States

SHORTEST, LONGEST = 5, 50  # lengths of the sentences whose correlations count, as published
NEVER_ZERO = 1e-6  # scipy takes smaller distances in a full matrix for arcs that are not there

Distances = Float[Tensor, "layer batch word word"]
Matrices = Sequence[np.ndarray]
"""One of each sentence, (word, word)."""


@dataclass(frozen=True)
class StructuralSettings:
    """`rank` of B (None: the vectors' size), Adam's `rate`, `epochs`, and `sentences` a step."""

    rank: int | None = None
    rate: int | float = 0.001
    epochs: int = 30
    sentences: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("rate", "epochs", "sentences"):
            require(
                getattr(self, name) > 0,
                f"structural probe: {name} is {getattr(self, name)}; it must be over 0",
            )
        require(
            self.rank is None or self.rank > 0, f"structural probe: rank is {self.rank}; it must be over 0"
        )


@dataclass(frozen=True)
class Example:
    """A sentence, its words' states in each layer, and the lengths of the paths between its words."""

    sentence: Sentence
    states: States
    distances: Float[Tensor, "word word"]

    @classmethod
    def of(cls, sentence: Sentence, states: States) -> "Example":
        """With the distances of the sentence's tree."""
        lengths = path_lengths([word.head for word in sentence.words])
        return cls(sentence, states, torch.from_numpy(lengths).float())

    def __len__(self) -> int:
        return len(self.sentence)


class StructuralProbe(nn.Module):
    """B of every layer: (layer, rank, size)."""

    def __init__(self, layers: int, size: int, rank: int | None = None, seed: int = 0) -> None:
        super().__init__()
        chance = torch.Generator().manual_seed(seed)
        start = torch.rand(layers, rank or size, size, generator=chance) * 0.1 - 0.05
        self.transform = nn.Parameter(start)

    def project(
        self, states: Float[Tensor, "layer batch word size"]
    ) -> Float[Tensor, "layer batch word rank"]:
        """B h of every word."""
        return torch.einsum("lbwm,lkm->lbwk", states, self.transform)

    def forward(self, states: Float[Tensor, "layer batch word size"]) -> Distances:
        """d_B² of any two words of a sentence."""
        points = self.project(states)
        lengths = points.square().sum(-1)
        products = points @ points.transpose(2, 3)
        return (lengths[..., None] + lengths[..., None, :] - 2 * products).clamp_min(0)


def loss(
    probe: StructuralProbe,
    states: Float[Tensor, "layer batch word size"],
    distances: Float[Tensor, "batch word word"],
    present: Bool[Tensor, "batch word"],
) -> Float[Tensor, " layer"]:
    """The mean over the sentences, of each layer."""
    pairs = present[:, :, None] & present[:, None]
    error = ((probe(states) - distances).abs() * pairs).sum((2, 3))
    return (error / present.sum(1).square()).mean(1)


def train(
    examples: Sequence[Example],
    settings: StructuralSettings | None = None,
    progress: str = "",
    device: str = "cpu",
) -> StructuralProbe:
    """A probe of every layer. The rate falls to zero along half a cosine, instead of by a score on other sentences.

    Raises InputError if no sentence has two words.
    """
    settings = settings or StructuralSettings()
    examples = [example for example in examples if len(example) > 1]
    require(len(examples) > 0, "structural probe: no sentence has two words; give sentences with trees")
    layers, _, size = examples[0].states.shape
    probe = StructuralProbe(layers, size, settings.rank, settings.seed).to(device)
    batches = _batches(examples, settings.sentences, device)
    steps = settings.epochs * len(batches)
    optimiser = torch.optim.Adam(probe.parameters(), lr=settings.rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    chance = np.random.default_rng(settings.seed)
    for _ in tqdm(range(settings.epochs), desc=progress, unit="epoch", disable=None if progress else True):
        for number in chance.permutation(len(batches)):
            optimiser.zero_grad()
            loss(probe, *batches[number]).sum().backward()
            optimiser.step()
            schedule.step()
    return probe.eval()


def _batches(examples: Sequence[Example], sentences: int, device: str) -> list[tuple[Tensor, Tensor, Tensor]]:
    """States, distances and which words are there, of sentences of about the same length."""
    order = sorted(range(len(examples)), key=lambda number: len(examples[number]))
    found = []
    for start in range(0, len(order), sentences):
        own = [examples[number] for number in order[start : start + sentences]]
        layers, longest, size = own[0].states.shape[0], max(map(len, own)), own[0].states.shape[2]
        states = torch.zeros(layers, len(own), longest, size)
        distances = torch.zeros(len(own), longest, longest)
        present = torch.zeros(len(own), longest, dtype=torch.bool)
        for row, example in enumerate(own):
            words = len(example)
            states[:, row, :words] = example.states
            distances[row, :words, :words] = example.distances
            present[row, :words] = True
        found.append((states.to(device), distances.to(device), present.to(device)))
    return found


@torch.no_grad()
def predicted(probe: StructuralProbe, example: Example) -> Float[np.ndarray, "layer word word"]:
    """d_B² of any two words of one sentence, in each layer."""
    states = example.states[:, None].to(probe.transform.device)
    return probe(states)[:, 0].double().cpu().numpy()


def arcs(sentence: Sentence) -> list[tuple[int, int, str]]:
    """(dependent, head, relation), places from 0, of all arcs between two words that are no punctuation."""
    words = sentence.words
    real = {place for place, word in enumerate(words) if main_label(word.deprel) != "punct"}
    return [
        (place, words[place].head - 1, words[place].deprel)
        for place in sorted(real)
        if words[place].head and words[place].head - 1 in real
    ]


def spanning_tree(distances: Float[np.ndarray, "word word"], sentence: Sentence) -> set[frozenset[int]]:
    """The undirected arcs of the minimum spanning tree of the words that are no punctuation, places from 0."""
    real = [place for place, word in enumerate(sentence.words) if main_label(word.deprel) != "punct"]
    tree = minimum_spanning_tree(np.maximum(distances[np.ix_(real, real)], NEVER_ZERO)).tocoo()
    return {frozenset((real[one], real[other])) for one, other in zip(tree.row, tree.col, strict=True)}


def uuas(found: Matrices, sentences: Sequence[Sentence]) -> tuple[float, int]:
    """Undirected unlabelled attachment score: the share of arcs that are in the spanning trees, and their number."""
    hits = count = 0
    for distances, sentence in zip(found, sentences, strict=True):
        tree, gold = spanning_tree(distances, sentence), arcs(sentence)
        hits += sum(frozenset((one, other)) in tree for one, other, _ in gold)
        count += len(gold)
    return hits / count if count else 0.0, count


def rank_correlation(found: Matrices, gold: Matrices) -> float:
    """Spearman's, of each word's distances to all words: mean of a sentence, of its length, of lengths 5 to 50.

    NaN if there is no sentence of such a length.
    """
    by_length: dict[int, list[float]] = {}
    for ours, theirs in zip(found, gold, strict=True):
        if not SHORTEST <= len(ours) <= LONGEST:
            continue
        one, other = (rankdata(part, axis=1) - (len(part) + 1) / 2 for part in (ours, theirs))
        scale = np.sqrt(np.square(one).sum(1) * np.square(other).sum(1))
        values = np.divide((one * other).sum(1), scale, out=np.zeros(len(one)), where=scale > 0)
        by_length.setdefault(len(ours), []).append(float(values.mean()))
    return float(np.mean([np.mean(values) for values in by_length.values()])) if by_length else float("nan")
