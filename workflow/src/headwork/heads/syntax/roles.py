"""Heads that attend along predicate-argument links (Kovaleva et al. 2019, section 4.2, figure 3).

For a sentence with one predicate p and words with a core role (frame elements in the paper, PropBank roles here:
``Role=A0:4`` in CoNLL-U's MISC) at least two words from it,

    role(head) = mean over sentences of max over (piece of such a word, piece of p) of A[word's piece, p's piece]

The authors' code paired pieces by a zip, of which the shorter list decides (`pairing: zip`).
"""

import re
from itertools import product

import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from headwork.heads.streaming.batches import Batch, Side
from headwork.heads.streaming.site_weights import Look, Reduction
from headwork.heads.streaming.tally import Tally
from headwork.parses.conllu import Sentence
from headwork.settings.heads import RoleSettings
from headwork.sites import Site

CORE = re.compile(r"(?:^|,)A\d:(\d+)")  # not what refers to one (R-A1), nor adjuncts (AM-TMP)


def links(sentence: Sentence, settings: RoleSettings) -> list[tuple[int, int]]:
    """(word, predicate), from 0, of the core roles of a sentence that count; none of one that does not qualify."""
    found = [
        (place, int(predicate) - 1)
        for place, word in enumerate(sentence.words)
        for predicate in CORE.findall(word.misc.get("Role", ""))
    ]
    if settings.longest is not None and len(sentence) > settings.longest:
        return []
    if settings.predicates is not None and len({predicate for _, predicate in found}) != settings.predicates:
        return []
    return [(word, predicate) for word, predicate in found if abs(word - predicate) >= settings.apart]


class Roles:
    """The statistic `role`; its count is the number of sentences with a link. It is missing for texts without trees."""

    def __init__(self, settings: RoleSettings | None = None) -> None:
        self.settings = settings or RoleSettings()
        self.reductions: tuple[Reduction, ...] = (self._strongest,)
        self._tally = Tally("role")
        self._pairs: dict[str, tuple[Int[Tensor, "batch pair two"], Bool[Tensor, "batch pair"]]] = {}

    def start(self, batch: Batch) -> None:
        """Find the pairs of subword tokens that the batch's links are of."""
        self._pairs = {
            kind: self._of(side)
            for kind, side in batch.queries.items()
            if batch.same_text(kind) and side.sentences is not None
        }

    def _of(self, side: Side) -> tuple[Int[Tensor, "batch pair two"], Bool[Tensor, "batch pair"]]:
        pairing = product if self.settings.pairing == "all" else zip
        rows = []
        for sentence, words in zip(side.sentences, side.words.tolist(), strict=True):
            pieces: dict[int, list[int]] = {}
            for place, word in enumerate(words):
                pieces.setdefault(word, []).append(place)
            rows.append(
                [
                    pair
                    for word, predicate in links(sentence, self.settings)
                    for pair in pairing(pieces[word], pieces[predicate])
                ]
            )
        size = max(1, max(map(len, rows)))
        there = torch.tensor([[place < len(row) for place in range(size)] for row in rows])
        places = torch.tensor([row + [(0, 0)] * (size - len(row)) for row in rows])
        return places.to(side.ids.device), there.to(side.ids.device)

    def _strongest(self, look: Look) -> Float[Tensor, "batch head"]:
        """The strongest link of each sentence; 0 where there is none."""
        if look.site.kind not in self._pairs:
            return look.weights.new_zeros(look.weights.shape[:2])
        places, there = (part[look.rows] for part in self._pairs[look.site.kind])
        row = torch.arange(len(places), device=places.device)[:, None]
        weights = look.weights[row, :, places[..., 0], places[..., 1]]  # batch, pair, head
        return weights.masked_fill(~there[..., None], 0).amax(1)

    def update(self, site: Site, strongest: Float[Tensor, "batch head"]) -> None:
        """Add the batch's sentences that have a link."""
        if site.kind in self._pairs:
            has = self._pairs[site.kind][1].any(1)
            sums = (strongest * has[:, None]).sum(0, dtype=torch.float64)
            self._tally.add(site, sums[:, None], has.sum()[None])

    def table(self) -> pd.DataFrame:
        """One row per head."""
        return self._tally.table()
