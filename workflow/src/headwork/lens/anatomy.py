"""Where the attention of a model lies: its sites, their heads, and the output projection W_O of each.

A Transformer layer holds one attention (encoder, decoder) or two (a decoder that also looks at the source). Model
families differ in the names of these modules and in how values are laid out; `headwork.lens.families` has an entry for
each. Classes derived from a layer, and any model that contains such layers (with a language-model or classifier head,
or as half of an encoder-decoder), need no entry of their own.

W_O matters wherever a head's contribution is looked at alone: a site returns the sum over its heads of
W_O[:, head] · context[head], plus the bias (the vectors whose norms Kobayashi et al. 2020 compare). Contexts are sums
of values, which the projection W_V makes of the vectors attended to.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

from headwork.errors import InputError
from headwork.lens.families import FAMILIES, entry_of
from headwork.lens.places import Place
from headwork.sites import Head, HeadVectors, Site


@dataclass(frozen=True)
class AttentionSite:
    """One attention of a model: the module that computes it, its heads, and the projection that joins them.

    `value` is the projection that reads the vectors attended to and makes the heads' values of them. Where layers share
    their weights, several sites have one module: `call` tells, from 0, which of its calls in a pass of `owner` is this
    site's. `family` is the model type whose entry `place` is.
    """

    site: Site
    module: nn.Module
    heads: int
    head_dim: int
    output: nn.Module
    value: nn.Module
    place: Place
    owner: nn.Module
    family: str
    call: int = 0

    def output_weight(self) -> Float[Tensor, "hidden head head_dim"]:
        """W_O, cut into heads: head h adds ``output_weight()[:, h] @ context[h]`` to the site's output."""
        # transformers' Conv1D (GPT-2) keeps its weight as (in, out), torch's Linear as (out, in).
        weight = self.output.weight.T if isinstance(self.output, Conv1D) else self.output.weight
        return weight.unflatten(1, (self.heads, self.head_dim))

    def head_values(self, projected: Float[Tensor, "batch time _"]) -> HeadVectors:
        """Each head's x W_V + b_V in the output of `value`; key-value heads that are shared come once for each head."""
        return self.place.cut(projected, self.heads, self.head_dim)


class Layer(NamedTuple):
    """A layer, the module that calls it (or itself), and whether it needs nothing but states and a mask."""

    module: nn.Module
    owner: nn.Module
    alone: bool


@dataclass(frozen=True)
class Anatomy:
    """All attention sites of a model, in the order of its layers, and the layers by kind of attention.

    A site's layer number is the place, from 1, of its layer among those of its kind.
    """

    sites: Mapping[Site, AttentionSite]
    layers: Mapping[str, list[Layer]]

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

    @property
    def shared(self) -> bool:
        """Whether layers share their weights, so that one module is the attention of several sites."""
        return any(part.call for part in self.sites.values())

    def refuse_shared(self, what: str) -> None:
        """Raise InputError, naming `what` cannot be done, if layers share their weights."""
        if self.shared:
            family = next(iter(self.sites.values())).family
            raise InputError(f"{what} needs weights for each layer, and the layers of {family} share theirs")


def anatomy(model: nn.Module) -> Anatomy:
    """The attention sites of a `transformers` model, layers counted from 1 within each kind.

    Raises InputError for a model without layers of a supported family, or with attentions that no entry knows.
    """
    sites: dict[Site, AttentionSite] = {}
    layers: dict[str, list[Layer]] = {}
    calls: Counter[nn.Module] = Counter()
    for owner in model.modules():
        family, entry = entry_of(owner) or (None, None)
        for layer in entry.layers(owner) if entry else ():
            for kind, place in entry.places.items():
                if kind == "cross" and not _has(layer, place.attention):
                    continue  # a layer that could look at a source, in a model that has none
                if kind == "encoder" and getattr(layer, "is_decoder", False):
                    kind = "decoder"  # BERT as a language model: the same layer with a causal mask
                layers.setdefault(kind, []).append(Layer(layer, owner, entry.alone))
                site = Site(kind, len(layers[kind]))
                attention, output = layer.get_submodule(place.attention), layer.get_submodule(place.output)
                call = calls[attention]
                calls[attention] += 1
                heads = attrgetter(place.heads)(attention)
                if not heads:
                    continue  # all were removed for good: there is nothing to see or to change
                inner = output.weight.shape[0 if isinstance(output, Conv1D) else 1]
                value, size = attention.get_submodule(place.value), inner // heads
                parts = attention, heads, size, output, value
                sites[site] = AttentionSite(site, *parts, place, owner, family, call)
    unknown = _others(model, calls)
    if unknown or not sites:
        raise InputError(_unsupported(model, unknown))
    return Anatomy(sites, layers)


def _has(layer: nn.Module, name: str) -> bool:
    try:
        layer.get_submodule(name)
    except AttributeError:
        return False
    return True


def _others(model: nn.Module, attentions: Iterable[nn.Module]) -> list[str]:
    """Classes of the model's attentions that are neither among those given nor around or within one of them."""
    given = set(attentions)
    within = {part for attention in given for part in attention.modules()}
    others = (each for each in model.modules() if each not in within and given.isdisjoint(each.modules()))
    return sorted({name for each in others if (name := type(each).__name__).endswith("Attention")})


def _unsupported(model: nn.Module, unknown: list[str]) -> str:
    model_type = getattr(getattr(model, "config", None), "model_type", None)
    of = f" (model type {model_type})" if model_type else ""
    what = f", its {' and '.join(unknown)}" if unknown else ""
    return (
        f"the lens cannot see the attention of a {type(model).__name__}{of}{what}: it supports "
        f"{', '.join(FAMILIES)}; add an entry for its layers in headwork/lens/families.py"
    )
