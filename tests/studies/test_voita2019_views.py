"""Views of voita2019: densities of figure 6 against their distribution, places, squares, and the shown sentence."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.integrate import quad
from studies.voita2019 import drawings
from studies.voita2019.drawings import concrete, p_closed_and_open, stretched

from headwork.models.gates.hard_concrete import HardConcrete

STRETCH = (-0.1, 1.1)


@pytest.mark.parametrize(
    ("log_a", "published"), [(0.0, (0.23, 0.23)), (2.0, (0.04, 0.69)), (-3.0, (0.86, 0.01))]
)
def test_the_paper_s_labels(log_a, published):
    assert p_closed_and_open(log_a, 0.5, STRETCH) == pytest.approx(published, abs=0.005)


def test_the_concrete_of_one_half_is_known():
    # T = 1 and log a = 0: s = u, so the density is 1; T = 1/2: P = sigmoid(logit(x) / 2), at 1/2 a quarter times 2
    x = np.array([0.1, 0.5, 0.7])
    assert concrete(x, 0.0, 1.0).tolist() == pytest.approx([1, 1, 1])
    assert concrete(np.array([0.5]), 0.0, 0.5)[0] == pytest.approx(0.5)


@pytest.mark.parametrize("temperature", [0.33, 0.5, 2.0])
@pytest.mark.parametrize("log_a", [-3.0, 0.0, 2.0])
def test_density_and_point_masses_sum_to_one(log_a, temperature):
    inside = quad(lambda x: stretched(np.array([x]), log_a, temperature, STRETCH)[0], 0, 1)[0]
    assert inside + sum(p_closed_and_open(log_a, temperature, STRETCH)) == pytest.approx(1, abs=1e-6)


def test_samples_of_the_gates_fall_where_the_density_says():
    torch.manual_seed(1)
    gates = HardConcrete(torch.full((200_000,), 0.7), 0.5, STRETCH).sample().detach().numpy()
    ends = np.linspace(0, 1, 6)
    for low, high in pairwise(ends):
        expected = quad(lambda x: stretched(np.array([x]), 0.7, 0.5, STRETCH)[0], low, high)[0]
        found = np.mean((gates > low) & (gates < high))
        assert found == pytest.approx(expected, abs=5 * np.sqrt(expected / 200_000))
    closed, opened = p_closed_and_open(0.7, 0.5, STRETCH)
    assert np.mean(gates == 0) == pytest.approx(closed, abs=0.005)
    assert np.mean(gates == 1) == pytest.approx(opened, abs=0.005)


def test_ranks_put_ties_to_the_lower_head():
    values = pd.DataFrame({"layer": [1, 1, 1], "head": [3, 2, 1], "value": [0.5, 0.5, 0.9]})
    order = drawings.ranks(values).set_index("head")["place"]
    assert order.to_dict() == {1: 1, 2: 2, 3: 3}


def test_half_squares_are_put_together():
    counts = pd.DataFrame(
        [
            (6, "positional", 2.0),
            (6, "syntactic", 2.5),
            (6, "rare", 0.5),
            (6, "none", 1.0),
            (1, "positional or syntactic", 1.0),
        ],
        columns=["kept", "group", "value"],
    )
    squares = drawings.squares_of_counts(counts)
    assert squares.groupby("kept").size().to_dict() == {1: 1, 6: 6}
    assert squares["groups"].tolist().count(("syntactic", "rare")) == 1
    assert squares[squares["kept"] == 1]["groups"].tolist() == [("positional", "syntactic")]
    back = drawings.counts_of_squares(squares[squares["kept"] == 6]).set_index("group")["value"]
    assert back.to_dict() == {"positional": 2, "syntactic": 2.5, "rare": 0.5, "none": 1}
