"""Sites of each family: kinds, layers, heads, modules."""

import pytest
import torch
from small_models import BUILDERS, HEADS, HIDDEN, LAYERS, small_model

from headwork.errors import InputError
from headwork.lens.anatomy import anatomy
from headwork.sites import Head, Site

ENCODER = [Site("encoder", layer) for layer in range(1, LAYERS + 1)]
DECODER = [Site("decoder", layer) for layer in range(1, LAYERS + 1)]
DECODERS = (
    "bert causal",
    "gemma",
    "gemma2",
    "gpt2",
    "gpt_neox",
    "llama",
    "mistral",
    "opt",
    "phi",
    "qwen2",
    "qwen3",
)
ENCODER_DECODERS = ("bart", "m2m_100", "marian", "mbart", "mt5", "pegasus", "t5", "whisper")
BOTH = [*ENCODER, Site("decoder", 1), Site("cross", 1), Site("decoder", 2), Site("cross", 2)]


@pytest.mark.parametrize("family", BUILDERS)
def test_every_family_has_its_sites_in_order(family: str):
    expected = {
        **dict.fromkeys(DECODERS, DECODER),
        "bert with cross attention": [
            site for layer in (1, 2, 3) for site in (Site("decoder", layer), Site("cross", layer))
        ],
        **dict.fromkeys(ENCODER_DECODERS, BOTH),
    }.get(family, ENCODER)
    parts = anatomy(small_model(family)).sites
    assert list(parts) == expected
    for site, part in parts.items():
        assert part.site == site
        fewer = expected is BOTH and site.kind != "encoder" and family not in ("mt5", "t5")
        assert part.heads == (2 if fewer else HEADS)
        assert part.output_weight().shape == (HIDDEN, part.heads, part.head_dim)
        assert "Attention" in type(part.module).__name__


def test_no_two_sites_share_a_module():
    parts = anatomy(small_model("marian")).sites.values()
    assert len({id(part.module) for part in parts}) == len({id(part.output) for part in parts}) == len(BOTH)


def test_part_of_a_model_and_a_wrapped_model_have_the_same_sites():
    model = small_model("marian")
    assert list(anatomy(model.get_encoder()).sites) == ENCODER
    assert list(anatomy(torch.nn.Sequential(torch.nn.Linear(2, 2), model)).sites) == BOTH


def test_a_derived_layer_class_needs_no_entry():
    model = small_model("bert")
    layer = model.encoder.layer[0]
    layer.__class__ = type("MyLayer", (type(layer),), {})
    assert list(anatomy(model).sites) == ENCODER


def test_heads_are_listed_by_kind():
    parts = anatomy(small_model("marian"))
    assert len(parts.heads()) == 3 * HEADS + 4 * 2
    assert parts.heads("cross") == [Head("cross", layer, head) for layer in (1, 2) for head in (1, 2)]


def test_an_unknown_model_is_refused_with_what_to_do():
    with pytest.raises(InputError, match=r"a Linear: it supports albert, .*marian.*; add an entry"):
        anatomy(torch.nn.Linear(2, 2))


def test_an_unknown_site_is_refused_with_the_sites_there_are():
    with pytest.raises(InputError, match="no attention cross 1; it has encoder 1, encoder 2, encoder 3"):
        anatomy(small_model("bert")).part(Site("cross", 1))
