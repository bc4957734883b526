"""Densities of figure 6 against the distribution they belong to: its mass, its samples, and the paper's labels."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from headwork.papers.drawing.densities import concrete, p_closed_and_open, stretched
from scipy.integrate import quad

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
