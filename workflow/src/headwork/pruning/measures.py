"""All importance measures of a head.

    attribution     E_x max_ij Attr_h[i, j]                              Hao et al. 2021
    taylor          E_x |Σ_ij A_h[i, j] ∂L/∂A_h[i, j]|                  Hao et al. 2021
    taylor-context  E_x Σ_i |⟨c_h[i], ∂L/∂c_h[i]⟩|                     Michel et al. 2019
    relevance       E_x |⟨c_h, rel⟩| / Σ_h |⟨c_h, rel⟩|, AttnLRP        Voita et al. 2019; Achtibat et al. 2024
    confidence      mean over queries of max_j A_h[i, j]                 Voita et al. 2019
    attention       E_x max_ij A_h[i, j]
    norm            mean over queries of ‖W_O c_h[i]‖                    Kobayashi et al. 2020
    gates           log_a of an L0 gate, learned on the frozen model     Voita et al. 2019; Louizos et al. 2018

They are compared with head ablation: the loss of score and of the log-likelihood of the gold answer without the head.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from headwork.lens.lens import Lens
from headwork.models.gates.hard_concrete import GateSettings, LearnedGates
from headwork.pruning.subjects import Given, Subject
from headwork.relevance.attributions.importance import MASKS, of_attributions, taylor
from headwork.relevance.attributions.maps import weights_of
from headwork.relevance.attributions.self_attention import attributions
from headwork.relevance.propagation.gradient import RelevanceGradients, frozen
from headwork.settings.pruning import GateLearning
from headwork.settings.relevance import AttributionSettings
from headwork.sites import Head, Site

BY_TEXT = ("attribution", "taylor", "taylor-context", "relevance", "confidence", "attention", "norm")
Values = dict[Head, float]
PerText = dict[Site, Tensor]


def by_text(subject: Subject, sites: Sequence[Site], settings: AttributionSettings) -> dict[str, Values]:
    """The measures of `BY_TEXT`: means over texts."""
    found: dict[str, dict[Site, list[Tensor]]] = {name: {site: [] for site in sites} for name in BY_TEXT}
    for given in subject.measured:
        target = subject.target(given)
        own = list(attributions(subject.model, given.inputs, target, sites, settings))
        measures = {
            "attribution": of_attributions(own, given.inputs),
            **taylor(subject.model, given.inputs, target),
            "relevance": relevance(subject, given),
            "confidence": confidence(subject, given),
            "norm": norms(subject, given),
        }
        for name in BY_TEXT:
            for site in sites:
                found[name][site].append(measures[name][site].detach().double().cpu())
    return {
        name: {
            site.head(number): float(value)
            for site, parts in own.items()
            for number, value in enumerate(torch.cat(parts).mean(0), start=1)
        }
        for name, own in found.items()
    }


def relevance(subject: Subject, given: Given) -> PerText:
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


def confidence(subject: Subject, given: Given) -> PerText:
    """The highest weight of each query, mean over the queries of a text."""
    found = {}
    for site, weights in weights_of(subject.model, given.inputs).items():
        present = _queries(site, given)
        found[site] = (weights.amax(3) * present[:, None]).sum(2) / present.sum(1, keepdim=True)
    return found


@torch.no_grad()
def norms(subject: Subject, given: Given) -> PerText:
    """Return the norm of each head's output at a query, W_O c_h, averaged over the queries of a text."""
    found: PerText = {}
    with Lens(subject.model) as lens:

        def receive(site: Site, context: Tensor) -> None:
            weight = lens.anatomy.part(site).output_weight()
            lengths = torch.einsum("bihd,ohd->biho", context, weight).norm(dim=-1)
            present = _queries(site, given)
            found[site] = (lengths * present[:, :, None]).sum(1) / present.sum(1, keepdim=True)

        with lens.handing(receive):
            subject.model(**given.inputs)
    return found


def _queries(site: Site, given: Given) -> Tensor:
    return given.inputs[MASKS[site.kind]].float()


def learned_gates(subject: Subject, sites: Mapping[Site, int], how: GateLearning) -> Values:
    """Return log_a of each head's gate, learned with a small L0 penalty on the frozen model."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(how.seed)
        settings = GateSettings(initial=how.initial)
        gates = LearnedGates(sites, settings, how.seed, how.penalty).to(
            next(subject.model.parameters()).device
        )
        optimiser = torch.optim.Adam([gates.gates.log_a], how.rate)
        order = np.random.default_rng(how.seed).integers(0, len(subject.measured), how.steps)
        with Lens(subject.model) as lens, frozen(subject.model):
            for number in order.tolist():
                given = subject.measured[number]
                with lens.gating(gates.draw()):
                    logits = subject.model(**given.inputs).logits
                loss = -subject.likelihoods(logits, given).mean() + gates.cost()
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
    table = gates.table()
    heads = [Head(*place) for place in zip(table["kind"], table["layer"], table["head"], strict=True)]
    return dict(zip(heads, table["log_a"].tolist(), strict=True))
