"""Removing heads by importance: orders, gates, and a model in which one head matters."""

import numpy as np
import pandas as pd
import pytest
import torch
from tiny_bert import tiny_bert, word_tokenizer

from headwork.errors import InputError
from headwork.lens.lens import Lens
from headwork.pruning.ranking import answers_by_share, area, gates_without, order, random_order
from headwork.sites import Head, Site

HEADS = [Head("encoder", layer, head) for layer in (1, 2) for head in (1, 2)]


def test_the_least_important_come_first_and_equal_ones_in_their_places():
    table = pd.DataFrame(
        [("encoder", 2, 1, 0.1), ("encoder", 1, 2, 0.5), ("encoder", 2, 2, 0.3), ("encoder", 1, 1, 0.1)],
        columns=["kind", "layer", "head", "value"],
    )
    assert order(table) == [HEADS[0], HEADS[2], HEADS[3], HEADS[1]]


def test_a_random_order_is_seeded_and_has_every_head():
    assert random_order(HEADS, 1) == random_order(HEADS, 1)
    assert sorted(random_order(HEADS, 2)) == sorted(HEADS)
    assert len({tuple(random_order(HEADS, seed)) for seed in range(20)}) > 5


def test_gates_are_zero_for_removed_heads():
    sites = {Site("encoder", 1): 2, Site("encoder", 2): 2}
    gates = gates_without(sites, [HEADS[1], HEADS[2]])
    assert {site: gate.tolist() for site, gate in gates.items()} == {
        Site("encoder", 1): [1, 0],
        Site("encoder", 2): [0, 1],
    }
    with pytest.raises(InputError, match=r"no head encoder 3-1; the model has encoder 1 \(2\)"):
        gates_without(sites, [Head("encoder", 3, 1)])


def test_answers_at_every_share():
    model = tiny_bert(word_tokenizer("abcdefgh"), initializer_range=0.5)
    torch.manual_seed(0)
    batch = {"input_ids": torch.randint(5, 13, (2, 6))}
    answer = lambda model, batch: model.bert(**batch).last_hidden_state.numpy()  # noqa: E731
    orders = {"up": HEADS, "down": HEADS[::-1]}
    (found,) = answers_by_share(model, [batch], answer, orders, (0.0, 0.25, 0.45, 1.0))
    assert set(found) == {(name, share) for name in orders for share in (0.0, 0.25, 0.45, 1.0)}
    with torch.no_grad():
        np.testing.assert_allclose(found["up", 0.0], answer(model, batch), atol=1e-6)
        with Lens(model) as lens, lens.gating({Site("encoder", 1): torch.tensor([0.0, 1.0])}):
            expected = answer(model, batch)
    np.testing.assert_allclose(found["up", 0.25], expected, atol=1e-6)
    np.testing.assert_array_equal(found["up", 0.45], found["up", 0.25])  # int(4 x .45) = 1
    np.testing.assert_array_equal(found["up", 1.0], found["down", 1.0])
    assert not np.allclose(found["up", 0.25], found["down", 0.25])


def test_areas():
    assert area([0.0, 0.5, 1.0], [0.8, 0.8, 0.8]) == pytest.approx(0.8)
    assert area([0.0, 0.5, 1.0], [1.0, 0.5, 0.0]) == pytest.approx(0.5)
