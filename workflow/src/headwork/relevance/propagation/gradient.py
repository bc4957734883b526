"""Relevance as gradient times input, with the gradients of some operations replaced (AttnLRP: Achtibat et al. 2024).

In a network of linear layers and sums the epsilon rule without epsilon, its bias a neuron, is the gradient of the logit
times the input. It stays so if every other operation's gradient is that of its rule:

    activation function     identity rule: gradient f(x) / x
    layer normalisation     the deviation is taken as constant (`detach_std`), or the whole of it (`identity`)
    attention               the weights are taken as constant, or (`full`) a product of two inputs gives each one half,
                            and softmax its own gradient (their propositions 3.1 to 3.3)

so that one backward pass carries relevance to all heads, in a frozen model at about the cost of a second forward pass.
Powers, and products of two vectors that both carry relevance, have no rule: an activation composed of them (`gelu_new`)
would count relevance several times and is rejected. The implementation shares nothing with
`headwork.relevance.propagation.rules`, so that each can check the other.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from headwork.errors import InputError

# Number of arguments through which relevance passes: one for a product whose other factor is a gate or a scale.
FACTORS = {"mul": 1, "imul": 1, "multiply": 1, "pow": 0, "ipow": 0, "square": 0}

# Activations implemented as one function. Piecewise linear ones through 0 (ReLU, leaky ReLU) have gradient f(x) / x.
ACTIVATIONS = (
    *(
        functional.gelu,
        functional.silu,
        functional.mish,
        functional.hardswish,
        functional.relu6,
        functional.hardtanh,
    ),
    *(functional.elu, functional.selu, functional.celu, functional.softplus),
    *(torch.tanh, torch.sigmoid, Tensor.tanh, Tensor.sigmoid),
)


class RelevanceGradients(TorchFunctionMode):
    """Mode in which operations have the gradients for which gradient times input is relevance."""

    def __init__(self, layernorm: str, attention: str) -> None:
        super().__init__()
        normalise = {"detach_std": _normalise_by_constant, "identity": _as_scale(functional.layer_norm)}
        self._replaced: dict[Callable[..., Any], Callable[..., Any]] = {
            functional.layer_norm: normalise[layernorm],
            functional.scaled_dot_product_attention: _shares_of_attention(attention == "constant"),
            **{activation: _as_scale(activation) for activation in ACTIVATIONS},
        }

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run a torch function, with another gradient if it has one. Raises `InputError` for products and powers."""
        name = getattr(function, "__name__", "").strip("_")
        followed = sum(isinstance(each, Tensor) and each.requires_grad for each in args)
        if name in FACTORS and followed > FACTORS[name]:
            raise InputError(
                f"no rule says how relevance passes through {name}; gradient times input needs an activation that is "
                "one function, such as gelu"
            )
        return self._replaced.get(function, function)(*args, **(kwargs or {}))


@contextmanager
def frozen(model: nn.Module) -> Iterator[None]:
    """No parameter needs a gradient inside the block."""
    needed = [parameter for parameter in model.parameters() if parameter.requires_grad]
    try:
        for parameter in needed:
            parameter.requires_grad_(False)
        yield
    finally:
        for parameter in needed:
            parameter.requires_grad_()


class _Scale(torch.autograd.Function):
    """y = f(x) treated as x times a constant: its gradient is y / x, and 0 where x is 0."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        ctx.save_for_backward(x, y)
        return y.view_as(y)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        x, y = ctx.saved_tensors
        return gradient * torch.where(x == 0, 0, y / x), None


class _NormaliseByConstant(torch.autograd.Function):
    """Layer normalisation whose deviation is taken as constant."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, shape: Sequence[int], weight: Tensor, bias: Tensor | None, eps: float
    ) -> Tensor:
        y, _, inverse_deviation = torch.native_layer_norm(x, shape, weight, bias, eps)
        ctx.save_for_backward(weight, inverse_deviation)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        weight, inverse_deviation = ctx.saved_tensors
        gradient = gradient * weight
        gradient -= gradient.mean(-1, keepdim=True)
        return gradient.mul_(inverse_deviation), None, None, None, None


class _Part(torch.autograd.Function):
    """x, with a part of its gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, share: float) -> Tensor:
        ctx.share = share
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient * ctx.share, None


def _as_scale(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def apply(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return _Scale.apply(x, function(x.detach(), *args, **kwargs))

    return apply


def _normalise_by_constant(
    x: Tensor, shape: Sequence[int], weight: Tensor, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    return _NormaliseByConstant.apply(x, shape, weight, bias, eps)


def _shares_of_attention(constant: bool) -> Callable[..., Tensor]:
    def attend(query: Tensor, key: Tensor, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if constant:
            query, key = query.detach(), key.detach()
        else:
            # half of the product's relevance to the weights; half of the scores' to each of query and key
            query, key, value = _Part.apply(query, 0.25), _Part.apply(key, 0.25), _Part.apply(value, 0.5)
        return functional.scaled_dot_product_attention(query, key, value, *args, **kwargs)

    return attend
