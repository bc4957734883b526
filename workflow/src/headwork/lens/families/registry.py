"""Every supported family by its `model_type`, and the entry of a module.

A family is added by an entry for its class of layers, in a module of this folder, and a tiny model of it in the tests.
"""

from collections.abc import Mapping

from torch import nn

from headwork.lens.families import (
    albert,
    bart,
    bert,
    deberta_v2,
    distilbert,
    gpt2,
    gpt_neox,
    llama,
    modernbert,
    mpnet,
    t5,
    vit,
)
from headwork.lens.families.places import Entry, Family

_MODULES = (albert, bart, bert, deberta_v2, distilbert, gpt2, gpt_neox, llama, modernbert, mpnet, t5, vit)

FAMILIES: Mapping[str, Family] = dict(
    sorted((name, family) for module in _MODULES for name, family in module.FAMILIES.items())
)
# `transformers` keeps the classes of a model type in a module of its name: no class is imported to know it.
_BY_CLASS = {
    f"{name.replace('-', '_')}.{layer}": (name, entry)
    for name, family in FAMILIES.items()
    for layer, entry in family.items()
}


def entry_of(module: nn.Module) -> tuple[str, Entry] | None:
    """Model type and entry of this module's class, or of the nearest one it is derived from that has an entry."""
    for cls in type(module).__mro__:
        file = cls.__module__.rpartition(".")[2].removeprefix("modeling_")
        if found := _BY_CLASS.get(f"{file}.{cls.__name__}"):
            return found
    return None
