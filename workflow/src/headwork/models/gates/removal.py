"""Gates folded into a model's weights, and heads removed from it.

A site's output is the sum over its heads of gate · W_O[:, head] · context[head], plus the bias of W_O. A gate can so be
multiplied into W_O (`fold`): the model's outputs equal those with gates, and it remains an ordinary model of its class.
A head of gate 0 can be removed from the query, key and value projections and from W_O (`remove_heads`): the model is
smaller and faster, with the same outputs. A site without heads keeps its bias. The config of a smaller model lists its
heads as `kept_heads`, by kind and layer, with their original numbers; `checkpoints.load` uses it.
"""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor, nn
from transformers import (
    Cache,
    EncoderDecoderCache,
    MarianMTModel,
    PegasusForConditionalGeneration,
    PreTrainedConfig,
    PreTrainedModel,
)

from headwork.errors import InputError
from headwork.lens.anatomy import AttentionSite, anatomy
from headwork.sites import PerHead, Site

KeptHeads = dict[str, list[list[int]]]


def read_kept(path: str | Path) -> dict[Site, PerHead]:
    """1 for each kept head and 0 for the others, from a table of gates (`HeadGates.table`).

    Raises `InputError` for an invalid table: a column or a head is missing, or `kept` is not 0 or 1.
    """
    try:
        table = pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise InputError.at(path, f"the file is not a table of gates: {error}") from error
    if absent := {"kind", "layer", "head", "kept"} - set(table.columns):
        raise InputError.at(
            path, f"has no column '{min(absent)}'; a table of gates has kind, layer, head and kept"
        )
    if not table["kept"].isin([0, 1]).all():
        raise InputError.at(path, "has other numbers than 0 and 1 in the column 'kept'")
    kept = {}
    for (kind, layer), heads in table.groupby(["kind", "layer"], sort=False):
        heads = heads.sort_values("head")
        if heads["head"].tolist() != list(range(1, len(heads) + 1)):
            raise InputError.at(path, f"does not number the heads of {kind} {layer} 1, 2, 3 and so on")
        kept[Site(kind, layer)] = torch.tensor(heads["kept"].tolist(), dtype=torch.float32)
    return kept


def check_fit(model: nn.Module, gates: Mapping[Site, PerHead]) -> None:
    """Raise `InputError` unless the gates are those of the model's heads, and each layer has a W_O of its own."""
    parts = anatomy(model)
    parts.refuse_shared("removing heads")
    for site, gate in gates.items():
        if len(gate) != (heads := parts.part(site).heads):
            raise InputError(
                f"there are gates of {len(gate)} heads for {site}, which has {heads} heads in this model; "
                "take model and gates from one run"
            )


@torch.no_grad()
def fold(model: nn.Module, gates: Mapping[Site, PerHead]) -> None:
    """Multiply each head's part of W_O by its gate, in place. Raises `InputError` for gates of another model."""
    check_fit(model, gates)
    parts = anatomy(model)
    for site, gate in gates.items():
        weight = parts.part(site).output_weight()
        weight.mul_(gate.to(weight)[:, None])


def remove_heads(model: PreTrainedModel, kept: Mapping[Site, PerHead]) -> PreTrainedModel:
    """A smaller copy of a translation model, without the heads for which `kept` is 0; other sites stay whole.

    Raises `InputError` for gates of another model, and for a family whose attention is not known here.
    """
    if model.config.model_type not in FEWER_HEADS or getattr(model.config, "kept_heads", None):
        raise InputError(
            f"cannot remove heads from a {type(model).__name__}; "
            f"give a whole model of the families {', '.join(FEWER_HEADS)}"
        )
    check_fit(model, kept)
    numbers: KeptHeads = {}
    for site, part in anatomy(model).sites.items():
        heads = kept.get(site, torch.ones(part.heads)).nonzero().flatten() + 1
        numbers.setdefault(site.kind, []).append(heads.tolist())
    whole = copy.deepcopy(model)
    _cut(whole, numbers)
    config = copy.deepcopy(model.config)
    config.kept_heads = numbers
    smaller = FEWER_HEADS[config.model_type](config)
    smaller.load_state_dict(whole.state_dict())
    smaller.generation_config = copy.deepcopy(model.generation_config)
    return smaller.eval()


class _FewerHeads:
    """Mixin for a model that has only the heads in its config's `kept_heads`; precedes the model's class."""

    def __init__(self, config: PreTrainedConfig, *args: Any, **kwargs: Any) -> None:
        super().__init__(config, *args, **kwargs)
        _cut(self, config.kept_heads)


class MarianWithFewerHeads(_FewerHeads, MarianMTModel):
    """`MarianMTModel` whose attentions may have different numbers of heads, or none."""


