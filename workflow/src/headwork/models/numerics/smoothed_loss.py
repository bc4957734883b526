"""Label-smoothed cross-entropy of rows of states, with the output projection in it.

    loss = sum over tokens of  -(1 - e) log p(y) - e/V sum over v of log p(v),  divided by the number of tokens,

with smoothing e (0.1 in Vaswani et al. 2017) and vocabulary size V. The output projection and the loss are one
step, taken a few hundred rows at a time, that keeps the gradient instead of the logits: the table of logits,
by far the largest tensor of a small translation model, is never whole in memory.
"""

from collections.abc import Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor

from headwork.models.numerics.bf16_products import in_bf16

LOGITS_AT_ONCE = {"cpu": 2**22, "cuda": 2**26}

Rows = Float[Tensor, "token hidden"]
Embeddings = Float[Tensor, "vocabulary hidden"]
Targets = Int[Tensor, " token"]
Bias = Float[Tensor, " vocabulary"]


def smoothed_cross_entropy(
    rows: Rows,
    embeddings: Embeddings,
    targets: Targets,
    smoothing: float = 0.0,
) -> Float[Tensor, ""]:
    """The sum over tokens of the label-smoothed cross-entropy of softmax(rows @ embeddings^T), in nats.

    Differentiable in `rows` and `embeddings`. The three products are taken in the type of autocast, if there is one, or
    in bf16 within `bf16_products`; the rest is in single precision.
    """
    device, products = rows.device.type, rows.dtype
    if torch.is_autocast_enabled(device):
        products = torch.get_autocast_dtype(device)
    elif in_bf16():
        products = torch.bfloat16
    return _SmoothedCrossEntropy.apply(rows, embeddings, targets, smoothing, products)


class _SmoothedCrossEntropy(torch.autograd.Function):
    """d loss / d logits = softmax - (1 - e) onehot(y) - e/V: known as soon as the loss is, so computed with it."""

    @staticmethod
    def forward(
        ctx,
        rows: Rows,
        embeddings: Embeddings,
        targets: Targets,
        smoothing: float,
        dtype: torch.dtype,
    ) -> Tensor:
        device = rows.device.type
        for_rows, for_embeddings = ctx.needs_input_grad[:2]
        vocabulary = len(embeddings)
        total = torch.zeros((), device=rows.device)
        with torch.autocast(device, enabled=False):
            weight = embeddings.to(dtype)
            to_rows = torch.empty_like(rows) if for_rows else None
            to_embeddings = torch.zeros_like(embeddings) if for_embeddings else None
            for part in _parts(rows, vocabulary):
                some = rows[part].to(dtype)
                truth = (torch.arange(len(some), device=rows.device), targets[part])
                logits = (some @ weight.t()).float()
                highest = logits.amax(dim=1, keepdim=True)
                logits.sub_(highest)
                total -= (1 - smoothing) * logits[truth].sum()
                if smoothing:
                    total -= smoothing / vocabulary * logits.sum()
                normaliser = logits.exp_().sum(dim=1, keepdim=True)
                total += normaliser.log().sum()
                if for_rows or for_embeddings:
                    gradient = logits.div_(normaliser)
                    if smoothing:
                        gradient.sub_(smoothing / vocabulary)
                    gradient[truth] -= 1 - smoothing
                    gradient = gradient.to(dtype)
                if for_rows:
                    to_rows[part] = gradient @ weight
                if for_embeddings and dtype == embeddings.dtype:
                    to_embeddings.addmm_(gradient.t(), some)
                elif for_embeddings:
                    to_embeddings += gradient.t() @ some
        ctx.save_for_backward(to_rows, to_embeddings)
        return total

    @staticmethod
    def backward(ctx, scale: Tensor) -> tuple[Tensor | None, Tensor | None, None, None, None]:
        to_rows, to_embeddings = (None if saved is None else saved * scale for saved in ctx.saved_tensors)
        return to_rows, to_embeddings, None, None, None


@torch.no_grad()
def plain_scores(
    rows: Rows, embeddings: Embeddings, targets: Targets, bias: Bias | None = None
) -> tuple[Tensor, int]:
    """The sum of -log p(y) with softmax(rows @ embeddings^T + bias), and how many targets are the most probable piece.

    In single precision, as bf16 would make ties of the best.
    """
    total, right = torch.zeros((), device=rows.device), 0
    with torch.autocast(rows.device.type, enabled=False):
        rows, embeddings = rows.float(), embeddings.float()
        for part in _parts(rows, len(embeddings)):
            logits = rows[part] @ embeddings.t()
            if bias is not None:
                logits += bias
            total += logits.logsumexp(dim=1).sum() - logits.gather(1, targets[part, None]).sum()
            right += int((logits.argmax(dim=1) == targets[part]).sum())
    return total, right


def _parts(rows: Rows, vocabulary: int) -> Iterator[slice]:
    step = max(1, LOGITS_AT_ONCE.get(rows.device.type, 2**22) // vocabulary)
    return (slice(start, start + step) for start in range(0, len(rows), step))
