"""Whole attention maps of a batch of texts, for methods that look at their single weights."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.shapes import Maps, Site


@torch.no_grad()
def weights_of(model: nn.Module, inputs: Mapping[str, Tensor]) -> dict[Site, Maps]:
    """The weights of every site (batch, head, query, key); those of padding are there too."""
    parts: dict[Site, list[Tensor]] = {}

    def keep(attended: Attended) -> None:
        parts.setdefault(attended.site, []).append(attended.weights)

    with Lens(model) as lens, lens.observing(keep):
        model(**inputs)
    return {site: torch.cat(weights) for site, weights in parts.items()}
