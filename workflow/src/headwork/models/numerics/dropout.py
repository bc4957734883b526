"""Dropout that takes four mask entries from every 64-bit random number.

On a CPU, drawing the masks is a sixth of the training time of a small Transformer. Torch draws one number per
entry; here one number serves four entries, so that rates are multiples of 2^-16 (0.1 becomes 0.100006). The
scale is that of the rate as drawn: the mean is exact.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor
from torch.nn import functional

STEPS = 2**16


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """As `torch.nn.functional.dropout`, for rates from 0 to below 1; `inplace` is ignored."""
    dropped = round(p * STEPS)
    if not training or dropped == 0:
        return input
    numbers = torch.empty((input.numel() + 3) // 4, dtype=torch.int64, device=input.device)
    entries = numbers.random_(-(2**63), None).view(torch.int16)[: input.numel()].view(input.shape)
    kept = (entries >= dropped - STEPS // 2).to(input.dtype)
    return input * kept.mul_(STEPS / (STEPS - dropped))


@contextmanager
def cheap_dropout() -> Iterator[None]:
    """Within, `torch.nn.functional.dropout` (which `transformers` calls) is the one above."""
    usual = functional.dropout
    functional.dropout = dropout
    try:
        yield
    finally:
        functional.dropout = usual
