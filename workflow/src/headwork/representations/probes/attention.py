"""Does attention know of dependencies? Words in pairs, by all heads' weights (Coenen et al. 2019, section 3).

The model-wide attention vector of an ordered pair of words (i, j) holds A[i, j] of every head of every layer. Two
linear classifiers read it: whether i depends on j at all, and by which relation. Pieces become words as in Clark et al.
(2019, section 4.1): summed where a word is looked at, their mean where it looks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from tqdm.auto import tqdm

from headwork.heads.streaming.batches import Batch, Side
from headwork.heads.streaming.word_attention import WordLevel
from headwork.lens.attention import Attended
from headwork.lens.layers import Layers
from headwork.lens.lens import Lens
from headwork.parses.conllu import Sentence
from headwork.parses.scores import main_label
from headwork.settings.base import require
from headwork.sites import Site

Observer = Callable[[Sequence[Float[Tensor, "batch time size"]], Side], None]
NONE = ""  # the relation of two words of which neither depends on the other


@dataclass(frozen=True)
class Pairs:
    """Ordered pairs of words, one a row.

    `vectors`: what the first word gives to the second in each head, layer by layer, then what it gets from it.
    `relations`: how the first depends on the second, "" if none depends on the other. `offsets`: place of the second
    minus that of the first. `sentences`: the number of the pair's sentence. `forms`: a number for the two words' forms.
    """

    vectors: Float[np.ndarray, "pair feature"]
    relations: np.ndarray
    offsets: Int[np.ndarray, " pair"]
    sentences: Int[np.ndarray, " pair"]
    forms: Int[np.ndarray, " pair"]

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def heads(self) -> int:
        """The number of heads of the model."""
        return self.vectors.shape[1] // 2


@dataclass(frozen=True)
class Drawn:
    """The pairs of one sentence, by the words' places from 0."""

    first: Int[np.ndarray, " pair"]
    second: Int[np.ndarray, " pair"]
    relations: list[str]


def draw(sentence: Sentence, chance: np.random.Generator, excluded: Sequence[str] = ("punct",)) -> Drawn:
    """Every dependent with its head, and as many pairs of which neither depends on the other, as far as there are any.

    Words of `excluded` relations are left out altogether, or negatives would be told by them; so is the root's arc,
    which has no second word. What negatives are is not said in the paper: here they are of the same sentence, drawn
    evenly from all its ordered pairs, and a head with its dependent is none.
    """
    kept = [place for place, word in enumerate(sentence.words) if main_label(word.deprel) not in excluded]
    arcs = [(place, sentence.words[place].head, sentence.words[place].deprel) for place in kept]
    edges = [(place, head - 1, relation) for place, head, relation in arcs if head and head - 1 in kept]
    linked = np.eye(len(sentence), dtype=bool)
    for first, second, _ in edges:
        linked[first, second] = linked[second, first] = True
    free = np.zeros_like(linked)
    free[np.ix_(kept, kept)] = ~linked[np.ix_(kept, kept)]
    others = np.argwhere(free)
    others = others[np.sort(chance.permutation(len(others))[: len(edges)])]
    places = np.array([*((first, second) for first, second, _ in edges), *others], dtype=np.int64)
    first, second = places.reshape(-1, 2).T
    return Drawn(first, second, [relation for *_, relation in edges] + [NONE] * len(others))


@torch.no_grad()
def pairs_of(
    model: nn.Module,
    batches: Sequence[Batch],
    excluded: Sequence[str] = ("punct",),
    seed: int = 0,
    kind: str = "encoder",
    progress: str = "",
    observe: Observer | None = None,
) -> Pairs:
    """The pairs of all sentences of the batches, which have trees, in one pass of the model.

    `observe` is called with the hidden states of all layers and the side of each batch, so that other probes can share
    the pass. Memory holds the drawn pairs' weights alone: 4 bytes a head and direction. Raises InputError if there are
    no pairs.
    """
    chance = np.random.default_rng(seed)
    sentences = [batch.queries[kind].sentences for batch in batches]
    drawn = [[draw(sentence, chance, excluded) for sentence in own] for own in sentences]
    device = next(model.parameters()).device
    with Lens(model) as lens:
        sites = [site for site in lens.anatomy.sites if site.kind == kind]
        count = sum(len(each.first) for batch in drawn for each in batch)
        require(count > 0, "attention probe: no word depends on another; give sentences with trees")
        heads = sum(lens.anatomy.part(site).heads for site in sites)
        vectors = np.empty((count, 2 * heads), dtype=np.float32)
        done, shown = 0, tqdm(batches, desc=progress, disable=None if progress else True)
        for batch, own in zip(shown, drawn, strict=True):
            part = _weights(model, lens, sites, batch.to(device), own, observe)
            vectors[done : done + len(part)] = part
            done += len(part)
    flat = [each for batch in drawn for each in batch]
    forms: dict[tuple[str, str], int] = {}
    kinds = []
    for sentence, each in zip(chain.from_iterable(sentences), flat, strict=True):
        words = [form.lower() for form in sentence.forms]
        pairs = zip(each.first, each.second, strict=True)
        kinds += [forms.setdefault((words[one], words[other]), len(forms)) for one, other in pairs]
    return Pairs(
        vectors,
        np.array([relation for each in flat for relation in each.relations]),
        np.concatenate([each.second - each.first for each in flat]),
        np.repeat(np.arange(len(flat)), [len(each.first) for each in flat]),
        np.array(kinds),
    )


def _weights(
    model: nn.Module,
    lens: Lens,
    sites: Sequence[Site],
    batch: Batch,
    drawn: Sequence[Drawn],
    observe: Observer | None,
) -> Float[np.ndarray, "pair feature"]:
    """The vectors of a batch's pairs."""
    side = batch.queries[sites[0].kind]
    device = side.words.device
    level = WordLevel.of(side)
    rows = np.repeat(np.arange(len(drawn)), [len(each.first) for each in drawn])
    ends = (np.concatenate([getattr(each, end) for each in drawn]) for end in ("first", "second"))
    row, first, second = (torch.from_numpy(part).to(device) for part in (rows, *ends))
    found: dict[Site, list[torch.Tensor]] = {site: [] for site in sites}

    def keep(attended: Attended) -> None:
        rows = attended.rows
        own = (row >= rows.start) & (row < rows.stop)
        maps = level.maps(attended.weights, rows)  # (batch, word, head, key word)
        place, one, other = row[own] - rows.start, first[own], second[own]
        found[attended.site].append(torch.stack([maps[place, one, :, other], maps[place, other, :, one]]))

    with lens.observing(keep, sites=sites), Layers(model).recording() as states:
        model(**batch.inputs)
    if observe is not None:
        observe(states, side)
    # (direction, pair, head of all layers)
    both = torch.cat([torch.cat(parts, dim=1) for parts in found.values()], dim=2)
    return torch.cat([both[0], both[1]], dim=1).float().cpu().numpy()
