"""Linear maps under which trees can be read off word vectors: the structural probes of Hewitt and Manning (2019).

The distance probe (section 2) learns B such that squared distances are distances in the tree,

    d_B(h_i, h_j)² = ‖B (h_i - h_j)‖²    with the loss    Σ_sentences 1/|s|² Σ_ij |d_T(i, j) - d_B(h_i, h_j)²|

where d_T(i, j) is the number of arcs between the words. The depth probe (section 2.3) learns B such that squared norms
are depths,

    ‖h_i‖_B² = ‖B h_i‖²                  with the loss    Σ_sentences 1/|s| Σ_i |d_T(i, root) - ‖B h_i‖²|

Each layer has a B of its own. All are trained side by side on the same batches: their losses are summed, and none sees
another. Distances come from a Gram matrix, ‖x‖² + ‖y‖² - 2xy, not from the differences of all pairs.

Hidden states are badly conditioned: in a pre-norm encoder they grow from layer to layer, and a single direction can
have half of their variance. Adam's steps are of one size, so a distance probe of such vectors does not converge in the
epochs that suffice for others. While it is trained, principal components of more than the median variance are
therefore scaled down to it; whitened altogether, vectors let the probe overfit, and depth probes converge without
(the page of hewitt2019 has the losses). In both, the vectors of a layer are multiplied by a number by which the
distances (depths) of the first B are on average those of the trees. B takes over both maps at the end, so the maps that
can be found are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from tqdm.auto import tqdm

from headwork.parses.conllu import Sentence
from headwork.parses.scores import main_label
from headwork.representations.geometry.tree_embeddings import path_lengths
from headwork.representations.states.annotated_words import States
from headwork.settings.base import require
from headwork.settings.representations import StructuralProbeSettings

DISTANCE, DEPTH = "distance", "depth"  # what a probe is trained to show

Vectors = Float[Tensor, "layer batch word size"]
Present = Bool[Tensor, "batch word"]
Distances = Float[Tensor, "layer batch word word"]
Depths = Float[Tensor, "layer batch word"]


def distances_of(sentence: Sentence) -> Float[Tensor, "word word"]:
    """The number of arcs between any two words of a tree."""
    return torch.from_numpy(path_lengths([word.head for word in sentence.words])).float()


@dataclass(frozen=True)
class Example:
    """A sentence, its words' states in each layer, and the lengths of the paths between its words."""

    sentence: Sentence
    states: States
    distances: Float[Tensor, "word word"]

    @classmethod
    def of(cls, sentence: Sentence, states: States) -> "Example":
        """With the distances of the sentence's tree."""
        return cls(sentence, states, distances_of(sentence))

    def __len__(self) -> int:
        return len(self.sentence)

    @property
    def depths(self) -> Float[Tensor, " word"]:
        """The number of arcs between each word and the root."""
        return self.distances[[word.head for word in self.sentence.words].index(0)]


def permuted(example: Example, chance: np.random.Generator) -> Example:
    """The same vectors under a tree whose words other than punctuation have changed places: a control.

    The tree keeps its shape, so that a probe can only learn from it what all trees share.
    """
    words = example.sentence.words
    new = np.arange(len(words))
    real = [place for place, word in enumerate(words) if main_label(word.deprel) != "punct"]
    new[real] = chance.permutation(real)
    moved = [replace(word) for word in words]
    for old, word in enumerate(words):
        moved[new[old]].head = int(new[word.head - 1]) + 1 if word.head else 0
        moved[new[old]].deprel = word.deprel
    return Example.of(replace(example.sentence, words=moved), example.states)


class StructuralProbe(nn.Module):
    """B of every layer: (layer, rank, size)."""

    def __init__(self, layers: int, size: int, rank: int | None = None, seed: int = 0) -> None:
        super().__init__()
        chance = torch.Generator().manual_seed(seed)
        start = torch.rand(layers, rank or size, size, generator=chance) * 0.1 - 0.05
        self.transform = nn.Parameter(start)

    def project(self, states: Vectors) -> Float[Tensor, "layer batch word rank"]:
        """B h of every word."""
        return torch.einsum("lbwm,lkm->lbwk", states, self.transform)

    def forward(self, states: Vectors) -> Distances:
        """d_B² of any two words of a sentence."""
        points = self.project(states)
        lengths = points.square().sum(-1)
        products = points @ points.transpose(2, 3)
        return (lengths[..., None] + lengths[..., None, :] - 2 * products).clamp_min(0)

    def depths(self, states: Vectors) -> Depths:
        """‖B h‖² of every word."""
        return self.project(states).square().sum(-1)


def loss(
    probe: StructuralProbe, states: Vectors, distances: Float[Tensor, "batch word word"], present: Present
) -> Float[Tensor, " layer"]:
    """The distance probe's loss, the mean over the sentences, of each layer."""
    pairs = present[:, :, None] & present[:, None]
    error = ((probe(states) - distances).abs() * pairs).sum((2, 3))
    return (error / present.sum(1).square()).mean(1)


