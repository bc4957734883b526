"""Linear layers with products in bf16 and all else in single precision, for training on a CPU.

Most of a narrow model's work is products with its weights, which a CPU with AVX512-BF16 computes in half the time.
Autocast also converts attention and other small operations, without gain. On a CPU each new product shape costs as much
as several products, so here rows are padded to few different numbers. Milliseconds a step on one core with AVX512-BF16
(torch 2.13, width 128, 1000 tokens a batch; BERT gains by its wide output, which has few shapes):

                                             fp32   autocast   products
    translation, 3 + 1 layers                  68         58         51
    translation, 3 + 2 layers with gates       82         96         66
    BERT, 4 layers                             76         53         60

Weights, their gradients and the optimiser's sums stay in single precision.
"""

from contextlib import AbstractContextManager

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from headwork.models.numerics.cpu import replaced

ROWS = 128  # rows are padded to a multiple of this number

Padded = Float[Tensor, "row size"]


class _Product(torch.autograd.Function):
    """x W^T + b, and of its gradient G: G W for x, G^T x for W, and the sum of G's rows for b."""

    @staticmethod
    def forward(ctx, inputs: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        rows, half = _rows(inputs), weight.to(torch.bfloat16)
        ctx.save_for_backward(rows, half)
        product = _first(rows @ half.t(), inputs)
        return product if bias is None else product.add_(bias)

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        rows, half = ctx.saved_tensors
        for_inputs, for_weight, for_bias = ctx.needs_input_grad
        padded = _rows(gradient)
        return (
            _first(padded @ half, gradient) if for_inputs else None,
            (padded.t() @ rows).float() if for_weight else None,
            gradient.flatten(0, -2).sum(0) if for_bias else None,
        )


def _rows(inputs: Float[Tensor, "*batch size"]) -> Padded:
    """The vectors as rows in bf16, and rows of zeros after them up to a multiple of `ROWS`."""
    vectors = inputs.reshape(-1, inputs.shape[-1])
    number = len(vectors)
    rows = vectors.new_empty(-(-number // ROWS) * ROWS, vectors.shape[1], dtype=torch.bfloat16)
    rows[:number] = vectors
    rows[number:] = 0.0
    return rows


def _first(rows: Padded, like: Float[Tensor, "*batch _"]) -> Float[Tensor, "*batch size"]:
    """As many of the rows as there are vectors in `like`, in single precision and in their shape."""
    return rows[: like.shape[:-1].numel()].float().view(*like.shape[:-1], -1)


def linear(inputs: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """As `torch.nn.functional.linear`; no gradients of gradients."""
    return _Product.apply(inputs, weight, bias)


_usual = functional.linear


def _where_gradients_are_taken(inputs: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    return (linear if torch.is_grad_enabled() else _usual)(inputs, weight, bias)


def bf16_products() -> AbstractContextManager[None]:
    """Within, `torch.nn.Linear` takes the product above where gradients are taken.

    Where none are, as on dev, all is in single precision.
    """
    return replaced("linear", _where_gradients_are_taken)


def in_bf16() -> bool:
    """Whether products with weights are taken in bf16 here."""
    return functional.linear is _where_gradients_are_taken and torch.is_grad_enabled()
