"""log_a of each head's L0 gate, learned on the frozen model (Voita et al. 2019, section 6.1; Louizos et al. 2018)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from headwork.heads.measure import IMPORTANCE, REMOVAL, Measure
from headwork.lens.lens import Lens
from headwork.models.gates.hard_concrete import GateSettings, LearnedGates
from headwork.relevance.propagation.gradient import frozen
from headwork.relevance.subjects import Subject
from headwork.settings.pruning import GateLearning
from headwork.sites import Head, Site


def learned_gates(subject: Subject, sites: Mapping[Site, int], how: GateLearning) -> dict[Head, float]:
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


def log_a(seen: Any, settings: GateLearning | None) -> tuple[dict[Head, float], int]:
    """log_a of each head's gate, and the number of texts that they are learned on."""
    texts = sum(len(given.labels) for given in seen.subject.measured)
    return learned_gates(seen.subject, seen.sites, settings or GateLearning()), texts


GATES = Measure(
    key="gates",
    name="L0 gates",
    group=IMPORTANCE,
    says="log α of an L0 gate that is learned on the frozen model.",
    source="Voita et al. 2019, section 6.1; Louizos et al. 2018",
    rides_on=REMOVAL,
    made_by=log_a,
    settings="gates",
    on_page=False,
)
