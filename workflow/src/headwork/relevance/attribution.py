"""Self-attention attribution: how much each attention weight adds to what a model says (Hao et al. 2021, section 3).

For one layer with maps A (all heads of the layer together, all other layers as they come),

    Attr_h = A_h ⊙ ∫_0^1 ∂F(αA)/∂A_h dα

where F is the probability of one answer: integrated gradients (Sundararajan et al. 2017) from maps of zeros, nobody
attends to anybody, to the maps as they are. They are complete: Σ_hij Attr_h[i, j] = F(A) - F(0).

A context is linear in its map, c_h(α) = α A_h V_h, so that no map has to be scaled or to be in the graph:

    ∂F(αA)/∂A_h [i, j] = ⟨∂F/∂c_h[i], V_h[j]⟩

at every α. So is what the output projection makes of it, o(α) = b + α (o(1) - b), so that no node needs more of the
site than this vector, and ∂F/∂c_h = W_Ohᵀ ∂F/∂o. The gradients by it are summed over the nodes of the quadrature
first, and one product with W_O and one with the values make the map of them. Layers below the one in question are
computed once (`headwork.lens.prefix`), parameters are frozen, and where the answer is read off a few places the last
layer is computed for these alone (`headwork.lens.places`).

The paper's sum has right nodes k/m for k = 1..m, its code left ones. Gauss-Legendre nodes are exact for polynomials of
degree 2m - 1, so few are enough where F is smooth along the path; where it is not, more are taken, until what is
missing to completeness is small.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from headwork.lens.attention import Attended
from headwork.lens.forwards import computing, giving
from headwork.lens.lens import Lens
from headwork.lens.places import only_places
from headwork.lens.prefix import Prefix
from headwork.options import require
from headwork.relevance.gradient import frozen
from headwork.shapes import HeadVectors, Maps, Site, Vectors

RULES = ("gauss", "right", "left", "midpoint")
PRECISIONS = ("fp32", "bf16")
Answers = Float[Tensor, " batch"]
Rows = Int[Tensor, " batch"]


class Target(NamedTuple):
    """What is attributed: `of` makes a number of the model's output for each row of it.

    It gets the output and, for each row, the number of its text in the batch that was given. `places` are those of the
    last encoder layer that it reads (None: it may read all): of others it may get no last hidden states.
    """

    of: Callable[[Any, Rows], Answers]
    places: tuple[int, ...] | None = None


@dataclass(frozen=True)
class AttributionSettings:
    """How the integral is taken.

    `rule` with `steps` nodes. A layer of a text is taken again with twice the nodes, `most` at most, as long as what is
    missing to completeness is more than `tolerance` times |F(A) - F(0)| and more than `negligible`; only ``gauss`` is.
    `at_once`: copies of texts in one pass, one for each text and node; more cost memory and save no time on a CPU.
    `precision` bf16: passes under autocast, the products of the maps in single precision.
    """

    rule: str = "gauss"
    steps: int = 5
    tolerance: float = 0.02
    negligible: float = 1e-4
    most: int = 40
    at_once: int = 8
    precision: str = "fp32"

    def __post_init__(self) -> None:
        require(self.rule in RULES, f"attribution: unknown rule '{self.rule}'; known are {', '.join(RULES)}")
        for name in ("steps", "at_once"):
            require(
                getattr(self, name) > 0, f"attribution: {name} is {getattr(self, name)}; it must be 1 or more"
            )
        require(
            self.precision in PRECISIONS,
            f"attribution: precision is '{self.precision}'; it must be fp32 or bf16",
        )


class Attribution(NamedTuple):
    """Of one site: the attribution of each weight, F(A) - F(0), what Σ Attr lacks of it, and the nodes taken."""

    site: Site
    maps: Maps
    change: Answers
    missing: Answers
    steps: list[int]


def nodes(rule: str, steps: int) -> tuple[list[float], list[float]]:
    """Places α in [0, 1] and weights, which sum to 1, of a quadrature."""
    if rule == "gauss":
        places, weights = np.polynomial.legendre.leggauss(steps)
        return ((places + 1) / 2).tolist(), (weights / 2).tolist()
    shift = {"right": 1.0, "left": 0.0, "midpoint": 0.5}[rule]
    return [(k + shift) / steps for k in range(steps)], [1 / steps] * steps


def attributions(
    model: nn.Module,
    inputs: Mapping[str, Tensor],
    target: Target,
    sites: Iterable[Site] | None = None,
    settings: AttributionSettings | None = None,
) -> Iterator[Attribution]:
    """The attribution of every weight of these sites (default: all), site by site, for a batch of texts.

    The model is put in evaluation mode, and its parameters get no gradient. Raises InputError for a site that the
    model has not.
    """
    settings = settings or AttributionSettings()
    model.eval()
    with Lens(model) as lens, frozen(model):
        wanted = list(lens.anatomy.sites if sites is None else sites)
        for site in wanted:
            lens.anatomy.part(site)
        one = _OnePass(lens, inputs, target, settings)
        for site in wanted:
            yield one.attribution(site)


class _Seen(NamedTuple):
    """A site's maps, values and output, of all texts."""

    maps: Maps
    value: HeadVectors
    output: Vectors


