"""Importance of each head to a classifier, by several measures (Hao et al. 2021, section 4.2; Michel et al. 2019).

    attribution     E_x max_ij Attr_h[i, j]
    taylor          E_x |Σ_ij A_h[i, j] ∂L/∂A_h[i, j]|                            as Hao et al. write it
    taylor-context  E_x Σ_i |⟨c_h[i], ∂L/∂c_h[i]⟩|, c_h the head's contexts      as Michel et al.'s code has it
    attention       E_x max_ij A_h[i, j]

L is the cross-entropy of the target label. The fifth measure, the score lost when the head alone is removed, is
`headwork.pruning.disabling`. Michel et al. divide each layer's values by their length (`normalised`); Hao et al. do so
for Taylor and not for their own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor, nn

from headwork.heads.measure import IMPORTANCE, PREDICTION, Measure
from headwork.heads.streaming.tally import COLUMNS
from headwork.lens.attention import Attended
from headwork.lens.lens import Lens
from headwork.relevance.attributions.self_attention import Attribution, Target, attributions
from headwork.relevance.propagation.gradient import frozen
from headwork.relevance.subjects import Given
from headwork.settings.relevance import AttributionSettings
from headwork.sites import Site

OF_GRADIENTS = ("taylor", "taylor-context", "attention")
PerHead = Float[Tensor, "batch head"]


def of_attributions(found: Sequence[Attribution], inputs: Mapping[str, Tensor]) -> dict[Site, PerHead]:
    """The highest attribution of each text and head.

    Padding is excluded: its 0 would be the maximum of a head with only negative attributions.
    """
    highest = {}
    for each in found:
        kinds = each.site.kind, "encoder" if each.site.kind == "cross" else each.site.kind
        queries, keys = (mask_of(inputs, kind).bool() for kind in kinds)
        present = queries[:, None, :, None] & keys[:, None, None]
        highest[each.site] = each.maps.masked_fill(~present, -torch.inf).amax((2, 3))
    return highest


def mask_of(inputs: Mapping[str, Tensor], kind: str) -> Tensor | None:
    """The input that masks the queries of a kind of attention; a model that reads one text has one for all."""
    decoder = kind != "encoder" and not inputs.keys().isdisjoint(
        ("decoder_input_ids", "decoder_attention_mask")
    )
    return inputs.get("decoder_attention_mask" if decoder else "attention_mask")


def taylor(model: nn.Module, inputs: Mapping[str, Tensor], target: Target) -> dict[str, dict[Site, PerHead]]:
    """`OF_GRADIENTS` of each text and head, all layers from one forward and one backward pass.

    The answer that `target` gives is a probability p, and L = -ln p.
    """
    model.eval()
    highest: dict[Site, PerHead] = {}
    contexts: dict[Site, Tensor] = {}

    def keep(attended: Attended) -> None:
        weights = attended.weights.detach()
        mask = mask_of(inputs, attended.site.kind)  # padded positions attend too
        if mask is not None:
            weights = weights * mask[attended.rows, None, :, None]
        highest[attended.site] = weights.amax((2, 3))

    def receive(site: Site, context: Tensor) -> None:
        context.retain_grad()
        contexts[site] = context

    with (
        Lens(model) as lens,
        frozen(model),
        torch.enable_grad(),
        lens.keeping(lens.anatomy.sites) as maps,
        lens.observing(keep),
        lens.handing(receive),
    ):
        first = next(iter(inputs.values()))
        answers = target.of(model(**inputs), torch.arange(len(first), device=first.device))
        (-answers.clamp_min(torch.finfo(answers.dtype).tiny).log()).sum().backward()
    found: dict[str, dict[Site, PerHead]] = {name: {} for name in OF_GRADIENTS}
    for site, weights in maps.items():
        context = contexts[site]
        found["taylor"][site] = (weights * weights.grad).sum((2, 3)).abs().detach()
        found["taylor-context"][site] = (context * context.grad).sum(-1).abs().sum(1).detach()
        found["attention"][site] = highest[site]
    return found


def table(measure: str, of_texts: Mapping[Site, PerHead]) -> pd.DataFrame:
    """The means over texts, a row per head; the statistic is `importance`, its key the measure."""
    rows = [
        (*site, head, "importance", measure, value, len(values))
        for site, values in of_texts.items()
        for head, value in enumerate(values.double().mean(0).tolist(), start=1)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def normalised(importance: pd.DataFrame) -> pd.DataFrame:
    """The same with each layer's values divided by their length (the root of the sum of their squares)."""
    layers = [importance[column] for column in ("kind", "layer", "key")]
    lengths = (importance["value"] ** 2).groupby(layers).transform("sum") ** 0.5
    return importance.assign(value=(importance["value"] / lengths.where(lengths > 0, 1)))


def of_attributed(
    seen: Any, given: Given, settings: AttributionSettings | None
) -> dict[str, dict[Site, PerHead]]:
    """`attribution` in a prediction pass, of its sites alone: each site costs several passes."""
    subject = seen.subject
    found = list(attributions(subject.model, given.inputs, subject.target(given), seen.sites, settings))
    return {"attribution": of_attributions(found, given.inputs)}


def of_gradients(seen: Any, given: Given, settings: None) -> dict[str, dict[Site, PerHead]]:
    """`OF_GRADIENTS` in a prediction pass."""
    return taylor(seen.subject.model, given.inputs, seen.subject.target(given))


ATTRIBUTION = Measure(
    key="attribution",
    name="attribution",
    group=IMPORTANCE,
    says="Highest attribution of its attention map, by integrated gradients over the map (AttAttr).",
    source="Hao et al. 2021, section 4.2",
    rides_on=PREDICTION,
    made_by=of_attributed,
    settings="attribution",
    on_page=False,
)
TAYLOR_CONTEXT = Measure(
    key="taylor-context",
    name="Taylor, contexts",
    group=IMPORTANCE,
    says="Mean of Σ|⟨c, ∂L/∂c⟩| over the head's contexts c.",
    source="Michel et al. 2019, section 4.1, as their code has it",
    rides_on=PREDICTION,
    made_by=of_gradients,
)
TAYLOR = Measure(
    key="taylor",
    name="Taylor",
    group=IMPORTANCE,
    says="Mean of |Σ A ∂L/∂A| over its attention map A.",
    source="Hao et al. 2021, section 4.2",
    rides_on=PREDICTION,
    made_by=of_gradients,
)
ATTENTION = Measure(
    key="attention",
    name="largest attention",
    group=IMPORTANCE,
    says="Mean over texts of the largest attention weight of its map.",
    source="Hao et al. 2021, section 4.2, a baseline",
    rides_on=PREDICTION,
    made_by=of_gradients,
    share=True,
    on_page=False,
)
