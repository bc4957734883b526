"""Hard Concrete gates, learned with an L0 penalty on heads kept.

Louizos et al. 2018; Voita et al. 2019, section 6. Each head's context is multiplied by a gate g before W_O. In training
g is random, one number for all tokens of a batch:

    u ~ U(0, 1)        s = sigmoid((ln u - ln(1 - u) + log_a) / T)        g = clip(s (zeta - gamma) + gamma, 0, 1)

and since the stretch exceeds [0, 1], g has point masses at exactly 0 and 1:

    P(g = 0) = sigmoid(T ln(-gamma / zeta) - log_a)        P(g = 1) = sigmoid(log_a - T ln((1 - gamma) / (zeta - 1)))

What is minimised is the cross-entropy per target token + penalty x L_C. L_C is the sum of P(g != 0) over all gated
heads in the paper (`reduction: sum`); the authors' code takes the sum over a layer's heads, and of these the mean
(`layer_mean`), so that its penalty is the paper's times the number of gated attentions.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor, nn

from headwork.errors import InputError
from headwork.lens.anatomy import Anatomy
from headwork.settings.base import require
from headwork.settings.models import GateSettings
from headwork.sites import PerHead, Site

EPSILON = 1e-6
COLUMNS = ["kind", "layer", "head", "log_a", "p_open", "p_closed", "kept"]

PerGate = Float[Tensor, " gate"]


class HardConcrete(nn.Module):
    """Independent Hard Concrete gates with locations `log_a`, in single precision, sampled together."""

    def __init__(
        self, log_a: PerGate, temperature: float = 0.33, stretch: tuple[float, ...] = (-0.1, 1.1)
    ) -> None:
        super().__init__()
        self.log_a = nn.Parameter(log_a.float())
        self.temperature = temperature
        self.gamma, self.zeta = stretch

    def sample(self) -> PerGate:
        """Gates for one batch, from torch's generator; gradients reach log_a unless a gate was clipped."""
        noise = torch.empty_like(self.log_a).uniform_(EPSILON, 1 - EPSILON).logit()
        return self._stretched(((noise + self.log_a) / self.temperature).sigmoid())

    def p_closed(self) -> PerGate:
        """P(g = 0)."""
        return (self.temperature * math.log(-self.gamma / self.zeta) - self.log_a).sigmoid()

    def p_not_closed(self) -> PerGate:
        """P(g != 0), the term of the penalty."""
        return (self.log_a - self.temperature * math.log(-self.gamma / self.zeta)).sigmoid()

    def p_open(self) -> PerGate:
        """P(g = 1)."""
        return (self.log_a - self.temperature * math.log((1 - self.gamma) / (self.zeta - 1))).sigmoid()

    def more_likely_open(self) -> PerGate:
        """The paper's gates after training: 1 where P(g = 1) > P(g = 0), else 0."""
        return (self.p_open() > self.p_closed()).float()

    def without_noise(self) -> PerGate:
        """The gates after training in the authors' code: sigmoid(log_a), stretched and clipped; most are 0 or 1."""
        return self._stretched(self.log_a.sigmoid())

    def _stretched(self, concrete: PerGate) -> PerGate:
        return (concrete * (self.zeta - self.gamma) + self.gamma).clamp(0, 1)


