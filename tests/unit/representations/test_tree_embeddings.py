"""The theorems on embeddings of trees, in numbers (Coenen et al. 2019, section 4.1 and appendix)."""

import numpy as np
import pytest

from headwork.representations.geometry.tree_embeddings import (
    exact,
    path_lengths,
    random_branches,
    random_points,
    squared_distances,
)


def has_embedding(distances, power):
    """Whether some points lie so that ‖x - y‖^power are these distances (Schoenberg 1935).

    It is so if -J D J / 2, with the squared lengths D = distances^(2 / power) and J = I - 1/n, has no negative
    eigenvalue.
    """
    squared = distances ** (2 / power)
    centre = np.eye(len(squared)) - 1 / len(squared)
    gram = -centre @ squared @ centre / 2
    return np.linalg.eigvalsh(gram).min() >= -1e-9 * max(1.0, np.abs(gram).max())


#   2 is the root: 1 and 4 hang on it, 3 and 5 on 4
HEADS = [2, 0, 4, 2, 4]


def random_tree(nodes, chance):
    """Every node but the first hangs on an earlier one."""
    return [0, *(int(chance.integers(1, node)) for node in range(2, nodes + 1))]


def star(leaves):
    return [0, *[1] * leaves]


def test_lengths_of_paths_by_hand():
    found = path_lengths(HEADS)
    assert found[0].tolist() == [0, 1, 3, 2, 3]
    assert found[2].tolist() == [3, 2, 0, 1, 2]
    weighted = path_lengths(HEADS, [0.5, 9, 2, 1, 4])
    assert weighted[0, 2] == pytest.approx(0.5 + 1 + 2)
    assert weighted[2, 4] == pytest.approx(6)


@pytest.mark.parametrize("nodes", [2, 5, 12, 30])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_tree_has_a_power_2_embedding(nodes, weighted):
    chance = np.random.default_rng(nodes)
    heads = random_tree(nodes, chance)
    lengths = chance.uniform(0.1, 3, nodes) if weighted else None
    points = exact(heads, lengths)
    assert points.shape == (nodes, nodes - 1)
    assert squared_distances(points) == pytest.approx(path_lengths(heads, lengths))
    assert has_embedding(path_lengths(heads, lengths), 2)


def test_children_stand_at_right_angles():
    points = exact(star(4))
    branches = points[1:] - points[0]
    assert branches @ branches.T == pytest.approx(np.eye(4))


def test_only_trees_without_branching_have_an_isometric_embedding():
    chain = path_lengths([0, 1, 2, 3, 4])
    assert has_embedding(chain, 1)
    assert not has_embedding(path_lengths(star(3)), 1)
    assert not has_embedding(path_lengths(HEADS), 1)


@pytest.mark.parametrize("power", [1.2, 1.5, 1.8, 1.95])
def test_below_2_some_tree_has_no_embedding(power):
    # n leaves of a star lie on a sphere around its centre, where their squared distance is at most 2n / (n - 1)
    leaves = next(n for n in range(3, 200) if 2 ** (2 / power) > 2 * n / (n - 1))
    assert not has_embedding(path_lengths(star(leaves)), power)
    assert has_embedding(path_lengths(star(leaves)), 2)


@pytest.mark.parametrize("power", [2.5, 4])
def test_above_2_every_tree_has_one(power):
    chance = np.random.default_rng(1)
    assert all(has_embedding(path_lengths(random_tree(15, chance)), power) for _ in range(10))


def test_random_branches_are_nearly_an_embedding_if_dimensions_are_many():
    heads = random_tree(20, np.random.default_rng(2))
    gold = path_lengths(heads)
    upper = np.triu_indices(20, 1)

    def error(points):
        return np.abs(squared_distances(points) - gold)[upper].mean()

    many, few = error(random_branches(heads, 20000)), error(random_branches(heads, 20))
    assert many < 0.05 < few
    assert error(random_points(20, 20000)) > 10 * many
