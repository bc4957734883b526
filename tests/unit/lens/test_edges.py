"""Attention along some edges only: against removing the others by hand, and the ends of all and of none."""

import pytest
import torch
from small_models import padded_batch, small_model

from headwork.errors import InputError
from headwork.lens.edges import only_edges
from headwork.lens.lens import Lens
from headwork.sites import Site

SITE = Site("encoder", 2)


@pytest.mark.parametrize("family", ["bert classifier", "marian"])
def test_all_edges_are_the_whole_model_and_none_are_gates_of_zero(family):
    model = small_model(family)
    batch = padded_batch(model)
    shape = (3, 9, 9)
    with Lens(model) as lens, torch.no_grad():
        whole = model(**batch)[0]
        with only_edges(lens, {SITE: torch.ones(shape).bool()}):
            torch.testing.assert_close(model(**batch)[0], whole)
        with only_edges(lens, {SITE: torch.zeros(shape).bool()}):
            nothing = model(**batch)[0]
        with lens.gating({SITE: torch.zeros(lens.anatomy.part(SITE).heads)}):
            torch.testing.assert_close(nothing, model(**batch)[0])
        assert torch.equal(model(**batch)[0], whole)


def test_the_equation_for_each_text():
    """A head's context is Σ_j A[i, j] V[j] over the edges that stay."""
    model = small_model("bert")
    batch = padded_batch(model)
    torch.manual_seed(0)
    edges = torch.rand(3, 9, 9) < 0.4
    seen, handed = [], []
    with Lens(model) as lens, torch.no_grad():
        with lens.observing(seen.append, sites=[SITE]):
            model(**batch)
        handing = lens.handing(lambda site, contexts: handed.append(contexts.clone()), [SITE])
        with only_edges(lens, {SITE: edges}), handing:
            model(**batch)
    weights, value = (torch.cat([getattr(each, name) for each in seen]) for name in ("weights", "value"))
    for text in range(3):
        for i in range(9):
            found = handed[0][text, i]
            kept = (weights[text, :, i, j, None] * value[text, :, j] for j in range(9) if edges[text, i, j])
            torch.testing.assert_close(found, sum(kept, torch.zeros_like(found)))


def test_a_site_that_is_not_there():
    edges = {Site("cross", 1): torch.ones(1, 1, 1).bool()}
    with Lens(small_model("bert")) as lens, pytest.raises(InputError, match="no attention cross 1; it has"):
        only_edges(lens, edges).__enter__()