class _OnePass:
    """A batch that the model has read once, and what it gave at every site."""

    def __init__(
        self, lens: Lens, inputs: Mapping[str, Tensor], target: Target, settings: AttributionSettings
    ) -> None:
        self.lens, self.inputs, self.target, self.settings = lens, inputs, target, settings
        self.prefix = Prefix(lens.model)
        looks: dict[Site, list[Attended]] = {}
        outputs: dict[nn.Module, Vectors] = {}

        def keep(attended: Attended) -> None:
            looks.setdefault(attended.site, []).append(attended)

        def keep_output(module: nn.Module, given: tuple[Tensor, ...], output: Vectors) -> None:
            outputs[module] = output

        sites = lens.anatomy.sites
        hooks = [part.output.register_forward_hook(keep_output) for part in sites.values()]
        try:
            with torch.no_grad(), self.prefix.recording(), lens.observing(keep):
                # recorded whole: the layers above a site are computed anew, from what the layer below it gave
                found = lens.model(**inputs)
        finally:
            for hook in hooks:
                hook.remove()
        first = next(iter(inputs.values()))
        self.whole = target.of(found, torch.arange(len(first), device=first.device)).float()
        self.seen = {
            site: _Seen(
                torch.cat([each.weights for each in parts]),
                torch.cat([each.value for each in parts]),
                outputs[sites[site].output],
            )
            for site, parts in looks.items()
        }

    def attribution(self, site: Site) -> Attribution:
        """With more nodes for the texts that are not complete."""
        maps, value, _ = self.seen[site]
        texts = len(maps)
        pending = torch.arange(texts, device=maps.device)
        change = self.whole - self._answers(site, pending, [0.0], grad=False)[0][:, 0]
        found = torch.zeros_like(maps)
        missing, taken = torch.zeros_like(change), [0] * texts
        steps = self.settings.steps
        while len(pending):
            places, weights = nodes(self.settings.rule, steps)
            gradient = self._gradient(site, pending, places, weights)
            by_context = torch.einsum("bio,ohd->bhid", gradient, self.lens.anatomy.part(site).output_weight())
            own = maps[pending] * (by_context @ value[pending].mT)
            found[pending] = own
            missing[pending] = change[pending] - own.sum((1, 2, 3))
            for text in pending.tolist():
                taken[text] = steps
            steps *= 2
            if self.settings.rule != "gauss" or steps > self.settings.most:
                break
            bound = (self.settings.tolerance * change.abs()).clamp_min(self.settings.negligible)
            pending = (missing.abs() > bound).nonzero()[:, 0]
        return Attribution(site, found, change, missing, taken)

    def _gradient(
        self, site: Site, texts: Tensor, places: Sequence[float], weights: Sequence[float]
    ) -> Vectors:
        """Σ_k w_k ∂F/∂o at what the nodes' maps give."""
        size = max(1, self.settings.at_once // len(texts))
        total = torch.zeros_like(self.seen[site].output[texts])
        for start in range(0, len(places), size):
            some = slice(start, start + size)
            answers, given, read = self._answers(site, texts, places[some], grad=True)
            (gradient,) = torch.autograd.grad(answers.sum(), given)
            shares = torch.tensor(weights[some], device=gradient.device).view(1, -1, 1, 1)
            total[:, read] += (gradient.float().unflatten(0, (len(texts), -1)) * shares).sum(1)
        return total

    def _answers(
        self, site: Site, texts: Tensor, places: Sequence[float], grad: bool
    ) -> tuple[Float[Tensor, "batch node"], Tensor, slice | list[int]]:
        """F of each text at each node, and what it depends on.

        That is the site's output (batch x node, time, hidden), of all places or of those that are read.
        """
        rows = texts.repeat_interleave(len(places))
        inputs = {name: tensor.index_select(0, rows) for name, tensor in self.inputs.items()}
        scale = torch.tensor(places, device=texts.device).repeat(len(texts))[:, None, None]
        half = self.settings.precision == "bf16"
        output = self.lens.anatomy.part(site).output
        with (
            torch.set_grad_enabled(grad),
            self.prefix.up_to(site, rows),
            only_places(self.lens.model, self.target.places) as last,
            torch.autocast(self.whole.device.type, torch.bfloat16) if half else nullcontext(),
        ):
            read = list(self.target.places) if site == last else slice(None)
            bias = 0 if output.bias is None else output.bias
            given = (bias + scale * (self.seen[site].output[rows] - bias))[:, read].requires_grad_(grad)
            with computing({output: giving(given)}):
                answers = self.target.of(self.lens.model(**inputs), rows).float()
        return answers.unflatten(0, (len(texts), -1)), given, read
