"""Marian's small translation models: a Transformer encoder, and a decoder with a recurrent unit for self-attention.

They are published for translation in the browser (Kim et al. 2019, "From Research to Production and Back: Ludicrously
Fast Neural Machine Translation"). In each decoder layer a Simpler Simple Recurrent Unit replaces self-attention; for
the state x_t of a position

    f_t = sigmoid(W_f x_t + b_f)        c_t = f_t * c_{t-1} + (1 - f_t) * W x_t        h_t = relu(c_t)

All else is `transformers`' Marian, except for the wavelengths of the positions. The lens sees the encoder
(`model.get_encoder()`).
"""

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import dropout
from transformers import MarianConfig, MarianMTModel
from transformers.activations import ACT2FN
from transformers.models.marian.modeling_marian import MarianAttention, MarianSinusoidalPositionalEmbedding

from headwork.sites import Vectors


class MarianPositions(MarianSinusoidalPositionalEmbedding):
    """Marian's own sinusoids: wavelengths in geometric progression from 2 pi to 10000 times that, both included."""

    def create_weight(self) -> Tensor:
        """Sines of each position beside its cosines (position, hidden)."""
        positions, width = self.weight.shape
        step = math.log(10_000) / (width // 2 - 1)
        angles = torch.arange(positions)[:, None] * torch.exp(-step * torch.arange(width // 2))
        return torch.cat([angles.sin(), angles.cos()], dim=1).to(self.weight.dtype)


class Ssru(nn.Module):
    """The Simpler Simple Recurrent Unit."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.forget = nn.Linear(width, width)
        self.candidate = nn.Linear(width, width, bias=False)

    def forward(self, states: Vectors) -> Vectors:
        """h_t above, for all positions; c_0 is 0."""
        forget = self.forget(states).sigmoid()
        new = (1 - forget) * self.candidate(states)
        cell, cells = torch.zeros_like(states[:, 0]), []
        for kept, added in zip(forget.unbind(1), new.unbind(1), strict=True):
            cell = kept * cell + added
            cells.append(cell)
        return torch.stack(cells, dim=1).relu()


class SsruDecoderLayer(nn.Module):
    """A decoder layer with an SSRU in place of self-attention, and so without a mask or a cache."""

    def __init__(self, config: MarianConfig, number: int) -> None:
        super().__init__()
        width, inner = config.d_model, config.decoder_ffn_dim
        self.ssru = Ssru(width)
        self.ssru_layer_norm = nn.LayerNorm(width)
        self.encoder_attn = MarianAttention(
            width,
            config.decoder_attention_heads,
            dropout=config.attention_dropout,
            is_decoder=True,
            config=config,
            layer_idx=number,
        )
        self.encoder_attn_layer_norm = nn.LayerNorm(width)
        self.fc1, self.fc2 = nn.Linear(width, inner), nn.Linear(inner, width)
        self.final_layer_norm = nn.LayerNorm(width)
        self.activation = ACT2FN[config.activation_function]
        self.dropout, self.activation_dropout = config.dropout, config.activation_dropout

    def forward(
        self,
        hidden_states: Vectors,
        attention_mask: Tensor | None = None,
        encoder_hidden_states: Float[Tensor, "batch source hidden"] | None = None,
        encoder_attention_mask: Tensor | None = None,
        past_key_values: None = None,
        use_cache: bool | None = None,
        **kwargs: Any,
    ) -> Vectors:
        """The layer's output; the arguments are those of `MarianDecoderLayer`."""
        states = self.ssru_layer_norm(hidden_states + self._dropped(self.ssru(hidden_states)))
        found, _ = self.encoder_attn(
            states, key_value_states=encoder_hidden_states, attention_mask=encoder_attention_mask, **kwargs
        )
        states = self.encoder_attn_layer_norm(states + self._dropped(found))
        inner = dropout(self.activation(self.fc1(states)), self.activation_dropout, self.training)
        return self.final_layer_norm(states + self._dropped(self.fc2(inner)))

    def _dropped(self, states: Vectors) -> Vectors:
        return dropout(states, self.dropout, self.training)


class MarianSsruModel(MarianMTModel):
    """A translation model of this kind; it generates without a cache."""

    def __init__(self, config: MarianConfig) -> None:
        config.use_cache = False
        super().__init__(config)
        for half in (self.model.encoder, self.model.decoder):
            half.embed_positions = MarianPositions(
                config.max_position_embeddings, config.d_model, config.pad_token_id
            )
        self.model.decoder.layers = nn.ModuleList(
            SsruDecoderLayer(config, number) for number in range(config.decoder_layers)
        )
        self.post_init()
