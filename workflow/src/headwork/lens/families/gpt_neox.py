"""GPT-NeoX (Pythia): one projection makes query, key and value of one head after the other."""

from headwork.lens.families.places import Entry, Place, Projected
from headwork.sites import HeadVectors


def _interleaved(projected: Projected, heads: int, head_dim: int) -> HeadVectors:
    """Each head's values, the last third of what is made for it."""
    return projected.unflatten(-1, (heads, 3 * head_dim))[..., 2 * head_dim :].transpose(1, 2)


_LAYER = Entry(
    {
        "decoder": Place(
            "attention",
            "attention.dense",
            "config.num_attention_heads",
            "query_key_value",
            cut=_interleaved,
        )
    },
    alone=False,
)

FAMILIES = {"gpt_neox": {"GPTNeoXLayer": _LAYER}}
