"""DeBERTa-v2 and v3: disentangled attention (He et al. 2021, section 3.1), outside the attention interface.

To the product of query and key, scores add those of the query with the key's relative position and of the key with the
query's. Both depend on the text, and they are all handed to the attention function as a bias of the scores.
"""

import math

from torch import Tensor, nn

from headwork.lens.attention import attend
from headwork.lens.places import Entry, Place
from headwork.sites import Maps, Vectors


def _forward(
    self: nn.Module,
    hidden_states: Vectors,
    attention_mask: Tensor,
    output_attentions: bool = False,
    query_states: Vectors | None = None,
    relative_pos: Tensor | None = None,
    rel_embeddings: Tensor | None = None,
) -> tuple[Vectors, Maps | None]:
    """As `DisentangledSelfAttention.forward`."""
    read = hidden_states if query_states is None else query_states
    query, key, value = (
        make(states).unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)
        for make, states in (
            (self.query_proj, read),
            (self.key_proj, hidden_states),
            (self.value_proj, hidden_states),
        )
    )
    # a term for the contents, and one for each kind of position
    terms = 1 + ("c2p" in self.pos_att_type) + ("p2c" in self.pos_att_type)
    bias = query.new_zeros(1, 1, query.shape[2], key.shape[2])
    if self.relative_attention:
        bias = self.disentangled_attention_bias(
            query.flatten(0, 1), key.flatten(0, 1), relative_pos, self.pos_dropout(rel_embeddings), terms
        ).unflatten(0, query.shape[:2])
    contexts, weights = attend(
        self,
        query,
        key,
        value,
        attention_mask.bool(),
        scaling=1 / math.sqrt(query.shape[-1] * terms),
        dropout=self.dropout.p if self.training else 0.0,
        position_bias=bias,
        is_causal=False,
        output_attentions=output_attentions,
    )
    return contexts.flatten(2), weights if output_attentions else None


DEBERTA_V2 = Entry(
    {
        "encoder": Place(
            "attention.self", "attention.output.dense", "num_attention_heads", "value_proj", forward=_forward
        )
    },
    alone=False,
)
