"""Whole attention maps of a batch of texts."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.sites import Maps, Site


@torch.no_grad()
def weights_of(model: nn.Module, inputs: Mapping[str, Tensor]) -> dict[Site, Maps]:
    """Return the weights of every site (batch, head, query, key), padding included."""
    parts: dict[Site, list[Tensor]] = {}

    def keep(attended: Attended) -> None:
        parts.setdefault(attended.site, []).append(attended.weights)

    with Lens(model) as lens, lens.observing(keep):
        model(**inputs)
    return {site: torch.cat(weights) for site, weights in parts.items()}
