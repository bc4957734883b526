"""Self-attention attribution: contribution of each attention weight to a prediction (Hao et al. 2021, section 3).

For one layer with maps A (all heads of the layer together, other layers unchanged),

    Attr_h = A_h ⊙ ∫_0^1 ∂F(αA)/∂A_h dα

where F is the probability of one label: integrated gradients (Sundararajan et al. 2017) from maps of zeros to the
actual maps. They are complete: Σ_hij Attr_h[i, j] = F(A) - F(0).

A context is linear in its map, c_h(α) = α A_h V_h, so that no map has to be scaled or to be in the graph:

    ∂F(αA)/∂A_h [i, j] = ⟨∂F/∂c_h[i], V_h[j]⟩

at every α. So is the output of the projection, o(α) = b + α (o(1) - b); a quadrature node needs only this vector, and
∂F/∂c_h = W_Ohᵀ ∂F/∂o. Gradients with respect to o are summed over the nodes first, and then multiplied with W_O and
with the values to give the map. Layers below this one are computed once (`headwork.lens.prefix`), parameters are
frozen, the last layer is computed only for the positions that the target uses (`headwork.lens.last_layer`), and the
first linear map behind the site is applied to the line that o(α) runs along, not to every node
(`headwork.relevance.attributions.line`).

The paper's sum has right nodes k/m for k = 1..m, its code left ones. Gauss-Legendre nodes are exact for polynomials of
degree 2m - 1, so that few suffice if F is smooth along the path; otherwise more are used, until the completeness error
is small.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from headwork.lens.attention import Attended
from headwork.lens.forwards import computing, giving
from headwork.lens.last_layer import only_places
from headwork.lens.lens import Lens
from headwork.lens.prefix import Prefix
from headwork.relevance.attributions.line import Line, seeing_readings
from headwork.relevance.propagation.gradient import frozen
from headwork.settings.relevance import AttributionSettings, Quadrature
from headwork.sites import HeadVectors, Maps, Site, Vectors

Answers = Float[Tensor, " batch"]
Rows = Int[Tensor, " batch"]


class Target(NamedTuple):
    """The attributed quantity: `of` maps the model's output to a number for each row.

    It receives the output and, for each row, the index of its text in the batch. `places` are the positions of the last
    encoder layer that it uses (None: all); last hidden states at others may be missing.
    """

    of: Callable[[Any, Rows], Answers]
    places: tuple[int, ...] | None = None


class Attribution(NamedTuple):
    """One site's attribution of each weight, F(A) - F(0), its difference from Σ Attr, and the number of nodes."""

    site: Site
    maps: Maps
    change: Answers
    missing: Answers
    steps: list[int]


def nodes(rule: Quadrature, steps: int) -> tuple[list[float], list[float]]:
    """Return nodes α in [0, 1] and weights, which sum to 1, of a quadrature."""
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

    The model is set to evaluation mode, and its parameters have no gradient. Raises InputError for a site that the
    model lacks, and for a model whose layers share their weights.
    """
    settings = settings or AttributionSettings()
    model.eval()
    with Lens(model) as lens, frozen(model):
        lens.anatomy.refuse_shared("attribution")
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
    """One forward pass over a batch, with its outputs at every site."""

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
        modules = {part.output for part in sites.values()}
        hooks = [module.register_forward_hook(keep_output) for module in modules]
        try:
            with (
                torch.no_grad(),
                self.prefix.recording(),
                lens.observing(keep),
                seeing_readings(lens.model, modules) as self.readings,
            ):
                # recorded whole: the layers above a site are computed again from the output of the layer below it
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
        """Return the attribution at a site, with more nodes for texts that are not complete."""
        maps, value, _ = self.seen[site]
        texts = len(maps)
        pending = torch.arange(texts, device=maps.device)
        path = _Path(self, site, pending)
        change = self.whole - path.at_zero()
        found = torch.zeros_like(maps)
        missing, taken = torch.zeros_like(change), [0] * texts
        steps = self.settings.steps
        while True:
            gradient = path.gradient(*nodes(self.settings.rule, steps))
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
            if not len(pending):
                break
            path = _Path(self, site, pending)
        return Attribution(site, found, change, missing, taken)


class _Path:
    """The path from a site's output under zero attention to its actual output, for some texts of the batch."""

    def __init__(self, one: _OnePass, site: Site, texts: Tensor) -> None:
        self.one, self.site, self.texts = one, site, texts
        self.output = one.lens.anatomy.part(site).output
        self.whole = one.seen[site].output[texts]
        with only_places(one.lens.model, one.target.places) as last:
            self.read = list(one.target.places) if site == last else slice(None)
        self.zero = 0 if self.output.bias is None else self.output.bias
        self.direction = (self.whole - self.zero)[:, self.read]
        reading = one.readings.get(self.output)
        # under autocast u + α v would be a sum of already rounded numbers
        self.line = (
            Line(reading, reading.states[texts][:, self.read], self.direction)
            if reading and one.settings.precision == "fp32"
            else None
        )

    def at_zero(self) -> Answers:
        """F(0)."""
        with torch.no_grad():
            return self._answers([0.0], *self._depended_on())[:, 0]

    def gradient(self, places: Sequence[float], weights: Sequence[float]) -> Vectors:
        """Return Σ_k w_k ∂F/∂o at the nodes."""
        size = max(1, self.one.settings.at_once // len(self.texts))
        sums = [torch.zeros_like(each) for each in self._depended_on()]
        for start in range(0, len(places), size):
            some = slice(start, start + size)
            leaves = [each.requires_grad_() for each in self._depended_on()]
            answers = self._answers(places[some], *leaves)
            shares = torch.tensor(weights[some], device=answers.device)
            # states that are not on the line do not use its linear map
            gradients = torch.autograd.grad((shares * answers).sum(), leaves, materialize_grads=True)
            for total, gradient in zip(sums, gradients, strict=True):
                total += gradient
        found = torch.zeros_like(self.whole)
        found[:, self.read] = sums[0] + (self.line.gradient(sums[1]) if self.line else 0)
        return found

    def _depended_on(self) -> list[Tensor]:
        """Return the leaves for gradients: a shift (zeros) of the site's output at all nodes, and the line's linear
        map.
        """
        shift = torch.zeros_like(self.direction)
        return [shift, self.line.from_start.detach()] if self.line else [shift]

    def _answers(
        self, places: Sequence[float], shift: Vectors, mapped: Tensor | None = None
    ) -> Float[Tensor, "text node"]:
        """F of each text at each node."""
        model, target, half = self.one.lens.model, self.one.target, self.one.settings.precision == "bf16"
        rows = self.texts.repeat_interleave(len(places))
        inputs = {name: tensor.index_select(0, rows) for name, tensor in self.one.inputs.items()}
        points = torch.tensor(places, device=rows.device)
        given = (self.zero + shift)[:, None] + points[:, None, None] * self.direction[:, None]
        with (
            self.one.prefix.up_to(self.site, rows),
            only_places(model, target.places),
            torch.autocast(rows.device.type, torch.bfloat16) if half else nullcontext(),
            computing({self.output: giving(given.flatten(0, 1))}),
            computing(self.line.at(points, shift, mapped) if self.line else {}),
        ):
            answers = target.of(model(**inputs), rows).float()
        return answers.unflatten(0, (len(self.texts), -1))
