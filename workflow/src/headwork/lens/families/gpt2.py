"""GPT-2: one projection makes queries, keys and values, and only values of what cross-attention attends to."""

from headwork.lens.families.places import Entry, Place, last_third

_LAYER = Entry(
    {
        "decoder": Place("attn", "attn.c_proj", value="c_attn", cut=last_third),
        "cross": Place("crossattention", "crossattention.c_proj", value="c_attn", cut=last_third),
    }
)

FAMILIES = {"gpt2": {"GPT2Block": _LAYER}}
