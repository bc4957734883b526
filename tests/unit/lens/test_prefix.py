"""Passes that begin at a layer end as whole passes do."""

import pytest
import torch
from small_models import BUILDERS, assert_unchanged, padded_batch, small_model

from headwork.errors import InputError
from headwork.lens.lens import Lens
from headwork.lens.prefix import Prefix
from headwork.sites import Site


@pytest.mark.parametrize("family", [family for family in BUILDERS if family != "bert with cross attention"])
def test_a_change_in_any_layer_comes_to_the_same(family):
    model = small_model(family)
    batch = padded_batch(model)
    with Lens(model) as lens, torch.no_grad():
        prefix = Prefix(model)
        with prefix.recording():
            plain = model(**batch)[0]
        for site in lens.anatomy.sites:
            with lens.uniform([site.head(1)]):
                whole = model(**batch)[0]
                with prefix.up_to(site):
                    short = model(**batch)[0]
            assert torch.equal(short, whole)
            assert not torch.allclose(short, plain)
        assert_unchanged(family, model(**batch)[0], plain)


def test_only_the_layers_from_the_sites_own_on_are_computed():
    model = small_model("marian")
    batch = padded_batch(model)
    prefix = Prefix(model)
    with torch.no_grad(), prefix.recording():
        model(**batch)
    computed = []
    for name, layers in (("encoder", model.get_encoder().layers), ("decoder", model.get_decoder().layers)):
        for number, layer in enumerate(layers, start=1):
            layer.self_attn.register_forward_hook(
                lambda *_, name=name, number=number: computed.append((name, number))
            )
    with torch.no_grad(), prefix.up_to(Site("encoder", 2)):
        model(**batch)
    assert computed == [("encoder", 2), ("encoder", 3), ("decoder", 1), ("decoder", 2)]
    computed.clear()
    with torch.no_grad(), prefix.up_to(Site("cross", 2)):
        model(**batch)
    assert computed == [("decoder", 2)]


def test_the_sites_own_queries_keys_and_values_are_not_projected_anew():
    model = small_model("marian")
    batch = padded_batch(model)
    prefix = Prefix(model)
    with torch.no_grad(), prefix.recording():
        plain = model(**batch)[0]
    attention = model.get_encoder().layers[1].self_attn
    with torch.no_grad(), prefix.up_to(Site("encoder", 2)):
        for projection in (attention.q_proj, attention.k_proj, attention.v_proj):
            projection.weight.zero_()
        assert torch.equal(model(**batch)[0], plain)
        attention.out_proj.weight.zero_()
        assert not torch.allclose(model(**batch)[0], plain)


def test_nothing_stays_behind():
    model = small_model("bert classifier")
    prefix = Prefix(model)
    with torch.no_grad(), prefix.recording():
        model(**padded_batch(model))
    with pytest.raises(ZeroDivisionError), prefix.up_to(Site("encoder", 3)):
        raise ZeroDivisionError
    assert all("forward" not in module.__dict__ for module in model.modules())
    assert not any(module._forward_hooks for module in model.modules())


def test_a_later_recording_takes_the_place_of_an_earlier_one():
    model = small_model("bert classifier")
    batches = [padded_batch(model, sentences) for sentences in (3, 2)]
    prefix = Prefix(model)
    with torch.no_grad():
        for batch in batches:
            with prefix.recording():
                plain = model(**batch)[0]
            with prefix.up_to(Site("encoder", 2)):
                assert torch.equal(model(**batch)[0], plain)


def test_what_cannot_be_asked():
    model = small_model("bert classifier")
    prefix = Prefix(model)
    with pytest.raises(RuntimeError, match="run the model on the batch within `recording` first"):
        prefix.up_to(Site("encoder", 1)).__enter__()
    with pytest.raises(InputError, match="no attention decoder 1; it has encoder 1, encoder 2, encoder 3"):
        prefix.up_to(Site("decoder", 1)).__enter__()
