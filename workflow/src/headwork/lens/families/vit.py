"""ViT: an encoder of image patches."""

from headwork.lens.families.places import Entry, Place

_LAYER = Entry({"encoder": Place("attention", "attention.o_proj", "num_attention_heads")})

FAMILIES = {"vit": {"ViTLayer": _LAYER}}