class HeadGates(nn.Module, ABC):
    """Gates of all heads of some sites of a model, as a training uses them; `heads` are the heads of each site."""

    def __init__(self, heads: Mapping[Site, int]) -> None:
        super().__init__()
        self.heads = dict(heads)

    @abstractmethod
    def draw(self) -> dict[Site, PerHead]:
        """The gates for the next batch."""

    @abstractmethod
    def kept(self) -> dict[Site, PerHead]:
        """The gates without noise: 1 for each head that is kept, 0 for the others."""

    @abstractmethod
    def cost(self) -> Float[Tensor, ""]:
        """The term that is added to the loss of an update."""

    @abstractmethod
    def columns(self) -> dict[str, PerGate]:
        """The columns of numbers of `table`."""

    def description(self) -> dict[str, Any]:
        """What identifies a training with these gates, besides its weights."""
        return {}

    def facts(self) -> dict[str, Any]:
        """How many heads of each kind have gates, and are kept."""
        table = self.table()
        return {
            kind: {"heads": len(heads), "kept": int(heads["kept"].sum())}
            for kind, heads in table.groupby("kind", sort=False)
        }

    def parameter_groups(self, rate: float) -> list[dict[str, Any]]:
        """The gates' own groups in a torch optimiser whose peak rate is `rate`."""
        return []

    def by_site(self, flat: PerGate) -> dict[Site, PerHead]:
        """A number per gate, site after site, cut into those of each site."""
        return dict(zip(self.heads, flat.split(list(self.heads.values())), strict=True))

    @torch.no_grad()
    def table(self) -> pd.DataFrame:
        """One row per head: `COLUMNS`, of which `kept` is 0 or 1."""
        places = [
            (site.kind, site.layer, head)
            for site, heads in self.heads.items()
            for head in range(1, heads + 1)
        ]
        table = pd.DataFrame(places, columns=COLUMNS[:3])
        for name, column in (self.columns() | {"kept": torch.cat(list(self.kept().values()))}).items():
            table[name] = column.cpu().numpy()
        return table.astype({"kept": int}).reindex(columns=COLUMNS)


class FixedGates(HeadGates):
    """A mask: heads that are removed throughout a training."""

    def __init__(self, kept: Mapping[Site, PerHead]) -> None:
        super().__init__({site: len(gates) for site, gates in kept.items()})
        self.register_buffer("mask", torch.cat(list(kept.values())).float())

    def draw(self) -> dict[Site, PerHead]:
        return self.by_site(self.mask)

    def kept(self) -> dict[Site, PerHead]:
        return self.by_site(self.mask)

    def cost(self) -> Float[Tensor, ""]:
        return torch.zeros((), device=self.mask.device)

    def columns(self) -> dict[str, PerGate]:
        return {"p_open": self.mask, "p_closed": 1 - self.mask}


