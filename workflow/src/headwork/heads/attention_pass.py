"""The attention pass: all statistics of a model's heads, and the measures read off them, from one forward pass a batch.

Statistics are made by the makers of measures (`headwork.heads.measure`); a maker takes from the pass what it needs:
classes of tokens, frequencies, norms of transformed vectors.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from torch import nn
from transformers import PreTrainedTokenizerBase

from headwork.heads.measure import COLUMNS, Measure
from headwork.heads.norms.vector_norms import VectorNorms
from headwork.heads.statistics.token_classes import TokenClasses, token_classes
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.measure import measure
from headwork.heads.streaming.tally import Statistic


class AttentionPass:
    """One pass of a model over batches.

    `settings` are those of its statistics, by attribute; what is missing has its defaults. `frequencies` are of the
    keys of each kind of attention (`headwork.heads.statistics.rare`). `kinds` of attention are measured (None: all).
    """

    def __init__(
        self,
        model: nn.Module,
        batches: Sequence[Batch],
        settings: Any = None,
        tokenizer: PreTrainedTokenizerBase | None = None,
        frequencies: Mapping[str, Any] | None = None,
        kinds: Sequence[str] | None = None,
    ) -> None:
        self.model, self.batches, self.settings, self.kinds = model, batches, settings, kinds
        self.tokenizer, self.frequencies = tokenizer, dict(frequencies or {})
        self.found = pd.DataFrame()
        self._made: dict[Callable[..., Statistic], Statistic] = {}
        self.members: dict[str, Measure] = {}  # of families, by key, once they have values

    @cached_property
    def classes(self) -> TokenClasses:
        """The classes of the tokenizer's tokens."""
        return token_classes(self.tokenizer)

    @cached_property
    def vectors(self) -> VectorNorms:
        """The norms of transformed vectors, which are read during the pass once a statistic has asked for them."""
        return VectorNorms(self.model, self.kinds)

    def statistic(self, measure: Measure) -> Statistic:
        """The statistic of a measure; measures with the same maker have the same."""
        if measure.made_by not in self._made:
            self._made[measure.made_by] = measure.made_by(self, measure.settings_in(self.settings))
        return self._made[measure.made_by]

    def made(self, maker: Callable[..., Statistic]) -> Statistic:
        """The statistic that a maker has made; KeyError if no measure has asked for it."""
        return self._made[maker]

    def table(
        self, statistics: Iterable[Statistic], measures: Iterable[Measure] = (), progress: str = ""
    ) -> pd.DataFrame:
        """kind, layer, head, statistic, key, value, count: the statistics, then further ones that `measures` need."""
        every = list(dict.fromkeys([*statistics, *(self.statistic(each) for each in measures)]))
        with self.vectors.reading() if "vectors" in self.__dict__ else nullcontext():
            found = measure(self.model, self.batches, every, self.kinds, progress)
        # tables of kinds that a statistic does not have are empty, and of no type
        self.found = found.astype({"layer": int, "head": int, "value": float, "count": int})
        return found

    def values(self, measures: Iterable[Measure]) -> pd.DataFrame:
        """`COLUMNS`, a row for each head and measure, from the table of the pass, which has run.

        Rows with a baseline of 0 are left out: there is nothing of the kind that heads could attend to.
        """
        parts = []
        for each in measures:
            rows = each.value(self)
            if each.of_key:
                self.members |= {key: each.of_key(key) for key in dict.fromkeys(rows["measure"])}
            else:
                rows = rows.assign(measure=each.key)
            if "baseline" not in rows.columns:
                uniform = each.uniform(self) if each.uniform else {}
                rows["baseline"] = [uniform.get(kind, np.nan) for kind in rows["kind"]]
            parts.append(rows[rows["baseline"].ne(0)][COLUMNS])
        return pd.concat([part for part in parts if len(part)], ignore_index=True)
