"""Products of linear layers in 8-bit integers, as models for the browser are meant to be run.

Their weights are published as 8-bit integers with one multiplier a matrix, 127 over the greatest absolute weight; they
are used as they are. The activations of each call are rounded to 256 steps between their least and greatest value, so
that a result depends, slightly, on the other rows of its batch.
"""

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

ENGINE = "onednn"  # sums in 32 bits; fbgemm's may overflow unless activations have 7 bits


class EightBitLinear(nn.Module):
    """A linear layer with weights of 8 bits, and an own bias if one is given."""

    def __init__(self, linear: nn.Linear, bias: Tensor | None = None) -> None:
        super().__init__()
        weight = linear.weight.detach().float()
        scale = weight.abs().max().clamp(min=1e-8).item() / 127
        rounded = torch.quantize_per_tensor(weight, scale, 0, torch.qint8)
        bias = linear.bias if bias is None else bias
        before, torch.backends.quantized.engine = torch.backends.quantized.engine, ENGINE
        try:
            self.packed = torch.ops.quantized.linear_prepack(rounded, None if bias is None else bias.detach())
        finally:
            torch.backends.quantized.engine = before

    def forward(self, states: Tensor) -> Tensor:
        """The product, and the bias, in single precision."""
        return torch.ops.quantized.linear_dynamic(states, self.packed, reduce_range=False)


def in_eight_bits(model: PreTrainedModel) -> PreTrainedModel:
    """Replace all linear layers of a translation model, in place; the output layer takes on the bias of the output."""
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, nn.Linear):
                bias = model.final_logits_bias[0].clone() if child is model.lm_head else None
                setattr(module, name, EightBitLinear(child, bias))
    model.final_logits_bias.zero_()
    return model
