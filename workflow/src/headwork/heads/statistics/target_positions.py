"""Position attended to most: the query itself, its neighbours, the last token, EOS, or another.

The patterns of Raganato & Tiedemann (2018): the key with the highest weight among all keys, special tokens with the
rest. Each query counts in one place, the first of

    self       the query itself
    previous   the token before it
    next       the token after it
    end        the subword token that ends the text (</s>, [SEP])
    last       the last real token, which in most sentences is a full stop
    other      anywhere else, [CLS] among it

so that shares sum to one. The paper's "last token of the sentence" may be EOS or the last word, and both are kept.
Queries are the real tokens.
"""

import pandas as pd
import torch
from jaxtyping import Bool
from torch import Tensor

from headwork.heads.streaming.batches import Batch, query_weights
from headwork.heads.streaming.site_weights import Keys, Look, Reduction
from headwork.heads.streaming.tally import Tally
from headwork.lens.reductions import peak
from headwork.settings.heads import PlaceSettings
from headwork.sites import Site

PLACES = ("self", "previous", "next", "end", "last", "other")


def strongest_of_all(look: Look) -> Keys:
    """The key that each query attends to most, special tokens included; the first of several."""
    return peak(look.weights)[1]


class Places:
    """The statistic `place`: a row for each head and place, of attention within one text."""

    reductions: tuple[Reduction, ...] = (strongest_of_all,)

    def __init__(self, settings: PlaceSettings | None = None) -> None:
        self.settings = settings or PlaceSettings()
        self._tally = Tally("place", PLACES)
        self._batch: Batch | None = None

    def start(self, batch: Batch) -> None:
        """Remember the batch's sides."""
        self._batch = batch

    def update(self, site: Site, key: Keys) -> None:
        """Count the position of each real query's arg-max key."""
        if not self._batch.same_text(site.kind):
            return
        side = self._batch.queries[site.kind]
        weights, count = query_weights(side.real[:, None], self.settings.average)
        found = _first(_at_places(key, side.last, side.present.sum(1) - 1))
        sums = torch.einsum("bphq,bq->hp", found.double(), weights[:, 0].double())
        self._tally.add(site, sums, count.expand(len(PLACES)))

    def table(self) -> pd.DataFrame:
        """One row per head and place."""
        return self._tally.table()


def _at_places(key: Keys, last: Tensor, end: Tensor) -> Bool[Tensor, "batch place head query"]:
    """Whether the key stands at each of `PLACES`; those may overlap, and `other` is anywhere."""
    query = torch.arange(key.shape[2], device=key.device)
    last, end = last.view(-1, 1, 1), end.view(-1, 1, 1)
    # a text without EOS ends with its last token
    marked = end > last
    own = [key == query, key == query - 1, key == query + 1, (key == end) & marked, key == last]
    # what follows the last token is EOS, and no word after it
    own[2] = own[2] & ~own[3]
    return torch.stack([*own, torch.ones_like(own[0])], dim=1)


def _first(found: Bool[Tensor, "batch place head query"]) -> Bool[Tensor, "batch place head query"]:
    """The first place alone that is found for each query."""
    return found & (found.cumsum(1) == 1)
