"""Where the attention of a model lies: its sites, their heads, and the output projection W_O of each.

A Transformer layer holds one attention (encoder, decoder) or two (a decoder that also looks at the source). Model
families differ only in the names of these modules, so a family is one entry of `LAYERS`: the class of its layers, and
for each attention in such a layer where the attention and its output projection are and what its number of heads is
called. Classes derived from a layer, and any model that contains such layers (with a language-model or classifier
head, or as half of an encoder-decoder), need no entry of their own.

W_O matters wherever a head's contribution is looked at alone: a site returns the sum over its heads of
W_O[:, head] · context[head], plus the bias (the vectors whose norms Kobayashi et al. 2020 compare). Contexts are sums
of values, which the projection W_V makes of the vectors attended to.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

from headwork.errors import InputError
from headwork.shapes import Head, HeadVectors, Site


class Place(NamedTuple):
    """Where one attention lies in a layer: names of submodules relative to the layer, and of the head count.

    `value`, relative to the attention, is what makes its values.
    """

    attention: str
    output: str
    heads: str = "num_heads"
    value: str = "v_proj"


_BART_ENCODER = {"encoder": Place("self_attn", "self_attn.out_proj")}
_BART_DECODER = {
    "decoder": Place("self_attn", "self_attn.out_proj"),
    "cross": Place("encoder_attn", "encoder_attn.out_proj"),
}
_BERT = {
    "encoder": Place("attention.self", "attention.output.dense", "num_attention_heads", "value"),
    "cross": Place("crossattention.self", "crossattention.output.dense", "num_attention_heads", "value"),
}

LAYERS: Mapping[str, Mapping[str, Place]] = {
    "marian.MarianEncoderLayer": _BART_ENCODER,
    "marian.MarianDecoderLayer": _BART_DECODER,
    "pegasus.PegasusEncoderLayer": _BART_ENCODER,
    "pegasus.PegasusDecoderLayer": _BART_DECODER,
    "bart.BartEncoderLayer": _BART_ENCODER,
    "bart.BartDecoderLayer": _BART_DECODER,
    "bert.BertLayer": _BERT,
    "roberta.RobertaLayer": _BERT,
    "xlm_roberta.XLMRobertaLayer": _BERT,
    "electra.ElectraLayer": _BERT,
    "distilbert.TransformerBlock": {"encoder": Place("attention", "attention.out_lin", "n_heads", "v_lin")},
    "gpt2.GPT2Block": {
        "decoder": Place("attn", "attn.c_proj", value="c_attn"),
        "cross": Place("crossattention", "crossattention.c_proj", value="c_attn"),
    },
}


@dataclass(frozen=True)
class AttentionSite:
    """One attention of a model: the module that computes it, its heads, and the projection that joins them.

    `value` is the projection that reads the vectors attended to and makes the heads' values of them.
    """

    site: Site
    module: nn.Module
    heads: int
    head_dim: int
    output: nn.Module
    value: nn.Module

    def output_weight(self) -> Float[Tensor, "hidden head head_dim"]:
        """W_O, cut into heads: head h adds ``output_weight()[:, h] @ context[h]`` to the site's output."""
        # transformers' Conv1D (GPT-2) keeps its weight as (in, out), torch's Linear as (out, in).
        weight = self.output.weight.T if isinstance(self.output, Conv1D) else self.output.weight
        return weight.unflatten(1, (self.heads, self.head_dim))

    def head_values(self, projected: Float[Tensor, "batch time _"]) -> HeadVectors:
        """Each head's x W_V + b_V in the output of `value`: its last columns (GPT-2's makes queries and keys too)."""
        values = projected[..., -self.heads * self.head_dim :]
        return values.unflatten(-1, (self.heads, self.head_dim)).transpose(1, 2)


@dataclass(frozen=True)
class Anatomy:
    """All attention sites of a model, in the order of its layers."""

    sites: Mapping[Site, AttentionSite]

    def heads(self, *kinds: str) -> list[Head]:
        """Every head of the given kinds (of all kinds if none is given), site by site."""
        return [
            site.head(number)
            for site, part in self.sites.items()
            if not kinds or site.kind in kinds
            for number in range(1, part.heads + 1)
        ]

    def part(self, site: Site) -> AttentionSite:
        """The attention at `site`; an InputError that names the model's sites if it has no such site."""
        if site not in self.sites:
            raise InputError(f"the model has no attention {site}; it has {', '.join(map(str, self.sites))}")
        return self.sites[site]


def anatomy(model: nn.Module) -> Anatomy:
    """The attention sites of a `transformers` model, layers counted from 1 within each kind.

    Raises InputError for a model without layers of a known family.
    """
    sites: dict[Site, AttentionSite] = {}
    layers: dict[str, int] = defaultdict(int)
    for layer in model.modules():
        for kind, place in _places(layer).items():
            if kind == "cross" and not hasattr(layer, place.attention.partition(".")[0]):
                continue  # a layer that could look at a source, in a model that has none
            if kind == "encoder" and getattr(layer, "is_decoder", False):
                kind = "decoder"  # BERT as a language model: the same layer with a causal mask
            layers[kind] += 1
            site = Site(kind, layers[kind])
            attention, output = layer.get_submodule(place.attention), layer.get_submodule(place.output)
            heads = getattr(attention, place.heads)
            if not heads:
                continue  # all were removed for good: there is nothing to see or to change
            inner = output.weight.shape[0 if isinstance(output, Conv1D) else 1]
            value = attention.get_submodule(place.value)
            sites[site] = AttentionSite(site, attention, heads, inner // heads, output, value)
    if not sites:
        families = ", ".join(sorted({name.partition(".")[0] for name in LAYERS}))
        raise InputError(
            f"cannot find the attention of a {type(model).__name__}: it has no layer of the known families "
            f"({families}); add its layer class to LAYERS in headwork/lens/anatomy.py"
        )
    return Anatomy(sites)


def _places(layer: nn.Module) -> Mapping[str, Place]:
    """The entry of `LAYERS` for this module's class or the nearest class it is derived from; empty if none."""
    for cls in type(layer).__mro__:
        family = cls.__module__.rpartition(".")[2].removeprefix("modeling_")
        if places := LAYERS.get(f"{family}.{cls.__name__}"):
            return places
    return {}
