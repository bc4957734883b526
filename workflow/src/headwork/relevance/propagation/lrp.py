"""Layer-wise relevance propagation: contribution of each head to the prediction (Voita et al. 2019, section 4).

Relevance starts with 1 at the highest logit of a step and is propagated back through the network. The relevance of a
head is that of its context, the vector that W_O projects, summed over the head's dimensions and all places of the text;
it is divided by that of all heads of the site, so that they sum to 1, and averaged over all steps of all sentences:

    relevance(head) = mean over steps t of |rel_t(head)| / Σ_heads |rel_t(head)|

The paper only gives rules for weighted sums and products (Ding et al. 2017). The rest are settings, whose defaults
follow the code that the authors published later.
"""

from collections.abc import Iterable, Sequence

import pandas as pd
import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from headwork.errors import InputError
from headwork.heads.streaming.batches import Batch
from headwork.heads.streaming.tally import Tally
from headwork.lens.last_layer import only_places
from headwork.lens.lens import Lens
from headwork.models.loading.kinds import CLASSIFIER, kind_of
from headwork.relevance.propagation.gradient import RelevanceGradients, frozen
from headwork.relevance.propagation.rules import AlphaBeta, Epsilon, Rule
from headwork.relevance.propagation.steps import PerStep, Relevance, Steps
from headwork.relevance.propagation.tape import Tape
from headwork.settings.base import require
from headwork.settings.relevance import LRPSettings
from headwork.sites import Mask, Site


def rule_of(settings: LRPSettings) -> Rule:
    """The rule for every operation, of alphabeta and epsilon."""
    chosen = (settings.epsilon, settings.bias, settings.layernorm, settings.attention)
    return AlphaBeta(settings.alpha, *chosen) if settings.rule == "alphabeta" else Epsilon(*chosen)


def head_relevance(
    model: nn.Module,
    batches: Iterable[Batch],
    settings: LRPSettings | None = None,
    *,
    kinds: Sequence[str] | None = None,
    masked: int | None = None,
    progress: str = "",
) -> pd.DataFrame:
    """kind, layer, head, statistic, key, value, count of every head: its share of its site's relevance.

    The statistic is `relevance`, the key the rule, the count the number of steps. `model` gives logits: of each place
    of a target text, of a class, or of each place of the one text it reads, where `masked` is the subword token whose
    places are asked about (all real ones by default). It is run without dropout on the device it is on and left as it
    was. `kinds` are the kinds of attention (all by default). `progress` names a bar on a terminal.

    Raises InputError for a model with an operation without a rule, and if relevance is not finite.
    """
    settings = settings or LRPSettings()
    tally = Tally("relevance", (settings.rule,))
    device = next(model.parameters()).device
    training = model.training
    model.eval()
    try:
        with Lens(model) as lens:
            sites = [site for site in lens.anatomy.sites if kinds is None or site.kind in kinds]
            require(
                bool(sites),
                f"relevance: a {type(model).__name__} has no {' or '.join(kinds or ())} attention",
            )
            for batch in tqdm(batches, desc=progress, unit="batch", disable=None if progress else True):
                steps, found = step_relevance(lens, batch.to(device), settings, sites, masked)
                for site, relevance in found.items():
                    tally.add(site, *_shares(site, relevance, steps, settings.steps == "together"))
    finally:
        model.train(training)
    return tally.table()


def step_relevance(
    lens: Lens,
    batch: Batch,
    settings: LRPSettings,
    sites: Sequence[Site],
    masked: int | None = None,
) -> tuple[Steps, dict[Site, PerStep]]:
    """The steps of a batch, and for each site the relevance of every head for each of them.

    A site that no relevance reaches is left out. With `together` there is one step a sentence. The model must be in
    evaluation mode, and the batch on its device.
    """
    if settings.rule == "gradient":
        return _by_gradient(lens, batch, settings, sites, masked)
    return _by_rules(lens, batch, settings, sites, masked)


def _by_rules(
    lens: Lens, batch: Batch, settings: LRPSettings, sites: Sequence[Site], masked: int | None
) -> tuple[Steps, dict[Site, PerStep]]:
    tape = Tape(rule_of(settings))
    with torch.no_grad(), lens.handing(tape.watch, sites), tape:
        logits = _logits(lens.model, batch)
    steps = Steps.of(batch, logits, masked)
    if not steps.present.any():
        return steps, {}
    start = Relevance.of_top(logits, steps, settings.steps == "together")
    found: dict[Site, PerStep] = {}
    tape.walk(logits, start, steps, lambda site, relevance: found.update({site: relevance.per_head(steps)}))
    return steps, found


@torch.enable_grad()
def _by_gradient(
    lens: Lens, batch: Batch, settings: LRPSettings, sites: Sequence[Site], masked: int | None
) -> tuple[Steps, dict[Site, PerStep]]:
    contexts: dict[Site, Tensor] = {}

    def keep(site: Site, context: Tensor) -> None:
        # in a frozen model the graph begins here, without the layers below
        contexts[site] = context if context.requires_grad else context.requires_grad_()

    gradients = RelevanceGradients(settings.layernorm, settings.attention)
    # a classifier reads the first place alone: no relevance reaches the others of the last layer
    places = (0,) if kind_of(lens.model) == CLASSIFIER else None
    with frozen(lens.model), lens.handing(keep, sites), gradients, only_places(lens.model, places):
        logits = _logits(lens.model, batch)
    steps = Steps.of(batch, logits, masked)
    if not steps.present.any():
        return steps, {}
    start = Relevance.of_top(logits.detach(), steps, settings.steps == "together")
    # relevance of a logit is 1, so its gradient starts with 1 / logit
    top = logits.gather(-1, start.chosen[..., None])
    starts = start.spread(steps).held / top.detach()
    found: dict[Site, list[Tensor]] = {site: [] for site in contexts}
    for number, beginning in enumerate(starts, start=1):
        slopes = torch.autograd.grad(
            top, list(contexts.values()), beginning, retain_graph=number < len(starts), allow_unused=True
        )
        for (site, context), slope in zip(contexts.items(), slopes, strict=True):
            if slope is not None:
                found[site].append((context.detach() * slope).sum((1, 3)))
    return steps, {site: torch.stack(heads, 1) for site, heads in found.items() if heads}


def _logits(model: nn.Module, batch: Batch) -> Tensor:
    # with a cache, keys and values would leave the recorded graph
    caching = {"use_cache": False} if "decoder" in batch.queries else {}
    output = model(**batch.inputs, **caching)
    if getattr(output, "logits", None) is None:
        raise InputError(
            f"a {type(model).__name__} has no output logits at which relevance can start; load the model with its head"
        )
    return output.logits


def _shares(site: Site, relevance: PerStep, steps: Steps, together: bool) -> tuple[Tensor, Tensor]:
    """Sums over steps of each head's share of the site's relevance, and the number of steps."""
    if not relevance.isfinite().all():
        raise InputError(f"relevance at {site} is not finite; choose another layernorm or a larger epsilon")
    relevance = relevance.double().abs()
    total = relevance.sum(-1, keepdim=True)
    number: Mask | Tensor = steps.present.sum(1, keepdim=True) if together else steps.present
    number = number * (total[..., 0] > 0)
    shares = relevance / torch.where(total > 0, total, 1)
    return (shares * number[..., None]).sum((0, 1))[:, None], number.sum()[None]
