"""DistilBERT."""

from headwork.lens.families.places import Entry, Place

_LAYER = Entry({"encoder": Place("attention", "attention.out_lin", "n_heads", "v_lin")})

FAMILIES = {"distilbert": {"TransformerBlock": _LAYER}}
