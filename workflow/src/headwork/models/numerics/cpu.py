"""What makes training on a CPU faster: cheaper dropout and attention, subnormals taken as 0, and few kernels kept.

Dropout. Drawing the masks is a sixth of the training time of a small Transformer. Torch draws one number per entry;
here one 64-bit number serves four entries, so that rates are multiples of 2^-16 (0.1 becomes 0.100006). The scale is
that of the rate as drawn: the mean is exact.

Attention of separate operations has a faster backward pass than torch's fused one. The maps of a batch are kept in
memory, which is small for sentences. Forward and backward in milliseconds on one core with AVX512-BF16 (torch 2.13;
masked, no dropout):

    sentences x heads x tokens x head_dim     fused: fp32  bf16     separate: fp32  bf16
    40 x 8 x 25 x 16                                  3.6  20.8                2.5   5.0
    40 x 8 x 25 x 64                                  9.0  25.3                8.4   7.0
    10 x 8 x 100 x 64                                15.0  32.2               16.9   9.5

Subnormals (below 1.2e-38 in single precision) are computed with far more slowly. The weights of a closed head have no
gradient, so Muon's momentum of them shrinks by a factor of 0.95 per update, and its iteration multiplies up to five
such numbers. Pruning of 80 heads to 10 (6 + 2 layers of width 256, one core with AMX, torch 2.13) took 1.2 s per update
at first and 5.8 s after 1,000 updates; with subnormals taken as 0, 1.2 s.

Kernels. oneDNN makes one, about a megabyte, for each new shape of a product in bf16. Its cache and that of torch's
bindings each keep 1,024 of them, although a batch needs about fifty and the next one, of other lengths, others. Peak
MiB (six layers of width 256, batches of 8,000 tokens, one core with AMX, torch 2.13):

    updates                20       30       40       60    3,000
    1,024 kernels       4,223    4,862                     14,756
    128 kernels         3,605             3,778    3,778

CPU time is the same; with batches of 2,000 tokens, whose shapes recur more often, it is 6 % more.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import torch
from torch import Tensor
from torch.nn import functional

from headwork.lens.attention import SharedVectors, attention_weights
from headwork.sites import HeadVectors

STEPS = 2**16
KERNELS = 128
# of oneDNN's own cache, and of that of torch's bindings
VARIABLES = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY")


@contextmanager
def replaced(name: str, function: Callable[..., Tensor]) -> Iterator[None]:
    """Within, that function of `torch.nn.functional` is another, for all that call it there by its module."""
    usual = getattr(functional, name)
    setattr(functional, name, function)
    try:
        yield
    finally:
        setattr(functional, name, usual)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """As `torch.nn.functional.dropout`, for rates from 0 to below 1; `inplace` is ignored."""
    dropped = round(p * STEPS)
    if not training or dropped == 0:
        return input
    numbers = torch.empty((input.numel() + 3) // 4, dtype=torch.int64, device=input.device)
    entries = numbers.random_(-(2**63), None).view(torch.int16)[: input.numel()].view(input.shape)
    kept = (entries >= dropped - STEPS // 2).to(input.dtype)
    return input * kept.mul_(STEPS / (STEPS - dropped))


def cheap_dropout() -> AbstractContextManager[None]:
    """Within, `transformers` takes the dropout above."""
    return replaced("dropout", dropout)


def attention(
    query: HeadVectors,
    key: SharedVectors,
    value: SharedVectors,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> HeadVectors:
    """As `torch.nn.functional.scaled_dot_product_attention`; masks are true where a key may be attended, or added.

    With `enable_gqa` keys and values have fewer heads than queries, each shared by as many.
    """
    if enable_gqa:
        shared_by = query.shape[1] // key.shape[1]
        key, value = (tensor.repeat_interleave(shared_by, dim=1) for tensor in (key, value))
    weights = attention_weights(query, key, attn_mask, scale, is_causal)
    return functional.dropout(weights, dropout_p) @ value


def plain_attention() -> AbstractContextManager[None]:
    """Within, `transformers` takes the attention above."""
    return replaced("scaled_dot_product_attention", attention)


@contextmanager
def flushed_subnormals() -> Iterator[None]:
    """Within, subnormals are 0 in this thread, and in threads that start within.

    Torch's threads start with its first parallel operation. Without effect on a processor that cannot do this.
    """
    before = bool(torch.tensor(1e-38).mul(0.1) == 0)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


def keep_few_kernels() -> None:
    """Bound both caches, unless the environment does; without effect in a process that has made such a kernel."""
    for variable in VARIABLES:
        os.environ.setdefault(variable, str(KERNELS))
