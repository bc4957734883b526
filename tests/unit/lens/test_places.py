"""The last layer for some places only: the same numbers there, and nothing left behind."""

import pytest
import torch
from small_models import padded_batch, small_model

from headwork.lens.places import only_places


@pytest.mark.parametrize("family", ["bert", "bert masked lm", "roberta", "electra"])
def test_these_places_are_as_they_were(family):
    model = small_model(family)
    batch = padded_batch(model)
    with torch.no_grad():
        whole = model(**batch)[0]
        with only_places(model, (0, 3)) as fewer:
            found = model(**batch)[0]
        assert fewer
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
        assert not fewer
        assert model(**batch)[0].shape[1] > 1
