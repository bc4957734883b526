"""Points of a line through a layer normalisation and the linear map after it, at the cost of two points.

The output of attention is first normalised and then mapped linearly: into the feed-forward layer, or into the queries
of the next attention. For states s(α) = s(0) + α d, normalised with gain g and bias b,

    W LN(s(α)) + b_W = (u + α v) / σ(α) + W b + b_W          u = W (g ⊙ centred s(0)),  v = W (g ⊙ centred d)
    σ(α)² = |centred s(0) + α centred d|² / n + ε

so W is applied to two vectors instead of to every point, and in the backward pass Wᵀ to gradients with respect to u,
which are summed over the points first. This saves half of the work of a feed-forward layer. It is exact up to rounding.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import linear

from headwork.sites import Vectors

TextVectors = Float[Tensor, "text time _"]


class Reading(NamedTuple):
    """The consumers of a module's output: a normalisation of the states that include it, and a linear map."""

    norm: nn.LayerNorm
    linear: nn.Linear
    states: Vectors


@contextmanager
def seeing_readings(model: nn.Module, modules: Collection[nn.Module]) -> Iterator[dict[nn.Module, Reading]]:
    """Record the consumers of these modules' outputs in the passes inside the block; the last pass is kept.

    The consumer is the first layer normalisation after a module, if its output goes directly into a linear map.
    """
    found: dict[nn.Module, Reading] = {}
    source: nn.Module | None = None
    normed: tuple[nn.LayerNorm, Vectors, Vectors] | None = None

    def see(module: nn.Module, given: tuple[Tensor, ...], output: Tensor) -> None:
        nonlocal source, normed
        if module in modules:
            source, normed = module, None
        elif source is None:
            return
        elif normed is None:
            fits = isinstance(module, nn.LayerNorm) and module.bias is not None and output.ndim == 3
            normed = (module, given[0], output) if fits else None
        elif given[0] is normed[2]:
            found[source] = Reading(normed[0], module, normed[1])
            source, normed = None, None

    hooks = [
        module.register_forward_hook(see)
        for module in model.modules()
        if module in modules or isinstance(module, nn.LayerNorm | nn.Linear)
    ]
    try:
        yield found
    finally:
        for hook in hooks:
            hook.remove()


class Line:
    """A line for each text, s(0) + α d, from its recorded point at α = 1."""

    def __init__(self, reading: Reading, end: TextVectors, direction: TextVectors) -> None:
        self.norm, self.linear, self.direction = reading.norm, reading.linear, direction
        self.start = end - direction
        self.constant = linear(self.norm.bias, self.linear.weight, self.linear.bias)
        self.from_start = self._mapped(self.start)
        self.from_direction = self._mapped(direction)

    def _mapped(self, vectors: TextVectors) -> TextVectors:
        return linear(self.norm.weight * _centred(vectors), self.linear.weight)

    def gradient(self, by_mapped: TextVectors) -> TextVectors:
        """Return the gradient with respect to s(0), from that with respect to the u of `at`."""
        return _centred(self.norm.weight * (by_mapped @ self.linear.weight))

    def at(
        self, points: Float[Tensor, " point"], shift: TextVectors, mapped: TextVectors
    ) -> Mapping[nn.Module, Callable[..., Any]]:
        """Return forward functions of the normalisation and the linear map, for passes with rows text x point.

        The map's output depends on `shift`, zeros added to s(0), through σ alone, and on `mapped`, which is u:
        `from_start` itself or a separate leaf. States whose first row is not on the line are processed normally.
        """
        norm_as_ever, linear_as_ever = self.norm.forward, self.linear.forward
        on_line: Tensor | None = None

        def normalise(states: Vectors) -> Vectors:
            nonlocal on_line
            output = norm_as_ever(states)
            expected = self.start[0] + points[0] * self.direction[0]
            same = states.shape[1:] == expected.shape and torch.allclose(
                states[0], expected, rtol=1e-3, atol=1e-3 * float(expected.std())
            )
            on_line = output if same else None
            return output

        def apply(given: Vectors) -> Tensor:
            if given is not on_line:
                return linear_as_ever(given)
            scale = points[:, None]
            # in double precision, since the three products of the square may cancel
            start, step = (_centred(each).double()[:, None] for each in (self.start + shift, self.direction))
            squares = (start**2).sum(-1) + 2 * scale * (start * step).sum(-1) + scale**2 * (step**2).sum(-1)
            inverse = (squares / step.shape[-1] + self.norm.eps).rsqrt().to(given.dtype)
            mixed = torch.addcmul(mapped[:, None], scale[..., None], self.from_direction[:, None])
            return torch.addcmul(self.constant, inverse[..., None], mixed).flatten(0, 1)

        return {self.norm: normalise, self.linear: apply}


def _centred(vectors: TextVectors) -> TextVectors:
    return vectors - vectors.mean(-1, keepdim=True)
