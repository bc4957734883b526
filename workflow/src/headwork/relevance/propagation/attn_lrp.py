"""Each head's share of its layer's relevance by AttnLRP, from one backward pass for all steps together.

    relevance(head) = mean over texts of  |⟨c_h, ∂s/∂c_h⟩| / Σ_h |⟨c_h, ∂s/∂c_h⟩|

with c_h the head's contexts, s the sum of the logits that the model says, and the gradients of
`headwork.relevance.propagation.gradient` (`detach_std`, `full`; Achtibat et al. 2024). Step by step and over a text of
any length, with these gradients or with the rules of Voita et al. (2019), it is `headwork.relevance.propagation.lrp`.
"""

from typing import Any

import torch
from torch import Tensor

from headwork.heads.measure import IMPORTANCE, PREDICTION, Measure
from headwork.lens.lens import Lens
from headwork.relevance.propagation.gradient import RelevanceGradients, frozen
from headwork.relevance.subjects import Given, Subject
from headwork.sites import Site


def relevance_shares(subject: Subject, given: Given) -> dict[Site, Tensor]:
    """Return each head's share of its site's relevance, starting from the logits of the model's predictions."""
    contexts: dict[Site, Tensor] = {}

    def receive(site: Site, context: Tensor) -> None:
        context.requires_grad_()
        context.retain_grad()
        contexts[site] = context

    model = subject.model
    with Lens(model) as lens, frozen(model), lens.handing(receive), RelevanceGradients("detach_std", "full"):
        subject.best(model(**given.inputs), given).backward()
    found = {}
    for site, context in contexts.items():
        amounts = (context * context.grad).sum((1, 3)).abs().detach()
        found[site] = amounts / amounts.sum(1, keepdim=True).clamp_min(torch.finfo(amounts.dtype).tiny)
    return found


def of_text(seen: Any, given: Given, settings: None) -> dict[str, dict[Site, Tensor]]:
    """The shares in a prediction pass."""
    return {"relevance": relevance_shares(seen.subject, given)}


def equal_share(seen: Any) -> dict[str, float]:
    """One over the number of heads, by kind."""
    return {site.kind: 1 / heads for site, heads in seen.heads.items()}


RELEVANCE = Measure(
    key="relevance",
    name="relevance, AttnLRP",
    group=IMPORTANCE,
    says="Share of its layer's relevance, by AttnLRP.",
    source="Achtibat et al. 2024, section 3; shares as in Voita et al. 2019, section 4",
    rides_on=PREDICTION,
    made_by=of_text,
    share=True,
    uniform=equal_share,
    uniform_is="an equal share",
)
