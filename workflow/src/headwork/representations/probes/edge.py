"""Edge probes: labels of one or two spans from the vectors within them (Tenney et al. 2019).

The probe P^(l) sees the layers 0 to l of a frozen encoder through a scalar mix,

    h_i = γ Σ_k s_k h_i^(k),    s = softmax(a_0, ..., a_l)

projects the mixed vectors of each span, x_i = W h_i + b, with W and b of its own for either span, pools them by
attention within the span, Σ_i softmax_i(v · x_i) x_i, and gives the pooled vectors of all spans to a classifier of one
hidden layer (tanh, layer normalisation, dropout) with a sigmoid for each label. The loss is binary cross-entropy.

Many probes are trained side by side: for all l, and several seeds. They see the same batches in the same order; a seed
draws initial weights and dropout. The projection and the classifier of a seed start alike for all l. The bias of a
label starts at the log-odds of its share of the targets, which a probe would otherwise learn first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn
from torch.nn import functional
from tqdm.auto import tqdm

from headwork.settings.representations import EdgeProbeSettings

States = Float[Tensor, "layer token size"]
Weights = Float[Tensor, "probe layer"]


@dataclass(frozen=True)
class Targets:
    """Spans and labels. `starts` and `lengths` count tokens: (target, span), one or two spans each."""

    starts: Int[np.ndarray, "target span"]
    lengths: Int[np.ndarray, "target span"]
    labels: Float[Tensor, "target label"]

    def __len__(self) -> int:
        return len(self.starts)

    def tokens(self, chosen: Int[np.ndarray, " target"], span: int) -> tuple[np.ndarray, np.ndarray]:
        """The tokens of one span of these targets, and of each its target's place among them."""
        lengths = self.lengths[chosen, span]
        of = np.repeat(np.arange(len(chosen)), lengths)
        within = np.arange(len(of)) - np.repeat(lengths.cumsum() - lengths, lengths)
        return self.starts[chosen, span][of] + within, of


class EdgeProbes(nn.Module):
    """Probes side by side: `depths[p]` is the highest layer that probe p mixes, `seeds[p]` draws its weights."""

    def __init__(
        self, depths: Sequence[int], seeds: Sequence[int], size: int, spans: int, labels: int, hidden: int
    ) -> None:
        super().__init__()
        count, layers = len(depths), max(depths) + 1
        self.register_buffer("open", torch.arange(layers) <= torch.tensor(depths)[:, None])
        self.mix = nn.Parameter(torch.zeros(count, layers))
        self.gamma = nn.Parameter(torch.ones(count))
        drawn = {seed: torch.Generator().manual_seed(seed) for seed in sorted(set(seeds))}

        def uniform(*shape: int) -> nn.Parameter:
            # as nn.Linear's, one draw for all probes of a seed
            own = {seed: torch.rand(*shape, generator=chance) * 2 - 1 for seed, chance in drawn.items()}
            return nn.Parameter(torch.stack([own[seed] for seed in seeds]) * shape[-2] ** -0.5)

        self.project = nn.ParameterList([uniform(size, hidden) for _ in range(spans)])
        biases = [nn.Parameter(torch.zeros(count, 1, hidden)) for _ in range(spans)]
        self.project_bias = nn.ParameterList(biases)
        self.attend = nn.ParameterList([uniform(hidden, 1) for _ in range(spans)])
        self.inner = uniform(spans * hidden, hidden)
        self.inner_bias = nn.Parameter(torch.zeros(count, 1, hidden))
        self.outer = uniform(hidden, labels)
        self.outer_bias = nn.Parameter(torch.zeros(count, 1, labels))

    @property
    def weights(self) -> Weights:
        """The mixing weights s, 0 for layers above a probe's depth."""
        return self.mix.masked_fill(~self.open, -torch.inf).softmax(1)

    def mixed(self, states: States) -> Float[Tensor, "probe token size"]:
        """h_i of every probe."""
        return torch.einsum("pl,lnd->pnd", self.gamma[:, None] * self.weights, states)

    def pooled(
        self, states: States, of: Int[Tensor, " token"], targets: int, span: int
    ) -> Float[Tensor, "probe target hidden"]:
        """The vector of one span of each target; `of` is the target of each token."""
        points = torch.baddbmm(self.project_bias[span], self.mixed(states), self.project[span])
        scores = (points @ self.attend[span]).squeeze(2)
        count, _, hidden = points.shape
        top = scores.new_full((count, targets), -torch.inf)
        top = top.scatter_reduce(1, of.expand(count, -1), scores.detach(), "amax")
        weights = (scores - top[:, of]).exp()  # the largest of each span is 1
        total = points.new_zeros(count, targets).index_add(1, of, weights)
        sums = points.new_zeros(count, targets, hidden).index_add(1, of, points * weights[..., None])
        return sums / total[..., None]

    def forward(
        self, spans: Sequence[tuple[Tensor, Tensor]], targets: int, dropout: float = 0.0
    ) -> Float[Tensor, "probe target label"]:
        """The logit of each label; `spans` holds the states of the tokens of each span, and their targets."""
        pooled = [self.pooled(states, of, targets, span) for span, (states, of) in enumerate(spans)]
        hidden = torch.baddbmm(self.inner_bias, torch.cat(pooled, 2), self.inner).tanh()
        hidden = functional.layer_norm(hidden, hidden.shape[-1:])
        hidden = functional.dropout(hidden, dropout, training=dropout > 0)
        return torch.baddbmm(self.outer_bias, hidden, self.outer)


