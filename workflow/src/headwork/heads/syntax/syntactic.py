"""Heads that follow a syntactic relation (Voita et al. 2019, section 5.2, table 1).

For each relation (nsubj, obj, amod, advmod) and direction (from head to dependent, from dependent to head):

    accuracy(head) = #{instances: the word attended to most by one word is the other} / #{instances}

between words (see `headwork.heads.streaming.word_attention`), EOS left out. The baseline of a relation is the share of
the most common offset between its two words, measured on the same instances in the same unit, for both directions
alike; in causal attention, of the offsets that the direction can see.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Int
from torch import Tensor

from headwork.heads.streaming.batches import Batch, Side
from headwork.heads.streaming.site_weights import Look, Reduction
from headwork.heads.streaming.tally import Tally
from headwork.heads.streaming.word_attention import WordLevel
from headwork.heads.syntax.directions import DEPENDENT_TO_HEAD, HEAD_TO_DEPENDENT, STORED
from headwork.parses.align import SPECIAL
from headwork.parses.relations import Instance, baselines, instances
from headwork.settings.heads import SyntacticSettings
from headwork.settings.parses import Relations
from headwork.sites import Site


class _Instances(NamedTuple):
    """A batch's instances.

    Of each: its `row`, the query word's `slot` among the row's wanted words, the `word` it should attend to, and the
    number of its relation and direction.
    """

    level: WordLevel
    row: Int[Tensor, " instance"]
    slot: Int[Tensor, " instance"]
    word: Int[Tensor, " instance"]
    key: Int[Tensor, " instance"]


class Syntactic:
    """The statistic `syntactic`, keys like ``nsubj/to-dependent``, from verb to subject (`directions.STORED`)."""

    def __init__(self, relations: Relations | None = None, settings: SyntacticSettings | None = None) -> None:
        self.relations = relations or Relations()
        self.settings = settings or SyntacticSettings()
        names = dict.fromkeys(self.relations.aliases.get(name, name) for name in self.relations.names)
        self.keys = tuple(f"{relation}/{way}" for relation in names for way in STORED.values())
        self._number = {key: number for number, key in enumerate(self.keys)}
        self._tally = Tally("syntactic", self.keys)
        self._offsets: Counter[tuple[str, str, int, bool]] = Counter()
        self._instances: dict[str, _Instances] = {}
        self.reductions: tuple[Reduction, ...] = (self._strongest_words,)

    def start(self, batch: Batch) -> None:
        """Gather the batch's relation instances, and the offsets between their words."""
        self._instances = {}
        for kind, side in batch.queries.items():
            if side.sentences is not None and batch.same_text(kind):
                instances = self._gather(side, kind in batch.causal)
                if instances is not None:
                    self._instances[kind] = instances

    def _gather(self, side: Side, causal: bool) -> _Instances | None:
        """The instances of one side's trees; None if there are none."""
        every = [self._relations(row, side) for row in range(len(side.ids))]
        rows, slots, words, keys, wanted = [], [], [], [], []
        for row, relations in enumerate(every):
            place: dict[int, int] = {}
            for instance in relations:
                name, dependent, head = instance
                ends = {HEAD_TO_DEPENDENT: (head, dependent), DEPENDENT_TO_HEAD: (dependent, head)}
                for way, (query, key) in ends.items():
                    self._offsets[way, name, instance.offset, key < query or not causal] += 1
                    rows.append(row)
                    slots.append(place.setdefault(query, len(place)))
                    words.append(key)
                    keys.append(self._number[f"{name}/{STORED[way]}"])
            wanted.append(list(place))
        if not rows:
            return None
        padded = np.full((len(wanted), max(map(len, wanted))), SPECIAL)
        for row, numbers in enumerate(wanted):
            padded[row, : len(numbers)] = numbers
        device = side.ids.device
        level = WordLevel(
            side.words,
            side.words,
            torch.from_numpy(padded).to(device),
            self.settings.from_pieces,
            self.settings.to_pieces,
        )
        return _Instances(level, *(torch.tensor(part, device=device) for part in (rows, slots, words, keys)))

    def _relations(self, row: int, side: Side) -> list[Instance]:
        relations = list(instances(side.sentences[row], self.relations))
        if not self.settings.unsplit_only:
            return relations
        pieces = Counter(side.words[row].tolist())
        return [found for found in relations if pieces[found.head] == pieces[found.dependent] == 1]

    def _strongest_words(self, look: Look) -> Int[Tensor, "batch slot head"]:
        """The word that each wanted word attends to most; nothing where there are no instances."""
        instances = self._instances.get(look.site.kind)
        if instances is None:
            return look.weights.new_zeros(look.weights.shape[0], 0, look.weights.shape[1], dtype=torch.int64)
        return instances.level.strongest(look.weights, look.rows)

    def update(self, site: Site, strongest: Int[Tensor, "batch slot head"]) -> None:
        """Count the instances in which the word attended to most is the right one."""
        instances = self._instances.get(site.kind)
        if instances is None:
            return
        _, row, slot, word, key = instances
        hits = (strongest[row, slot] == word[:, None]).double()
        sums = hits.new_zeros(len(self.keys), hits.shape[1]).index_add_(0, key, hits)
        self._tally.add(site, sums.T, key.bincount(minlength=len(self.keys)))

    def table(self) -> pd.DataFrame:
        """One row per head, relation and direction that had instances."""
        return self._tally.table()

    def baseline(self, way: str = DEPENDENT_TO_HEAD) -> pd.DataFrame:
        """relation, offset (dependent minus head, in words), share, count: the most common offset and its share.

        It is that of a direction: in causal attention only the words on one side are seen.
        """
        rows = [(*key, count) for (found, *key), count in sorted(self._offsets.items()) if found == way]
        return baselines(pd.DataFrame(rows, columns=["relation", "offset", "seen", "count"]))
