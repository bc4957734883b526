"""The norm of what a head adds, ‖W_O c_h[i]‖: mean over texts of means over queries (Kobayashi et al. 2020, section 2).

It is the norm of a sum over keys, ‖Σ_j α_ij f(x_j)‖, where `headwork.heads.norms.weights_and_norms` sums norms.
"""

from typing import Any

import torch
from torch import Tensor

from headwork.heads.measure import NORM, PREDICTION, Measure
from headwork.lens.lens import Lens
from headwork.relevance.attributions.importance import mask_of
from headwork.relevance.subjects import Given, Subject
from headwork.sites import Site


@torch.no_grad()
def output_norms(subject: Subject, given: Given) -> dict[Site, Tensor]:
    """Return the norm of each head's output at a query, W_O c_h, averaged over the queries of a text."""
    found: dict[Site, Tensor] = {}
    with Lens(subject.model) as lens:

        def receive(site: Site, context: Tensor) -> None:
            weight = lens.anatomy.part(site).output_weight()
            lengths = torch.einsum("bihd,ohd->biho", context, weight).norm(dim=-1)
            present = mask_of(given.inputs, site.kind).float()
            found[site] = (lengths * present[:, :, None]).sum(1) / present.sum(1, keepdim=True)

        with lens.handing(receive):
            subject.model(**given.inputs)
    return found


def of_text(seen: Any, given: Given, settings: None) -> dict[str, dict[Site, Tensor]]:
    """The norms in a prediction pass."""
    return {"norm": output_norms(seen.subject, given)}


OUTPUT_NORM = Measure(
    key="norm",
    name="norm of what it adds",
    group=NORM,
    says="Mean norm of the head's output vectors.",
    source="Kobayashi et al. 2020, section 2",
    rides_on=PREDICTION,
    made_by=of_text,
    on_page=False,
)
