"""Heads that find the syntactic head of a word (Clark et al. 2019, section 4.2, table 1).

A head predicts for every word i another word, from its map A between words (see
`headwork.heads.streaming.word_attention`):

    dependent-to-head    argmax_j A[i, j]        the word that i attends to most
    head-to-dependent    argmax_j A[j, i]        the word that attends most to i

over all words but i itself, special tokens left out; in causal attention, where no word sees those after it, over the
j before i in the first and the j after i in the second, and a word without such a j has no prediction. Its accuracy at
a relation is the share of right predictions among all words with that label; `all` is over all words, whose roots count
and can never be right. A relation's baseline is the best fixed offset from dependent to head; in causal attention, of
those that the direction can see.

The best head of a relation is chosen and reported on the same sentences. The split-half estimate chooses on one half of
them and reports on the other, both ways round.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from headwork.corpora.parallel.splits import hash_of
from headwork.heads.measure import COLUMNS, SYNTAX, Measure
from headwork.heads.streaming.batches import Batch, Side
from headwork.heads.streaming.site_weights import Look, Reduction
from headwork.heads.streaming.tally import Tally
from headwork.heads.streaming.word_attention import WordLevel
from headwork.heads.syntax import relation_names
from headwork.heads.syntax.directions import DEPENDENT_TO_HEAD, DIRECTIONS
from headwork.lens.reductions import peak
from headwork.parses.align import SPECIAL
from headwork.parses.conllu import Sentence
from headwork.parses.scores import main_label
from headwork.parses.ud_to_stanford import COUNTERPARTS
from headwork.settings.heads import DependencySettings
from headwork.sites import Site

PUNCT, ALL, NO_PUNCTUATION = "punct", "all", "all but punct"
UNIVERSAL = tuple(each.universal for each in COUNTERPARTS)


class _Words(NamedTuple):
    """A batch's words: (batch, word) tensors, padded.

    `head` is its head word, from 0; -1 at the root, -2 where there is nothing to predict. `judged` is the word whose
    prediction counts, `relation` the number of its label, `half` that of its sentence. `others` are the words that may
    be predicted in each direction.
    """

    level: WordLevel
    others: Bool[Tensor, "batch way word word"]
    head: Int[Tensor, "batch word"]
    judged: Int[Tensor, "batch word"]
    relation: Int[Tensor, "batch word"]
    half: Int[Tensor, " batch"]


ROOT, NOTHING, NO_WORD = -1, -2, -3  # heads; and a prediction where there is no word to predict


class Dependency:
    """The statistics `dependency` (keys like ``det/dependent-to-head``) and `dependency-half-1` and `-2`."""

    def __init__(self, settings: DependencySettings | None = None) -> None:
        self.settings = settings or DependencySettings()
        relations = UNIVERSAL if self.settings.relations is None else self.settings.relations
        self._labels = dict.fromkeys((*relations, PUNCT))
        # a word of another label counts in `all` alone: its number is the one after the last
        self._number = {label: number for number, label in enumerate(self._labels)}
        self.relations = (*self._labels, ALL, NO_PUNCTUATION)
        self.keys = tuple(f"{relation}/{way}" for relation in self.relations for way in DIRECTIONS)
        self.reductions: tuple[Reduction, ...] = (self._predictions,)
        self._tally = Tally("dependency", self.keys)
        self._halves = [Tally(f"dependency-half-{number}", self.keys) for number in (1, 2)]
        self._words: dict[str, _Words] = {}
        shape = (len(DIRECTIONS), len(self.relations), len(self.settings.offsets))
        self._offset_hits = torch.zeros(shape, dtype=torch.int64)
        self._counts = torch.zeros(len(self.relations), dtype=torch.int64)

    def start(self, batch: Batch) -> None:
        """Gather the words' heads and labels, and how often each offset is right."""
        self._words = {}
        for kind, side in batch.queries.items():
            if side.sentences is not None and batch.same_text(kind):
                self._words[kind] = words = self._gather(side, kind in batch.causal)
                self._count_offsets(words, side, kind in batch.causal)

    def _gather(self, side: Side, causal: bool) -> _Words:
        size = max(len(sentence) for sentence in side.sentences)
        head = np.full((len(side.sentences), size), NOTHING)
        relation = np.full_like(head, len(self._labels))
        judged = np.tile(np.arange(size), (len(head), 1))
        for row, sentence in enumerate(side.sentences):
            for place, word in enumerate(sentence.words):
                if word.head is None:
                    continue
                head[row, place] = word.head - 1
                relation[row, place] = self._number_of(word.deprel)
                if self._is_possessor(sentence, place):
                    judged[row, place] = place + 1
        lengths = np.array([len(sentence) for sentence in side.sentences])
        there = np.arange(size) < lengths[:, None]
        wanted = np.where(there, np.arange(size), SPECIAL)
        others = there[:, :, None] & there[:, None, :] & ~np.eye(size, dtype=bool)
        before, after = np.tri(size, k=-1, dtype=bool), ~np.tri(size, dtype=bool)
        others = np.stack([others & before, others & after] if causal else [others, others], axis=1)
        half = np.array([hash_of(" ".join(each.forms), self.settings.seed) % 2 for each in side.sentences])
        others, head, judged, relation, half, wanted = (
            torch.from_numpy(part).to(side.ids.device)
            for part in (others, head, judged, relation, half, wanted)
        )
        level = WordLevel(side.words, side.words, wanted, self.settings.from_pieces)
        return _Words(level, others, head, judged, relation, half)

    def _number_of(self, deprel: str | None) -> int:
        last = len(self._labels)
        return self._number.get(deprel, self._number.get(main_label(deprel), last)) if deprel else last

    def _is_possessor(self, sentence: Sentence, place: int) -> bool:
        if sentence.words[place].deprel not in self.settings.possessors or place + 1 == len(sentence):
            return False
        return sentence.words[place + 1].form.lower() in self.settings.clitics

    def _count_offsets(self, words: _Words, side: Side, causal: bool) -> None:
        """Add which offsets are right; an offset beyond the sentence predicts the root, or the last word."""
        size = words.head.shape[1]
        last = torch.tensor([max(1, len(each)) - 1 for each in side.sentences], device=words.head.device)
        place = torch.arange(size, device=last.device)
        offsets = torch.tensor(self.settings.offsets, device=last.device)
        predicted = torch.minimum(place[:, None] + offsets, last[:, None, None]).clamp_min(ROOT)
        hits, groups = predicted == words.head[..., None], self._groups(words)
        seen = (predicted < place[:, None], predicted > place[:, None])
        for number in range(len(DIRECTIONS)):
            own = (hits & seen[number] if causal else hits).flatten(0, 1)
            self._offset_hits[number] += (groups.T.long() @ own.long()).cpu()
        self._counts += groups.sum(0).cpu()

    def _groups(self, words: _Words) -> Bool[Tensor, "word relation"]:
        """Which of the reported relations each word of the batch counts in."""
        relation = words.relation.flatten()[:, None]
        counted = (words.head != NOTHING).flatten()[:, None]
        own = relation == torch.arange(len(self._labels), device=relation.device)
        return torch.cat([own & counted, counted, counted & (relation != self._number[PUNCT])], dim=1)

    def _predictions(self, look: Look) -> Int[Tensor, "batch way word head"]:
        """The word that each word's prediction is, both ways; nothing where there are no trees."""
        words = self._words.get(look.site.kind)
        if words is None:
            return look.weights.new_zeros(
                len(look.weights), len(DIRECTIONS), 0, look.weights.shape[1], dtype=torch.int64
            )
        size = words.head.shape[1]
        maps = words.level.maps(look.weights, look.rows)[..., :size]
        found = []
        for number, own in enumerate((maps, maps.transpose(1, 3))):
            others = words.others[look.rows, number, :, None]
            predicted = peak(own.masked_fill(~others, -1).contiguous())[1]
            found.append(predicted.where(others.any(-1), NO_WORD))
        return torch.stack(found, dim=1)

    def update(self, site: Site, predicted: Int[Tensor, "batch way word head"]) -> None:
        """Count the right predictions of each relation and half."""
        words = self._words.get(site.kind)
        if words is None:
            return
        judged = words.judged[:, None, :, None].expand_as(predicted)
        hits = predicted.gather(2, judged) == words.head[:, None, :, None]
        hits = hits.transpose(1, 2).flatten(0, 1).flatten(1).double()  # word, way and head
        groups, heads = self._groups(words), predicted.shape[3]
        half = words.half[:, None].expand_as(words.head).flatten()
        for number, tally in enumerate(self._halves):
            own = (groups & (half == number)[:, None]).double()
            sums = (own.T @ hits).view(len(self.keys), heads).T
            counts = own.sum(0).long().repeat_interleave(len(DIRECTIONS))
            tally.add(site, sums, counts)
            self._tally.add(site, sums, counts)

    def table(self) -> pd.DataFrame:
        """One row per head, relation and direction, for all sentences and for each half."""
        tables = [tally.table() for tally in (self._tally, *self._halves)]
        return pd.concat(tables, ignore_index=True)

    def baseline(self, way: str = DEPENDENT_TO_HEAD) -> pd.DataFrame:
        """relation, offset (head minus dependent, in words), share, count: the best fixed offset and its accuracy.

        It is that of a direction: in causal attention only the words on one side are seen. Of equally good offsets the
        first setting is named.
        """
        most, best = self._offset_hits[DIRECTIONS.index(way)].max(1)
        rows = [
            (relation, self.settings.offsets[place], hits / count, count)
            for relation, place, hits, count in zip(
                self.relations,
                best.tolist(),
                most.tolist(),
                self._counts.tolist(),
                strict=True,
            )
            if count
        ]
        return pd.DataFrame(rows, columns=["relation", "offset", "share", "count"])


