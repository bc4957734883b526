"""Word alignments from the attention of a translation model (Kobayashi et al. 2020, section 5, figures 6, 7, table 2).

While the model reads a reference translation, each target word is linked to the source word with the largest value of
its cross-attention: by the weights α of a head, by the norms ‖α f(x)‖ of a head, and for a whole layer by the mean
weight of its heads and by ‖Σ_h α f_h(x)‖. Which row of the map belongs to a target word is open:

    output    the row of the step that predicts the word ("AWO")
    input     the row of the step that reads the word ("AWI"), one later

Between words: the sum over the source word's pieces, the mean over the target word's. A word whose strongest key is the
source's EOS has no link. With system links A, sure and possible gold links S and P (S in P; Och & Ney 2003):

    precision = |A ∩ P| / |A|     recall = |A ∩ S| / |S|     AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from transformers import PreTrainedTokenizerBase

from headwork.corpora.annotated.alignments import AlignedPair, Link, Links
from headwork.heads.norms.vector_norms import VectorNorms
from headwork.heads.streaming.batches import Batch, side_of, texts, translation_batch
from headwork.heads.streaming.site_weights import Look
from headwork.heads.streaming.tally import COLUMNS
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.models.training.batches import cut
from headwork.parses.align import SPECIAL, KeyWords, QueryWords, to_words
from headwork.sites import Site

SETTINGS = ("output", "input")
MEASURES = ("weight", "norm")


class Rates(NamedTuple):
    """Precision, recall and alignment error rate."""

    precision: float
    recall: float
    aer: float


def rates(found: int, possible: int, sure: int, gold: int) -> Rates:
    """Return the rates for numbers of predicted links, of those that are possible and sure, and of gold sure links."""
    return Rates(
        possible / found if found else float("nan"),
        sure / gold if gold else float("nan"),
        1 - (sure + possible) / (found + gold) if found + gold else float("nan"),
    )


def score(found: Iterable[Set[Link]], gold: Iterable[Links]) -> Rates:
    """The rates of links over all pairs of sentences together."""
    counts = np.sum(
        [
            (len(links), len(links & known.possible), len(links & known.sure), len(known.sure))
            for links, known in zip(found, gold, strict=True)
        ],
        axis=0,
    )
    return rates(*counts.tolist())


@dataclass(frozen=True)
class AlignedBatch(Batch):
    """A batch of translations whose gold links are known."""

    links: tuple[Links, ...]


def aligned_batches(
    pairs: Sequence[AlignedPair],
    tokenizer: PreTrainedTokenizerBase,
    decoder_start: int | None,
    tokens: int,
    longest: int | None = None,
) -> list[AlignedBatch]:
    """Aligned sentence pairs sorted by length, in batches of at most `tokens` tokens a side, padding included.

    Pairs with a side of more than `longest` pieces are left out.
    """
    sides = [
        list(texts((" ".join(getattr(pair, side)) for pair in pairs), tokenizer, target=side == "target"))
        for side in ("source", "target")
    ]
    lengths = np.array([[len(text) for text in side] for side in sides])
    fit = np.flatnonzero(lengths.max(0) <= (longest or lengths.max(initial=0)))
    batches = []
    for chosen in cut(fit, lengths, tokens) if len(fit) else []:
        source, target = (side_of([side[pair] for pair in chosen], tokenizer.pad_token_id) for side in sides)
        batch = translation_batch(source, target, decoder_start)
        links = tuple(pairs[pair].links for pair in chosen)
        batches.append(AlignedBatch(batch.inputs, batch.queries, batch.keys, links, target=batch.target))
    return batches


class _Words(NamedTuple):
    """A batch in words: the word of each query in each setting, that of each key, real target words, gold links.

    `marks` is 2 for sure links, 1 for possible ones. The EOS is the source word of number `end`.
    """

    queries: tuple[QueryWords, ...]
    keys: KeyWords
    real: Bool[Tensor, "batch word"]
    marks: Int[Tensor, "batch word source_word"]
    end: int


def _in_words(batch: AlignedBatch) -> _Words:
    read, source = batch.queries["cross"], batch.keys["cross"]
    count, end = (int(side.words.max()) + 1 for side in (read, source))
    real = torch.arange(count, device=read.ids.device) <= read.words.amax(1, keepdim=True)
    predicted = torch.nn.functional.pad(read.words[:, 1:], (0, 1), value=SPECIAL)
    keys = source.words.masked_fill(source.present & ~source.real, end)
    marks = np.zeros((len(batch.links), count, end + 1), dtype=np.int64)
    for row, links in zip(marks, batch.links, strict=True):
        for i, j in links.possible:
            row[j, i] = 2 if (i, j) in links.sure else 1
    return _Words((predicted, read.words), keys, real, torch.from_numpy(marks).to(read.ids.device), end)


class Alignments:
    """The statistics `precision`, `recall`, `aer`, `mass` of each head of cross-attention, and of each layer: head 0.

    Keys are like ``output/norm``: the setting and what is compared. The count is the number of links found. `mass` is
    the mean attention of target words to source words, by which the paper chooses a layer or head without gold links.
    Batches must be those of `aligned_batches`; `vectors` must be reading while the model runs.
    """

    def __init__(self, vectors: VectorNorms) -> None:
        self.reductions = (self._strongest_and_mass,)
        self._vectors = vectors
        self._counts: dict[Site, Float[Tensor, "4 setting map"]] = {}
        self._sure = self._target_words = 0

    def start(self, batch: AlignedBatch) -> None:
        """Lay out the batch's words and gold links."""
        self._vectors.start(batch)
        self._words = _in_words(batch)
        self._sure += sum(len(links.sure) for links in batch.links)
        self._target_words += int(self._words.real.sum())

    def word_maps(self, look: Look) -> Float[Tensor, "batch setting map word source_word"]:
        """Return each target word's attention (or norm) to each source word and, last, to EOS.

        The maps are, for weights and then for norms, those of every head and that of the layer.
        """
        weights = look.weights
        norms = weights * self._vectors[look.site].transformed[look.rows, :, None]
        of_layer = weights.mean(1, keepdim=True), self._vectors.summed(look)[:, None]
        maps = torch.cat([weights, of_layer[0], norms, of_layer[1]], dim=1)
        queries, keys, _, marks, _ = self._words
        words, source_words = marks.shape[1:]
        between = [
            to_words(maps, rows[look.rows], keys[look.rows], max(words, source_words)) for rows in queries
        ]
        return torch.stack(between, dim=1)[..., :words, :source_words]

    def _strongest_and_mass(self, look: Look) -> Float[Tensor, "batch setting map word 2"]:
        """Return the source word with the largest value for each target word, and the target word's sum without EOS."""
        if look.site.kind != "cross":
            return look.weights.new_zeros(len(look.weights), len(SETTINGS), 0, 0, 2, dtype=torch.float64)
        maps = self.word_maps(look)
        mass = maps[..., : self._words.end].sum(-1)
        return torch.stack([maps.argmax(-1).double(), mass.double()], dim=-1)

    def update(self, site: Site, found: Float[Tensor, "batch setting map word 2"]) -> None:
        """Count links, those among them that are possible and sure, and add up mass."""
        if site.kind != "cross":
            return
        strongest, mass = found[..., 0].long(), found[..., 1]
        real = self._words.real[:, None, None]
        marks = self._words.marks[:, None, None].expand(*strongest.shape, -1)
        mark = marks.gather(-1, strongest[..., None])[..., 0]
        linked = real & (strongest != self._words.end)
        counts = torch.stack([linked, linked & (mark > 0), linked & (mark > 1), mass * real]).sum((1, 4))
        self._counts[site] = self._counts.get(site, 0) + counts

    def table(self) -> pd.DataFrame:
        """One row per head or layer, statistic and key."""
        rows = []
        for site, counts in self._counts.items():
            heads = counts.shape[-1] // len(MEASURES) - 1
            names = [(measure, head) for measure in MEASURES for head in (*range(1, heads + 1), 0)]
            for setting, of_setting in zip(SETTINGS, counts.permute(1, 2, 0).tolist(), strict=True):
                for (measure, head), (links, possible, sure, mass) in zip(names, of_setting, strict=True):
                    found = rates(int(links), int(possible), int(sure), self._sure)
                    values = {**found._asdict(), "mass": mass / self._target_words}
                    for name, value in values.items():
                        rows.append((*site, head, name, f"{setting}/{measure}", value, int(links)))
        return pd.DataFrame(rows, columns=list(COLUMNS)).sort_values(
            ["layer", "head", "statistic", "key"], ignore_index=True
        )


class SoftAlignment(NamedTuple):
    """One pair's maps between words at one site, as `Alignments.word_maps` has them."""

    site: Site
    maps: Float[Tensor, "setting map word source_word"]


def soft_alignments(model: nn.Module, batch: AlignedBatch) -> list[SoftAlignment]:
    """The maps between words of the first pair of a batch at each site of cross-attention, for a figure."""
    vectors = VectorNorms(model, kinds=("cross",))
    alignments = Alignments(vectors)
    alignments.start(batch)
    found = []

    def keep(attended: Attended) -> None:
        if attended.rows.start == 0:
            found.append(SoftAlignment(attended.site, alignments.word_maps(Look(attended, batch))[0].cpu()))

    with torch.no_grad(), Lens(model) as lens, vectors.reading():
        sites = [site for site in lens.anatomy.sites if site.kind == "cross"]
        with lens.observing(keep, sites=sites):
            model(**batch.inputs)
    return found
