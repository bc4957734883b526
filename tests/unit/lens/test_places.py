"""The last layer for some places only: the same numbers there, and nothing left behind."""

import pytest
import torch
from small_models import padded_batch, small_model

from headwork.lens.last_layer import only_places
from headwork.lens.lens import Lens
from headwork.sites import Site


@pytest.mark.parametrize("family", ["bert", "bert masked lm", "camembert", "roberta", "electra"])
def test_these_places_are_as_they_were(family):
    model = small_model(family)
    batch = padded_batch(model)
    with torch.no_grad():
        whole = model(**batch)[0]
        with only_places(model, (0, 3)) as fewer:
            found = model(**batch)[0]
        assert fewer == Site("encoder", 3)
        torch.testing.assert_close(found, whole[:, [0, 3]])
        assert torch.equal(model(**batch)[0], whole)


def test_a_classifier_reads_the_first_place():
    model = small_model("bert classifier")
    batch = padded_batch(model)
    with torch.no_grad():
        whole = model(**batch).logits
        with only_places(model, (0,)):
            torch.testing.assert_close(model(**batch).logits, whole)


@pytest.mark.parametrize(("family", "places"), [("marian", (0,)), ("gpt2", (0,)), ("bert", None)])
def test_other_families_stay_whole(family, places):
    model = small_model(family)
    batch = padded_batch(model)
    with torch.no_grad(), only_places(model, places) as fewer:
        assert fewer is None
        assert model(**batch)[0].shape[1] > 1


def test_what_a_lens_asks_of_the_last_layer_holds():
    model = small_model("bert")
    batch = padded_batch(model)
    last = Site("encoder", 3)
    gates = torch.tensor([0.5, 1.0, 0.0, 1.0])
    with torch.no_grad(), Lens(model) as lens:
        plain = model(**batch)[0]
        for asked in (lens.uniform([last.head(2)]), lens.gating({last: gates}), lens.scaling({last: 0.3})):
            with asked:
                whole = model(**batch)[0]
                with only_places(model, (2,)):
                    torch.testing.assert_close(model(**batch)[0], whole[:, [2]])
            assert not torch.allclose(whole, plain)


def test_of_the_last_layer_no_token_is_projected_to_a_key_or_a_value():
    model = small_model("bert")
    batch = padded_batch(model)
    attention = model.encoder.layer[-1].attention.self
    calls = []
    for projection in (attention.query, attention.key, attention.value):
        projection.register_forward_hook(lambda *_: calls.append(1))
    with torch.no_grad(), only_places(model, (0,)):
        model(**batch)
    assert not calls


def test_as_many_places_as_a_head_has_dimensions_are_read_in_the_usual_way():
    model = small_model("bert")
    batch = padded_batch(model)
    attention = model.encoder.layer[-1].attention.self
    places = tuple([1] * attention.attention_head_size)
    with torch.no_grad():
        whole = model(**batch)[0]
        with only_places(model, places):
            torch.testing.assert_close(model(**batch)[0], whole[:, list(places)])
