"""The removal pass: measures of heads from a model some of whose heads are removed, or have gates."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from headwork.heads.measure import COLUMNS, Measure
from headwork.lens.anatomy import anatomy
from headwork.relevance.subjects import Subject
from headwork.sites import Site


class RemovalPass:
    """A subject whose heads are removed.

    `settings` are those of its measures, by attribute; `sites` are those whose heads have gates (all by default), with
    their numbers of heads.
    """

    def __init__(self, subject: Subject, settings: Any = None, sites: Sequence[Site] | None = None) -> None:
        self.subject, self.settings = subject, settings
        heads = {site: part.heads for site, part in anatomy(subject.model).sites.items()}
        self.sites = {site: heads[site] for site in (heads if sites is None else sites)}

    def values(self, measures: Iterable[Measure]) -> pd.DataFrame:
        """`COLUMNS`, a row for each head and measure; no measure has a baseline."""
        rows = []
        for measure in measures:
            found, texts = measure.made_by(self, measure.settings_in(self.settings))
            rows += [(*head, measure.key, value, np.nan, texts) for head, value in found.items()]
        return pd.DataFrame(rows, columns=COLUMNS)
