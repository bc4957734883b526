"""T5 and mT5: scores are not scaled, and get a learned bias of the distance between query and key.

The first layer of a stack makes the bias and hands it to the others. An attention gets it as `position_bias`.
"""

from headwork.lens.families.places import Entry, Place

_BLOCK = Entry(
    {
        "encoder": Place("layer.0.SelfAttention", "layer.0.SelfAttention.o", "n_heads", "v"),
        "cross": Place("layer.1.EncDecAttention", "layer.1.EncDecAttention.o", "n_heads", "v"),
    },
    alone=False,
)

FAMILIES = {"mt5": {"MT5Block": _BLOCK}, "t5": {"T5Block": _BLOCK}}
