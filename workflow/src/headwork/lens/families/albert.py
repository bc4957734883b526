"""ALBERT, whose layers share their weights: a pass calls one layer, or a few in turn, as often as the model has layers.

So the entry is of what calls them. A site is a call, and gates of one layer leave the others as they are.
"""

from collections.abc import Sequence

from torch import nn

from headwork.lens.families.places import Entry, Place


def _in_call_order(transformer: nn.Module) -> Sequence[nn.Module]:
    """The layers that an `AlbertTransformer` calls: each group as often as its share of the hidden layers."""
    layers, groups = transformer.config.num_hidden_layers, transformer.albert_layer_groups
    return [
        layer
        for number in range(layers)
        for layer in groups[int(number / (layers / len(groups)))].albert_layers
    ]


_TRANSFORMER = Entry(
    {"encoder": Place("attention", "attention.dense", "num_attention_heads", "value")}, layers=_in_call_order
)

FAMILIES = {"albert": {"AlbertTransformer": _TRANSFORMER}}
