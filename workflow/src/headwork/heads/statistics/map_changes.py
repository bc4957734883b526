"""Cosine similarity of attention maps between two models (Kovaleva et al. 2019, section 4.3, figure 5).

    cosine(head) = mean over texts of  Σ_ij A[i, j] B[i, j] / (|A| |B|),    |A|² = Σ_ij A[i, j]²

A and B are the head's maps in the two models, of the real tokens alone. The authors' code compared maps of the padded
batch: padded positions attend too, alike in both models (`include_padding`).
"""

from collections import defaultdict

import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor, nn

from headwork.errors import InputError
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.site_weights import Look, Reduction
from headwork.heads.streaming.tally import Tally
from headwork.lens.anatomy import anatomy
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.sites import Maps, Mask, Site


def cosine(ones: Maps, others: Maps, queries: Mask) -> Float[Tensor, "batch head"]:
    """The cosine of the angle between two maps of each head, over the rows of these queries."""
    rows = queries[:, None, :, None].to(ones.dtype)
    ones, others = ones * rows, others * rows
    products = [(a * b).sum((-2, -1)) for a, b in ((ones, others), (ones, ones), (others, others))]
    return products[0] / (products[1] * products[2]).sqrt()


class MapChanges:
    """The statistic `cosine` of a model that is measured and the one `before`, which reads each batch first.

    Its count is the texts. The maps of one batch in the other model are held. Raises InputError for models of
    different shapes.
    """

    def __init__(self, before: nn.Module, after: nn.Module, include_padding: bool = False) -> None:
        shapes = [
            {site: part.heads for site, part in anatomy(model).sites.items()} for model in (before, after)
        ]
        if shapes[0] != shapes[1]:
            raise InputError(
                "models of different shapes cannot be compared; give both as many layers and heads"
            )
        self.before = before.eval()
        self.include_padding = include_padding
        self.reductions: tuple[Reduction, ...] = (self._cosine,)
        self._tally = Tally("cosine")
        self._maps: dict[Site, Maps] = {}

    def start(self, batch: Batch) -> None:
        """Read the batch with the other model."""
        self._queries = {kind: side.present for kind, side in batch.queries.items()}
        looks: dict[Site, list[Maps]] = defaultdict(list)

        def keep(attended: Attended) -> None:
            looks[attended.site].append(attended.weights)

        with Lens(self.before) as lens, torch.no_grad(), lens.observing(keep):
            self.before(**batch.inputs)
        self._maps = {site: torch.cat(parts) for site, parts in looks.items()}

    def _cosine(self, look: Look) -> Float[Tensor, "batch head"]:
        queries = self._queries[look.site.kind][look.rows]
        if self.include_padding:
            queries = torch.ones_like(queries)
        return cosine(self._maps[look.site][look.rows], look.weights, queries)

    def update(self, site: Site, found: Float[Tensor, "batch head"]) -> None:
        """Add the cosines of the batch's texts."""
        count = torch.tensor([len(found)], device=found.device)
        self._tally.add(site, found.sum(0, dtype=torch.float64)[:, None], count)

    def table(self) -> pd.DataFrame:
        """One row per head."""
        return self._tally.table()
