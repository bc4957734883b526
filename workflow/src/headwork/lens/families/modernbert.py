"""ModernBERT: an encoder with rotary positions whose layers attend locally or globally, by the mask they are given."""

from headwork.lens.families.places import Entry, Place, last_third

_LAYER = Entry(
    {"encoder": Place("attn", "attn.Wo", "config.num_attention_heads", "Wqkv", cut=last_third)}, alone=False
)

FAMILIES = {"modernbert": {"ModernBertEncoderLayer": _LAYER}}
