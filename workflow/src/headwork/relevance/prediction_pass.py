"""The prediction pass: measures of heads from what a model predicts on single texts, averaged over the texts.

A maker is called once for each batch of the subject; it returns, for each measure that it makes, the values of every
text and head of a site.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor
from tqdm.auto import tqdm

from headwork.heads.measure import COLUMNS, Measure
from headwork.lens.anatomy import anatomy
from headwork.relevance.subjects import Subject
from headwork.sites import Site

PerText = dict[Site, Float[Tensor, "text head"]]


class PredictionPass:
    """One pass over the texts on which a subject's importance is measured.

    `settings` are those of its measures, by attribute; `sites` are those that are asked for (all by default).
    """

    def __init__(self, subject: Subject, settings: Any = None, sites: Sequence[Site] | None = None) -> None:
        self.subject, self.settings = subject, settings
        self.heads = {site: part.heads for site, part in anatomy(subject.model).sites.items()}
        self.sites = list(self.heads) if sites is None else list(sites)
        self._made: dict[Callable[..., dict[str, PerText]], dict[str, PerText]] = {}

    def texts(self, measure: Measure) -> PerText:
        """The values of each text and head, in double precision. Raises InputError as the maker does."""
        if measure.made_by not in self._made:
            settings, bar = measure.settings_in(self.settings), tqdm(self.subject.measured, disable=None)
            bar.set_description(measure.name)
            found: dict[str, dict[Site, list[Tensor]]] = {}
            for given in bar:
                for key, of_sites in measure.made_by(self, given, settings).items():
                    parts = found.setdefault(key, {site: [] for site in self.sites})
                    for site in self.sites:
                        parts[site].append(of_sites[site].detach().double().cpu())
            self._made[measure.made_by] = {
                key: {site: torch.cat(parts) for site, parts in of_sites.items()}
                for key, of_sites in found.items()
            }
        return self._made[measure.made_by][measure.key]

    def values(self, measures: Iterable[Measure]) -> pd.DataFrame:
        """`COLUMNS`, a row for each head and measure: means over texts."""
        rows = []
        for measure in measures:
            uniform = measure.uniform(self) if measure.uniform else {}
            rows += [
                (*site.head(head), measure.key, value, uniform.get(site.kind, np.nan), len(values))
                for site, values in self.texts(measure).items()
                for head, value in enumerate(values.mean(0).tolist(), start=1)
            ]
        return pd.DataFrame(rows, columns=COLUMNS)
