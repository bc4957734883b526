"""MPNet: BERT with a learned bias of the distance between query and key, computed outside the attention interface."""

from typing import Any

from torch import Tensor, nn

from headwork.lens.attention import attend
from headwork.lens.places import Entry, Place
from headwork.sites import Maps, Vectors


def _forward(
    self: nn.Module,
    hidden_states: Vectors,
    attention_mask: Tensor | None = None,
    position_bias: Tensor | None = None,
    output_attentions: bool = False,
    **named: Any,
) -> tuple[Vectors] | tuple[Vectors, Maps]:
    """As `MPNetSelfAttention.forward`."""
    shape = *hidden_states.shape[:-1], self.num_attention_heads, self.attention_head_size
    query, key, value = (make(hidden_states).view(shape).transpose(1, 2) for make in (self.q, self.k, self.v))
    contexts, weights = attend(
        self,
        query,
        key,
        value,
        attention_mask,
        dropout=self.dropout.p if self.training else 0.0,
        position_bias=position_bias,
        is_causal=False,
        output_attentions=output_attentions,
    )
    output = self.o(contexts.reshape(*contexts.shape[:2], -1))
    return (output, weights) if output_attentions else (output,)


MPNET = Entry(
    {"encoder": Place("attention.attn", "attention.attn.o", "num_attention_heads", "v", forward=_forward)},
    alone=False,
)