class LearnedGates(HeadGates):
    """Hard Concrete gates, with a `penalty` on heads that are open or with a number of heads to keep, the `target`.

    For a target the L0 penalty is replaced by an augmented Lagrangian (Wang et al. 2020, "Structured pruning"): with
    x = (expected open gates - target) / gates, the term m1 x + m2 x^2 is added to the loss, with gradient ascent for
    the multipliers m1 and m2 and descent for all else; after training, the `target` gates of highest log_a are kept.

    `before`: the heads that an earlier pruning kept (1) and closed (0). Closed heads stay closed and are not counted,
    so that a sweep can continue from one number of heads to the next smaller one.
    """

    def __init__(
        self,
        heads: Mapping[Site, int],
        settings: GateSettings,
        seed: int,
        penalty: float = 0.0,
        target: int | None = None,
        before: Mapping[Site, PerHead] | None = None,
    ) -> None:
        """Raises `InputError` for a penalty below 0, a target that is no number of these heads, both at once, and a
        `before` of other heads.
        """
        super().__init__(heads)
        fits = before is None or {site: len(kept) for site, kept in before.items()} == self.heads
        require(
            fits,
            "gates: the run that this one starts from has gates of other heads; give both the same `gates`",
        )
        open_before = (
            torch.cat([before[site] for site in self.heads])
            if before
            else torch.ones(sum(self.heads.values()))
        )
        self.register_buffer("open_before", open_before.float(), persistent=False)
        gates = int(open_before.sum())
        require(penalty >= 0, f"gates: the penalty is {penalty}; it must be 0 or more")
        require(
            target is None or 0 <= target <= gates,
            f"gates: {target} heads are to be kept, but {gates} have gates that may close; choose 0 to {gates}",
        )
        require(
            target is None or penalty == 0,
            f"gates: there are a penalty ({penalty}) and a number of heads to keep ({target}); choose one of them",
        )
        self.settings = settings
        self.penalty = penalty
        self.target = target
        start = _initial(self.heads, settings.initial, seed)
        self.gates = HardConcrete(start, settings.temperature, settings.stretch)
        self.multipliers = None if target is None else nn.Parameter(torch.zeros(2))

    def draw(self) -> dict[Site, PerHead]:
        return self.by_site(self.gates.sample() * self.open_before)

    @torch.no_grad()
    def kept(self) -> dict[Site, PerHead]:
        if self.target is None:
            return self.by_site(self.gates.more_likely_open() * self.open_before)
        order = self.gates.log_a.masked_fill(self.open_before == 0, -torch.inf)
        highest = order.argsort(descending=True, stable=True)[: self.target]
        return self.by_site(torch.zeros_like(self.gates.log_a).index_fill_(0, highest, 1.0))

    def cost(self) -> Float[Tensor, ""]:
        not_closed = (self.gates.p_not_closed() * self.open_before).sum()
        if self.multipliers is not None:
            surplus = (not_closed - self.target) / int(self.open_before.sum())
            return self.multipliers @ torch.stack([surplus, surplus**2])
        if self.settings.reduction == "layer_mean":
            not_closed = not_closed / len(self.heads)
        return self.penalty * not_closed

    def columns(self) -> dict[str, PerGate]:
        closed = self.open_before == 0
        return {
            "log_a": self.gates.log_a.masked_fill(closed, torch.nan),
            "p_open": self.gates.p_open().masked_fill(closed, 0.0),
            "p_closed": self.gates.p_closed().masked_fill(closed, 1.0),
        }

    def description(self) -> dict[str, Any]:
        own = {**self.settings.model_dump(), "penalty": self.penalty, "target": self.target}
        return own if bool(self.open_before.all()) else own | {"open_before": self.open_before.tolist()}

    def parameter_groups(self, rate: float) -> list[dict[str, Any]]:
        own = rate if self.settings.rate is None else self.settings.rate
        groups = [{"params": [self.gates.log_a], "lr": own, "weight_decay": 0.0}]
        if self.multipliers is not None:
            ascent = {"lr": self.settings.multiplier_rate, "weight_decay": 0.0, "maximize": True}
            groups.append({"params": [self.multipliers], **ascent})
        return groups

    @torch.no_grad()
    def facts(self) -> dict[str, Any]:
        """The same, and the number of `undecided` gates, which the authors' rule leaves between 0 and 1."""
        gates = self.gates.without_noise() * self.open_before
        return super().facts() | {"undecided": int(((gates > 0) & (gates < 1)).sum())}


def _initial(heads: Mapping[Site, int], value: float | None, seed: int) -> PerGate:
    """log_a before training: `value`, or Glorot's rule for a site's weights of shape (1, heads, 1, 1)."""
    if value is not None:
        return torch.full((sum(heads.values()),), float(value))
    generator = torch.Generator().manual_seed(seed)
    bounds = torch.cat([torch.full((count,), math.sqrt(3 / count)) for count in heads.values()])
    return bounds * (2 * torch.rand(len(bounds), generator=generator) - 1)


def heads_with_gates(anatomy: Anatomy, kinds: Sequence[str]) -> dict[Site, int]:
    """The heads of each site of these kinds; an `InputError` if the model has no attention of one of them."""
    for kind in kinds:
        if not any(site.kind == kind for site in anatomy.sites):
            has = ", ".join(dict.fromkeys(site.kind for site in anatomy.sites))
            raise InputError(f"gates: the model has no {kind} attention for gates; it has {has}")
    return {site: part.heads for site, part in anatomy.sites.items() if site.kind in kinds}