def _spans(
    states: States, targets: Targets, chosen: Int[np.ndarray, " target"]
) -> list[tuple[Tensor, Tensor]]:
    found = []
    for span in range(targets.starts.shape[1]):
        tokens, of = targets.tokens(chosen, span)
        found.append((states[:, torch.from_numpy(tokens)], torch.from_numpy(of).to(states.device)))
    return found


def normalised(states: States) -> States:
    """Each token's vector of each layer with mean 0 and variance 1."""
    return functional.layer_norm(states, states.shape[-1:])


def train_edges(
    states: States,
    targets: Targets,
    depths: Sequence[int],
    seeds: Sequence[int],
    settings: EdgeProbeSettings | None = None,
    progress: str = "",
) -> EdgeProbes:
    """A probe for each depth and seed, in the order of `depths` for the first seed, then for the next."""
    settings = settings or EdgeProbeSettings()
    both = [(depth, seed) for seed in seeds for depth in depths]
    sizes = states.shape[2], targets.starts.shape[1], targets.labels.shape[1], settings.hidden
    probes = EdgeProbes(*map(list, zip(*both, strict=True)), *sizes)
    share = (targets.labels.sum(0) + 1) / (len(targets) + 2)
    with torch.no_grad():
        probes.outer_bias += share.logit()
    probes = probes.to(states.device)
    mixing = [probes.mix, probes.gamma]
    others = [each for each in probes.parameters() if all(each is not own for own in mixing)]
    optimiser = torch.optim.Adam(
        [{"params": mixing, "lr": settings.rate * settings.mix_rate}, {"params": others, "lr": settings.rate}]
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, settings.steps)
    chance = np.random.default_rng(min(seeds))
    order = np.empty(0, dtype=np.int64)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(min(seeds))
        for _ in tqdm(range(settings.steps), desc=progress, unit="step", disable=None if progress else True):
            if len(order) < settings.batch:
                order = np.append(order, chance.permutation(len(targets)))
            chosen, order = order[: settings.batch], order[settings.batch :]
            optimiser.zero_grad()
            logits = probes(_spans(states, targets, chosen), len(chosen), settings.dropout)
            gold = targets.labels[torch.from_numpy(chosen)].to(logits.device).expand(len(both), -1, -1)
            loss = functional.binary_cross_entropy_with_logits(logits, gold, reduction="none")
            loss.mean((1, 2)).sum().backward()
            _clip(probes, settings.clip)
            optimiser.step()
            schedule.step()
    return probes.eval()


@torch.no_grad()
def _clip(probes: EdgeProbes, norm: int | float) -> None:
    """Scale the gradient of each probe with a larger norm to that norm."""
    gradients = [each.grad for each in probes.parameters()]
    norms = torch.stack([each.flatten(1).norm(dim=1) if each.dim() > 1 else each.abs() for each in gradients])
    factors = (norm / norms.norm(dim=0).clamp_min(1e-12)).clamp_max(1)
    for each in gradients:
        each *= factors.view(-1, *[1] * (each.dim() - 1))


@torch.no_grad()
def probabilities(
    probes: EdgeProbes, states: States, targets: Targets, batch: int = 512
) -> Float[np.ndarray, "probe target label"]:
    """The probability of each label."""
    parts = [
        probes(_spans(states, targets, chosen), len(chosen)).sigmoid().cpu().numpy()
        for chosen in np.array_split(np.arange(len(targets)), -(-len(targets) // batch))
    ]
    return np.concatenate(parts, axis=1)


def counts(
    found: Float[np.ndarray, "probe target label"],
    gold: Bool[np.ndarray, "target label"],
    missed: Int[np.ndarray, " target"],
) -> Int[np.ndarray, "probe target 3"]:
    """True positives, false positives and false negatives of each target.

    A label counts as predicted if its probability is over a half; `missed` are the gold labels that the probe does not
    know, all false negatives.
    """
    predicted = found > 0.5
    right = (predicted & gold).sum(2)
    return np.stack([right, predicted.sum(2) - right, gold.sum(1) + missed - right], axis=2)


def f1(totals: Shaped[np.ndarray, "... 3"]) -> Float[np.ndarray, "..."] | float:
    """Micro-averaged F1 of such counts; 0 where there is neither a gold nor a predicted label."""
    right = 2.0 * totals[..., 0]
    return right / np.maximum(right + totals[..., 1] + totals[..., 2], 1)