MIN_COUNT = 50  # a relation of fewer words has no measure


def dependency(seen: Any, settings: DependencySettings | None) -> Dependency:
    """The statistic of an attention pass."""
    return Dependency(settings)


def _accuracies(seen: Any) -> pd.DataFrame:
    """The accuracy of every head at each relation in each direction, beside that of the best fixed offset."""
    found = seen.found
    rows = found[(found["statistic"] == "dependency") & (found["count"] >= MIN_COUNT)]
    relation = rows["key"].str.split("/").str[0]
    tables = ((way, seen.made(dependency).baseline(way)) for way in DIRECTIONS)
    best = {f"{row.relation}/{way}": row.share for way, table in tables for row in table.itertuples()}
    rows = rows.assign(measure=rows["key"], baseline=rows["key"].map(best).astype(float))
    return rows[~relation.isin((PUNCT, "root", ALL, NO_PUNCTUATION))][COLUMNS]


def of_relation(key: str) -> Measure:
    """The measure of one ``relation/direction``."""
    relation, way = key.split("/")
    found = "the word attended to most" if way == DEPENDENT_TO_HEAD else "the word that attends most"
    says = (
        f"Share of words of the relation {relation} for which {found} is the head word; baseline: the "
        f"{DEPENDENCY.uniform_is}."
    )
    name, does = relation_names.label(key), relation_names.sentence(key)
    return replace(DEPENDENCY, key=key, name=name, says=says, does=does, of_key=None)


# The threshold is ours: where no offset is any good, a rare hit is no function. `headwork.head_atlas.functions` also
# asks for the margin of Voita et al. (2019), section 5.2, above the best offset.
DEPENDENCY = Measure(
    key="dependency",
    name="dependency relations",
    group=SYNTAX,
    says="Share of words of a relation for which a word's attention finds its head word.",
    source="Clark et al. 2019, section 4.2, table 1",
    made_by=dependency,
    value=_accuracies,
    of_key=of_relation,
    settings="dependency",
    share=True,
    uniform_is="best fixed offset",
    tables=("words",),
    threshold=0.4,
    does="follows a dependency relation",
)