def depth_loss(
    probe: StructuralProbe, states: Vectors, depths: Float[Tensor, "batch word"], present: Present
) -> Float[Tensor, " layer"]:
    """The depth probe's loss, the mean over the sentences, of each layer."""
    error = ((probe.depths(states) - depths).abs() * present).sum(2)
    return (error / present.sum(1)).mean(1)


LOSSES = {DISTANCE: loss, DEPTH: depth_loss}


def train(
    examples: Sequence[Example],
    settings: StructuralProbeSettings | None = None,
    progress: str = "",
    device: str = "cpu",
    target: str = DISTANCE,
) -> StructuralProbe:
    """A probe of every layer, for distances or depths.

    The rate falls to zero along half a cosine, instead of by a score on other sentences. The scale of the vectors makes
    no difference (see above). Raises InputError if no sentence has two words.
    """
    settings = settings or StructuralProbeSettings()
    examples = [example for example in examples if len(example) > 1]
    require(len(examples) > 0, "structural probe: no sentence has two words; give sentences with trees")
    layers, _, size = examples[0].states.shape
    probe = StructuralProbe(layers, size, settings.rank, settings.seed).to(device)
    batches = _batches(examples, settings.sentences, device, target)
    evened = _even_out(batches) if target == DISTANCE else torch.eye(size, device=device)
    scale = _scale(probe, batches, target)[:, None, None]
    for states, _, _ in batches:
        states *= scale[..., None]
    steps = settings.epochs * len(batches)
    optimiser = torch.optim.Adam(probe.parameters(), lr=settings.rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    chance = np.random.default_rng(settings.seed)
    for _ in tqdm(range(settings.epochs), desc=progress, unit="epoch", disable=None if progress else True):
        for number in chance.permutation(len(batches)):
            optimiser.zero_grad()
            LOSSES[target](probe, *batches[number]).sum().backward()
            optimiser.step()
            schedule.step()
    with torch.no_grad():
        probe.transform.copy_(probe.transform @ evened.mT * scale)
    return probe.eval()


def _even_out(batches: Sequence[tuple[Tensor, Tensor, Tensor]]) -> Float[Tensor, "layer size size"]:
    """Change the vectors of each layer, in place, so that no principal component exceeds the median variance.

    Gives the linear maps. The mean, on which distances do not depend, is subtracted.
    """
    words = sum(int(present.sum()) for _, _, present in batches)
    mean = sum(states.double().sum((1, 2)) for states, _, _ in batches) / words  # padding is zero
    flat = (states.flatten(1, 2).double() for states, _, _ in batches)
    moments = sum(each.mT @ each for each in flat) / words
    variances, directions = torch.linalg.eigh(moments - mean[:, :, None] * mean[:, None])
    median = variances.median(1, keepdim=True).values.clamp_min(1e-12)  # vectors may be all alike
    maps = (directions * variances.maximum(median).rsqrt()[:, None]).float()
    for states, _, _ in batches:
        states -= mean.float()[:, None, None]
        states.copy_(states @ maps[:, None])
    return maps


@torch.no_grad()
def _scale(
    probe: StructuralProbe, batches: Sequence[tuple[Tensor, Tensor, Tensor]], target: str
) -> Float[Tensor, " layer"]:
    """The factor of each layer's vectors by which the distances of this B are on average those of the trees."""
    given, gold = torch.zeros(len(probe.transform), device=probe.transform.device), 0.0
    for states, wanted, present in batches:
        found = probe(states) if target == DISTANCE else probe.depths(states)
        real = present[:, :, None] & present[:, None] if target == DISTANCE else present
        given += (found * real).flatten(1).sum(1)
        gold += float((wanted * real).sum())
    # vectors that are all alike stay as they are
    return torch.where(given > 0, gold / given.clamp_min(1e-30), 1.0).sqrt()


def _batches(
    examples: Sequence[Example], sentences: int, device: str, target: str
) -> list[tuple[Tensor, Tensor, Tensor]]:
    """States, distances or depths, and which words are there, of sentences of about the same length."""
    order = sorted(range(len(examples)), key=lambda number: len(examples[number]))
    found = []
    for start in range(0, len(order), sentences):
        own = [examples[number] for number in order[start : start + sentences]]
        layers, longest, size = own[0].states.shape[0], max(map(len, own)), own[0].states.shape[2]
        states = torch.zeros(layers, len(own), longest, size)
        gold = torch.zeros(len(own), longest, longest)
        present = torch.zeros(len(own), longest, dtype=torch.bool)
        for row, example in enumerate(own):
            words = len(example)
            states[:, row, :words] = example.states
            gold[row, :words, :words] = example.distances
            if target == DEPTH:
                gold[row, 0, :words] = example.depths
            present[row, :words] = True
        gold = gold[:, 0] if target == DEPTH else gold
        found.append((states.to(device), gold.to(device), present.to(device)))
    return found


@torch.no_grad()
def predicted(
    probe: StructuralProbe, example: Example, target: str = DISTANCE
) -> Float[np.ndarray, "layer ..."]:
    """d_B² of any two words of one sentence, (layer, word, word), or ‖h‖_B² of each, (layer, word)."""
    states = example.states[:, None].to(probe.transform.device)
    found = probe(states) if target == DISTANCE else probe.depths(states)
    return found[:, 0].double().cpu().numpy()
