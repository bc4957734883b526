"""How much attention maps change from one model to another (Kovaleva et al. 2019, section 4.1, figure 5).

    cosine(head) = mean over texts of  Σ_ij A[i, j] B[i, j] / (|A| |B|),    |A|² = Σ_ij A[i, j]²

A and B are the head's maps in the two models, of the real tokens alone. The authors' code compared maps of the padded
batch: padding attends too, alike in both models, and short texts have most of it (`include_padding`).
"""

from collections.abc import Iterable

import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor, nn
from tqdm.auto import tqdm

from headwork.errors import InputError
from headwork.heads.batches import Batch
from headwork.heads.tally import Tally
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.shapes import Maps, Mask, Site


def cosine(ones: Maps, others: Maps, queries: Mask) -> Float[Tensor, "batch head"]:
    """The cosine of the angle between two maps of each head, over the rows of these queries."""
    rows = queries[:, None, :, None].to(ones.dtype)
    ones, others = ones * rows, others * rows
    products = [(a * b).sum((-2, -1)) for a, b in ((ones, others), (ones, ones), (others, others))]
    return products[0] / (products[1] * products[2]).sqrt()


class _Kept:
    """Maps of one pass, site by site in the order they are shown."""

    def __init__(self) -> None:
        self.maps: dict[tuple[Site, int], Maps] = {}

    def __call__(self, attended: Attended) -> None:
        self.maps[attended.site, attended.rows.start] = attended.weights


def map_changes(
    before: nn.Module,
    after: nn.Module,
    batches: Iterable[Batch],
    include_padding: bool = False,
    progress: str = "",
) -> pd.DataFrame:
    """The statistic `cosine` of every head of two models of one shape: kind, layer, head, ..., value, count (texts).

    The maps of one batch are held at once. Raises InputError for models of different shapes.
    """
    shapes = []
    for model in (before, after):
        with Lens(model) as lens:
            shapes.append({site: part.heads for site, part in lens.anatomy.sites.items()})
    if shapes[0] != shapes[1]:
        raise InputError("two models whose maps are compared must have as many layers and heads")
    device = next(before.parameters()).device
    tally = Tally("cosine")
    with torch.no_grad():
        for batch in tqdm(batches, desc=progress, unit="batch", disable=None if progress else True):
            batch = batch.to(device)
            kept = _Kept()
            with Lens(before) as lens, lens.observing(kept):
                before(**batch.inputs)

            def compare(attended: Attended, batch: Batch = batch, kept: _Kept = kept) -> None:
                side = batch.queries[attended.site.kind]
                queries = torch.ones_like(side.present) if include_padding else side.present
                own = kept.maps[attended.site, attended.rows.start]
                found = cosine(own, attended.weights, queries[attended.rows])
                count = torch.tensor([len(found)], device=device)
                tally.add(attended.site, found.sum(0, dtype=torch.float64)[:, None], count)

            with Lens(after) as lens, lens.observing(compare):
                after(**batch.inputs)
    return tally.table()