class PegasusWithFewerHeads(_FewerHeads, PegasusForConditionalGeneration):
    """`PegasusForConditionalGeneration` whose attentions may have different numbers of heads, or none."""


FEWER_HEADS: Mapping[str, type[PreTrainedModel]] = {
    "marian": MarianWithFewerHeads,
    "pegasus": PegasusWithFewerHeads,
}


class NoHeads(nn.Module):
    """An attention without heads: its context is empty, and its output is the bias of W_O.

    A decoder infers its position from the first layer's cache, so a placeholder of the right length is put there.
    """

    num_heads = 0

    def __init__(self, attention: nn.Module) -> None:
        super().__init__()
        self.layer_idx = attention.layer_idx
        self.out_proj = attention.out_proj

    def forward(
        self,
        hidden_states: Tensor,
        key_value_states: Tensor | None = None,
        past_key_values: Cache | None = None,
        **_: Any,
    ) -> tuple[Tensor, None]:
        if past_key_values is not None and key_value_states is None:
            cached = past_key_values
            if isinstance(cached, EncoderDecoderCache):
                cached = cached.self_attention_cache
            mark = hidden_states.new_zeros(len(hidden_states), 1, hidden_states.shape[1], 1)
            cached.update(mark, mark, self.layer_idx)
        return self.out_proj(hidden_states[..., :0]), None


@torch.no_grad()
def even_heads(model: PreTrainedModel) -> tuple[PreTrainedModel, int, int]:
    """A copy with equal numbers of heads in all attention of a side, and these numbers (encoder, decoder).

    Added weights are zero. It is for export to formats with one number of heads per side, and cannot itself be run.
    """
    model, most, config = copy.deepcopy(model), [], model.config
    sides = {
        model.get_encoder(): config.encoder_attention_heads,
        model.get_decoder(): config.decoder_attention_heads,
    }
    for stack, heads in sides.items():
        places = [(layer, name) for layer in stack.layers for name in ("self_attn", "encoder_attn")]
        attentions = [getattr(layer, name) for layer, name in places if hasattr(layer, name)]
        most.append(max(1, *(attention.num_heads for attention in attentions)))
        for attention in attentions:
            _widen(attention, most[-1] * (config.d_model // heads))
    return model, *most


def _widen(attention: nn.Module, width: int) -> None:
    """Fill the projections of an attention up to that width with zeros; one without heads gets them first."""
    hidden = len(attention.out_proj.bias)
    for name in "q_proj", "k_proj", "v_proj":
        wide, narrow = nn.Linear(hidden, width), getattr(attention, name, None)
        wide.weight.zero_()
        wide.bias.zero_()
        if narrow is not None:
            wide.weight[: narrow.out_features] = narrow.weight
            wide.bias[: narrow.out_features] = narrow.bias
        setattr(attention, name, wide)
    wide = nn.Linear(width, hidden)
    wide.weight.zero_()[:, : attention.out_proj.in_features] = attention.out_proj.weight
    wide.bias.copy_(attention.out_proj.bias)
    attention.out_proj = wide


@torch.no_grad()
def _cut(model: nn.Module, kept: KeptHeads) -> None:
    """Leave each site of a model, in place, only the heads of these numbers (from 1)."""
    names = {module: name for name, module in model.named_modules()}
    for site, part in anatomy(model).sites.items():
        try:
            heads = [number - 1 for number in kept[site.kind][site.layer - 1]]
        except (KeyError, IndexError):
            raise InputError(f"`kept_heads` in the config lacks {site}") from None
        if not set(heads) <= set(range(part.heads)):
            raise InputError(f"`kept_heads` in the config names heads beyond the {part.heads} of {site}")
        _narrow(part, heads)
        if not heads:
            layer, _, place = names[part.module].rpartition(".")
            setattr(model.get_submodule(layer), place, NoHeads(part.module))


def _narrow(part: AttentionSite, heads: Sequence[int]) -> None:
    """Leave an attention of the BART kind the parts of its projections that belong to these heads (from 0)."""
    attention, cut = part.module, (part.heads, part.head_dim)
    width = len(heads) * part.head_dim
    for linear in attention.q_proj, attention.k_proj, attention.v_proj:
        linear.weight = nn.Parameter(linear.weight.unflatten(0, cut)[list(heads)].flatten(0, 1))
        linear.bias = nn.Parameter(linear.bias.unflatten(0, cut)[list(heads)].flatten(0, 1))
        linear.out_features = width
    output = attention.out_proj
    output.weight = nn.Parameter(output.weight.unflatten(1, cut)[:, list(heads)].flatten(1, 2))
    output.in_features = width
    attention.num_heads = len(heads)
