"""The rules that divide the relevance of an operation's output among its inputs, for all steps at once.

z_ji is what input i contributes to output j: the derivative times the input. R_j is the relevance of output j.

alpha-beta  (Bach et al. 2015, equation 60; the authors' later code)

    R_i = Σ_j R_j [ alpha z⁺_ji / (Σ_i z⁺_ji + epsilon) + (1 - alpha) z⁻_ji / (Σ_i z⁻_ji - epsilon) ]

    where z⁺ and z⁻ are the positive and negative contributions. Both fractions are positive, so relevance never is
    negative. An output with contributions of one sign alone passes on only alpha or 1 - alpha of its relevance; so what
    arrives at the inputs of one place (in attention: of one head) is multiplied to sum to what left the outputs. The
    code does so but for an epsilon, with which places of little relevance lose some. It takes the projections to query,
    key and value for one operation; here they are three, as in the models.

epsilon     (Bach et al. 2015, equation 58; Ding et al. 2017 without epsilon)

    R_i = Σ_j R_j z_ji / (Σ_i z_ji ± epsilon)

For a linear layer neither needs the contributions one by one. With W x = Σ_i z_ji and |W| |x| = Σ_i |z_ji|,

    Σ_j z⁺_ji u_j = ½ (|x_i| Σ_j |W_ji| u_j + x_i Σ_j W_ji u_j),     and with a minus sign for |z⁻_ji|:

two matrix products for the sums and two for the relevance of each step. Only where a bias is spread over the inputs,
through the Jacobian of layer normalisation, and where an output's contributions are nearly all of one sign, are they
made one by one, a few places at a time.

The bias b_j is `spread` over all n inputs (z_ji + b_j / n), one more input `neuron` whose relevance is lost, or has no
part (`drop`).
"""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor
from torch.nn import functional

from headwork.relevance.propagation import attention as through
from headwork.relevance.propagation.attention import Attention, stabilised

# Numbers of contributions, or of relevance values, processed at a time, so that they stay in a core's cache.
CHUNK = {"cpu": 2**19}
CHUNK_ELSEWHERE = 2**26

# If contributions of one sign are less than this part of an output's, its place is worked on without the products.
LOPSIDED = 1e-3

# of some places and outputs: (place, output, input)
Contributions = Callable[[Tensor, slice], Tensor]


