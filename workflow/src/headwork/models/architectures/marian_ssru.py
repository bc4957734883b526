"""Marian's small translation models: a Transformer encoder, and a decoder with a recurrent unit for self-attention.

They are published for translation in the browser (Kim et al. 2019, "From Research to Production and Back: Ludicrously
Fast Neural Machine Translation"). In each decoder layer a Simpler Simple Recurrent Unit replaces self-attention; for
the state x_t of a position

    f_t = sigmoid(W_f x_t + b_f)        c_t = f_t * c_{t-1} + (1 - f_t) * W x_t        h_t = relu(c_t)

All else is `transformers`' Marian, except for the wavelengths of the positions. The lens sees the encoder
(`model.get_encoder()`).

While a translation is generated, a layer's past is c_t alone, whatever its length; it stands in the cache where other
models have the keys and values of self-attention, those of cross-attention are computed once (`use_cache`).
"""

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import dropout
from transformers import MarianConfig, MarianMTModel
from transformers.activations import ACT2FN
from transformers.cache_utils import CacheLayerMixin, EncoderDecoderCache
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


class SsruState(CacheLayerMixin):
    """What a layer keeps of the positions it has seen: their number and the last cell (batch, hidden)."""

    is_sliding = False

    def __init__(self) -> None:
        super().__init__()
        self.length = 0
        self.cell: Tensor | None = None

    @classmethod
    def of(cls, past: EncoderDecoderCache, layer: int) -> "SsruState":
        """The state of a layer; it takes the place of the layer's empty keys and values."""
        layers = past.self_attention_cache.layers
        while len(layers) <= layer:
            layers.append(cls())
        if not isinstance(layers[layer], cls):
            layers[layer] = cls()
        return layers[layer]

    def get_seq_length(self) -> int:
        return self.length

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Positions seen with these, and the first of them; the mask is not used."""
        return self.length + query_length, 0

    def get_max_length(self) -> int:
        return -1

    def reset(self) -> None:
        self.length, self.cell = 0, None

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Keep the cells of these rows, in this order."""
        if self.cell is not None:
            self.cell = self.cell.index_select(0, beam_idx)

    batch_select_indices = reorder_cache

    def batch_repeat_interleave(self, repeats: int) -> None:
        if self.cell is not None:
            self.cell = self.cell.repeat_interleave(repeats, dim=0)

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        raise NotImplementedError

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> Any:
        """Not used: there are no keys and values."""
        raise NotImplementedError


class Ssru(nn.Module):
    """The Simpler Simple Recurrent Unit."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.forget = nn.Linear(width, width)
        self.candidate = nn.Linear(width, width, bias=False)

    def forward(self, states: Vectors, past: SsruState | None = None) -> Vectors:
        """h_t above, for all positions; c_0 is 0, or what `past` has, which then has seen these positions too."""
        forget = self.forget(states).sigmoid()
        new = (1 - forget) * self.candidate(states)
        begun = past is not None and past.cell is not None
        cell, cells = past.cell if begun else torch.zeros_like(states[:, 0]), []
        for kept, added in zip(forget.unbind(1), new.unbind(1), strict=True):
            cell = kept * cell + added
            cells.append(cell)
        if past is not None:
            past.cell, past.length = cell, past.length + len(cells)
        return torch.stack(cells, dim=1).relu()


class SsruDecoderLayer(nn.Module):
    """A decoder layer with an SSRU in place of self-attention, and so without a mask."""

    def __init__(self, config: MarianConfig, number: int) -> None:
        super().__init__()
        width, inner = config.d_model, config.decoder_ffn_dim
        self.number = number
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
        past_key_values: EncoderDecoderCache | None = None,
        use_cache: bool | None = None,
        **kwargs: Any,
    ) -> Vectors:
        """The layer's output; the arguments are those of `MarianDecoderLayer`."""
        state = SsruState.of(past_key_values, self.number) if past_key_values is not None else None
        states = self.ssru_layer_norm(hidden_states + self._dropped(self.ssru(hidden_states, state)))
        found, _ = self.encoder_attn(
            states,
            key_value_states=encoder_hidden_states,
            past_key_values=past_key_values,
            attention_mask=encoder_attention_mask,
            **kwargs,
        )
        states = self.encoder_attn_layer_norm(states + self._dropped(found))
        inner = dropout(self.activation(self.fc1(states)), self.activation_dropout, self.training)
        return self.final_layer_norm(states + self._dropped(self.fc2(inner)))

    def _dropped(self, states: Vectors) -> Vectors:
        return dropout(states, self.dropout, self.training)


class MarianSsruModel(MarianMTModel):
    """A translation model of this kind."""

    _is_stateful = True  # what was generated cannot be taken back

    def __init__(self, config: MarianConfig) -> None:
        super().__init__(config)
        for half in (self.model.encoder, self.model.decoder):
            half.embed_positions = MarianPositions(
                config.max_position_embeddings, config.d_model, config.pad_token_id
            )
        self.model.decoder.layers = nn.ModuleList(
            SsruDecoderLayer(config, number) for number in range(config.decoder_layers)
        )
        self.post_init()
