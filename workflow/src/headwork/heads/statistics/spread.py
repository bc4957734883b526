"""Mean, standard deviation, coefficient of variation, minimum and maximum of each head's values."""

import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor

from headwork.heads.streaming.tally import COLUMNS
from headwork.sites import KINDS, Site

KEYS = ("mean", "sd", "cv", "min", "max")


class Spread:
    """A statistic's spread per head, in five numbers each (keys mean, sd, cv, min, max).

    The standard deviation is that of the values themselves (divided by their number), cv is sd / mean. Heads are
    counted from `first_head`: 0 for what is a layer's own.
    """

    def __init__(self, statistic: str, first_head: int = 1) -> None:
        self.statistic = statistic
        self.first_head = first_head
        self._sums: dict[Site, Tensor] = {}
        self._bounds: dict[Site, Tensor] = {}
        self._counts: dict[Site, int] = {}

    def add(self, site: Site, values: Float[Tensor, "value head"]) -> None:
        """Add some values of every head."""
        values = values.double()
        sums = torch.stack([values.sum(0), values.square().sum(0)])
        bounds = torch.stack([(-values).amax(0), values.amax(0)])
        self._counts[site] = self._counts.get(site, 0) + len(values)
        self._sums[site] = self._sums.get(site, 0) + sums
        self._bounds[site] = torch.maximum(self._bounds.get(site, bounds), bounds)

    def table(self) -> pd.DataFrame:
        """Tidy rows, five a head."""
        rows = []
        for site in sorted(self._sums, key=lambda site: (KINDS.index(site.kind), site.layer)):
            mean, square = self._sums[site] / self._counts[site]
            sd = (square - mean**2).clamp_min(0).sqrt()
            least, greatest = self._bounds[site]
            numbers = torch.stack([mean, sd, sd / mean, -least, greatest], dim=1).tolist()
            for head, values in enumerate(numbers, start=self.first_head):
                for key, value in zip(KEYS, values, strict=True):
                    rows.append((*site, head, self.statistic, key, value, self._counts[site]))
        return pd.DataFrame(rows, columns=list(COLUMNS))