@runtime_checkable
class Rule(Protocol):
    """How relevance passes an operation. Inputs have any axes, relevance has the step axis in front of them."""

    bias: str

    def linear(self, x: Tensor, weight: Tensor, bias: Tensor | None, relevance: Tensor) -> Tensor:
        """Through weight x + bias; weight is (output, input), or has the axes of the places in front."""

    def add(self, one: Tensor, other: Tensor, relevance: Tensor) -> tuple[Tensor, Tensor]:
        """Through a sum, element by element."""

    def layer_norm(
        self, x: Tensor, weight: Tensor, bias: Tensor | None, epsilon: float, relevance: Tensor
    ) -> Tensor:
        """Through weight (x - mean) / deviation + bias over the last axis."""

    def attention(self, attention: Attention, relevance: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Through one attention, from its contexts to its queries, keys and values."""


class AlphaBeta:
    """The alpha-beta rule."""

    def __init__(self, alpha: float, epsilon: float, bias: str, layernorm: str, attention: str) -> None:
        self.alpha = alpha
        self.epsilon = epsilon
        self.bias = bias
        self.layernorm = layernorm
        self.constant_attention = attention == "constant"

    def linear(self, x: Tensor, weight: Tensor, bias: Tensor | None, relevance: Tensor) -> Tensor:
        """As `Rule.linear`."""
        if not x.shape[-1]:  # W_O of an attention without heads: only its bias is left
            return relevance.new_zeros(len(relevance), *x.shape)
        if weight.ndim > 2 or (self.bias == "spread" and bias is not None):
            return self._linear_one_by_one(x, weight, bias, relevance)
        size = weight.abs()
        amount, total = functional.linear(x.abs(), size), functional.linear(x, weight)
        sums = ((amount + total) / 2).clamp_min(0), ((amount - total) / 2).clamp_min(0)
        arrived = self._by_products(x, weight, size, sums, bias, relevance)
        # in the products a share of nearly nothing is a small difference of large numbers
        lopsided = (torch.minimum(*sums) < LOPSIDED * amount).any(-1)
        if lopsided.any():
            part = relevance[:, lopsided]
            arrived[:, lopsided] = self._linear_one_by_one(x[lopsided], weight, bias, part)
        return arrived

    def add(self, one: Tensor, other: Tensor, relevance: Tensor) -> tuple[Tensor, Tensor]:
        """As `Rule.add`."""
        more, less = (one.clamp_min(0), other.clamp_min(0)), ((-one).clamp_min(0), (-other).clamp_min(0))
        up, down = self._shares(sum(more), sum(less))
        shares = more[0] * up + less[0] * down, more[1] * up + less[1] * down

        def divide(given: Tensor) -> tuple[Tensor, Tensor]:
            parts = given * shares[0], given * shares[1]
            factor = _quotient(given.sum(-1), parts[0].sum(-1) + parts[1].sum(-1))[..., None]
            return parts[0].mul_(factor), parts[1].mul_(factor)

        to_one, to_other = zip(*map(divide, _some_steps(relevance)), strict=True)
        return torch.cat(to_one), torch.cat(to_other)

    def layer_norm(
        self, x: Tensor, weight: Tensor, bias: Tensor | None, epsilon: float, relevance: Tensor
    ) -> Tensor:
        """As `Rule.layer_norm`: by its Jacobian, or with the deviation or all of it taken as constant."""
        if self.layernorm == "identity":
            return relevance
        if self.layernorm == "detach_std":
            return self.linear(*_centring(x, weight, epsilon), bias, relevance)
        n = x.shape[-1]
        rows = x.reshape(-1, n)
        deviation = _deviation(rows, epsilon)
        normal = (rows - rows.mean(-1, keepdim=True)) / deviation
        slope = weight / deviation
        # z_ji = slope_j (δ_ji - 1/n - normal_j normal_i / n) x_i, and the bias if it is spread: a matrix of rank two
        # or three, and a diagonal
        left = [-slope / n, -slope * normal / n]
        right = [rows, rows * normal]
        if self.bias == "spread" and bias is not None:
            left.append((bias / n).expand_as(rows))
            right.append(torch.ones_like(rows))
        left, right = torch.stack(left, -1), torch.stack(right, -2)
        diagonal = slope * rows

        def contributions(places: Tensor, units: slice) -> Tensor:
            z = left[places, units] @ right[places]
            z.diagonal(units.start, -2, -1).add_(diagonal[places, units])
            return z

        return self._one_by_one(contributions, x, bias, relevance)

    def attention(self, attention: Attention, relevance: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As `Rule.attention`: what arrives from one head in one sentence sums to what left it."""
        parts = through.by_sign(attention, relevance, self.alpha, self.epsilon, self.constant_attention)
        arrived = sum(part.sum((-2, -1)) for part in parts)
        factor = _quotient(relevance.sum((-2, -1)), arrived)[..., None, None]
        return tuple(part.mul_(factor) for part in parts)

    def _shares(self, positive: Tensor, negative: Tensor) -> tuple[Tensor, Tensor]:
        """By what a positive and a (positively counted) negative contribution are multiplied."""
        return self.alpha / (positive + self.epsilon), (1 - self.alpha) / (negative + self.epsilon)

    def _neuron(self, bias: Tensor | None) -> Tensor | None:
        return bias if self.bias == "neuron" else None

    def _by_products(
        self,
        x: Tensor,
        weight: Tensor,
        size: Tensor,
        sums: tuple[Tensor, Tensor],
        bias: Tensor | None,
        relevance: Tensor,
    ) -> Tensor:
        """A linear layer by two products: `size` is |weight|, `sums` those of positive and negative contributions."""
        bias = self._neuron(bias)
        up, down = self._shares(*_with_bias(*sums, bias))
        absolute, sum_half, difference_half = x.abs(), (up + down) / 2, (up - down) / 2

        def divide(given: Tensor) -> Tensor:
            found = ((given * sum_half) @ size).mul_(absolute)
            found.addcmul_((given * difference_half) @ weight, x).clamp_min_(0)
            return _conserved(found, given.sum(-1), _lost(given, bias, up, down))

        return torch.cat([divide(given) for given in _some_steps(relevance)])

    def _linear_one_by_one(self, x: Tensor, weight: Tensor, bias: Tensor | None, relevance: Tensor) -> Tensor:
        """A linear layer by its contributions."""
        n = x.shape[-1]
        rows, matrices = x.reshape(-1, 1, n), weight.reshape(-1, *weight.shape[-2:])
        spread = None
        if bias is not None and self.bias == "spread":
            spread = (bias[..., None] / n).reshape(-1, weight.shape[-2], 1)

        def contributions(places: Tensor, units: slice) -> Tensor:
            matrix = _of(matrices, places)[:, units]
            if spread is None:
                return matrix * rows[places]
            return torch.addcmul(_of(spread, places)[:, units], matrix, rows[places])

        return self._one_by_one(contributions, x, bias, relevance)

    def _one_by_one(
        self, contributions: Contributions, x: Tensor, bias: Tensor | None, relevance: Tensor
    ) -> Tensor:
        """The rule for contributions that are made of a few places and outputs at a time, where there is relevance."""
        steps, inputs, outputs = len(relevance), x.shape[-1], relevance.shape[-1]
        given = relevance.reshape(steps, -1, outputs)
        reached = given.sum((0, 2)).nonzero()[:, 0]
        given = given.transpose(0, 1)[reached]
        bias = self._neuron(bias)
        if bias is not None:
            bias = bias.expand((*x.shape[:-1], outputs)).reshape(-1, outputs)
        found, few = given.new_zeros(len(reached), steps, inputs), _chunk(x.device, inputs * outputs)
        for places, left, arrived in zip(reached.split(few), given.split(few), found.split(few), strict=True):
            lost: Tensor | float = 0.0
            for start in range(0, outputs, size := _chunk(x.device, inputs)):
                units = slice(start, start + size)
                z = contributions(places, units)
                part = None if bias is None else bias[places, None, units]
                positive, total = z.relu().sum(-1)[:, None], z.sum(-1)[:, None]
                up, down = self._shares(*_with_bias(positive, (positive - total).clamp_min(0), part))
                # up z⁺ + down |z⁻| = up prelu(z) with the slope -down / up below zero
                shares = functional.prelu(z.view(1, -1, inputs), (-down / up).view(-1)).view(z.shape)
                arrived.baddbmm_(left[..., units] * up, shares)
                lost = lost + _lost(left[..., units], part, up, down)
            _conserved(arrived, left.sum(-1), lost)
        everywhere = relevance.new_zeros(steps, relevance[0, ..., 0].numel(), inputs)
        everywhere[:, reached] = found.transpose(0, 1)
        return everywhere.view(steps, *x.shape)


class Epsilon:
    """The epsilon rule; with layer normalisation whose deviation, or all of it, is taken as constant."""

    def __init__(self, epsilon: float, bias: str, layernorm: str, attention: str) -> None:
        self.epsilon = epsilon
        self.bias = bias
        self.layernorm = layernorm
        self.constant_attention = attention == "constant"

    def linear(self, x: Tensor, weight: Tensor, bias: Tensor | None, relevance: Tensor) -> Tensor:
        """As `Rule.linear`."""
        total = (weight @ x[..., None])[..., 0] if weight.ndim > 2 else functional.linear(x, weight)
        if bias is not None and self.bias != "drop":
            total = total + bias
        shared = relevance / stabilised(total, self.epsilon)
        back = (shared[..., None, :] @ weight)[..., 0, :] if weight.ndim > 2 else shared @ weight
        arrived = x * back
        if bias is not None and self.bias == "spread":
            arrived += (shared * bias).sum(-1, keepdim=True) / x.shape[-1]
        return arrived

    def add(self, one: Tensor, other: Tensor, relevance: Tensor) -> tuple[Tensor, Tensor]:
        """As `Rule.add`."""
        shared = relevance / stabilised(one + other, self.epsilon)
        return shared * one, shared * other

    def layer_norm(
        self, x: Tensor, weight: Tensor, bias: Tensor | None, epsilon: float, relevance: Tensor
    ) -> Tensor:
        """As `Rule.layer_norm`."""
        if self.layernorm == "identity":
            return relevance
        return self.linear(*_centring(x, weight, epsilon), bias, relevance)

    def attention(self, attention: Attention, relevance: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As `Rule.attention`."""
        return through.by_sum(attention, relevance, self.epsilon, self.constant_attention)


def _chunk(device: torch.device, numbers: int) -> int:
    """How many items of `numbers` numbers each to work on at a time."""
    return max(1, CHUNK.get(device.type, CHUNK_ELSEWHERE) // max(1, numbers))


def _some_steps(relevance: Tensor) -> tuple[Tensor, ...]:
    return relevance.split(_chunk(relevance.device, relevance[0].numel()))


def _of(tensor: Tensor, places: Tensor) -> Tensor:
    """What a tensor holds for these places, if it does not hold one thing for all."""
    return tensor if len(tensor) == 1 else tensor[places]


def _with_bias(positive: Tensor, negative: Tensor, bias: Tensor | None) -> tuple[Tensor, Tensor]:
    """Sums of contributions with the bias as one more input, if there is one."""
    if bias is not None:
        positive, negative = positive + bias.clamp_min(0), negative + (-bias).clamp_min(0)
    return positive, negative


def _lost(relevance: Tensor, bias: Tensor | None, up: Tensor, down: Tensor) -> Tensor | float:
    """The bias's part of the relevance of each place."""
    if bias is None:
        return 0.0
    return torch.linalg.vecdot(relevance, bias.clamp_min(0) * up + (-bias).clamp_min(0) * down)


def _conserved(arrived: Tensor, left: Tensor, lost: Tensor | float) -> Tensor:
    """What arrived at each place, times what makes it sum, with what was lost, to what left it."""
    return arrived.mul_(_quotient(left, arrived.sum(-1) + lost)[..., None])


def _quotient(left: Tensor, arrived: Tensor) -> Tensor:
    """left / arrived, and 0 where nothing arrived."""
    return torch.where(arrived > 0, left / arrived, 0)


def _deviation(x: Tensor, epsilon: float) -> Tensor:
    return (x.var(-1, unbiased=False, keepdim=True) + epsilon).sqrt()


def _centring(x: Tensor, weight: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Layer normalisation as a linear layer: its input over the deviation, and diag(weight) (I - 1/n)."""
    n = x.shape[-1]
    centring = torch.eye(n, dtype=x.dtype, device=x.device) - 1 / n
    return x / _deviation(x, epsilon), weight[:, None] * centring
