"""Points of a plane are found again; stress is scikit-learn's; the permutation test finds layers and nothing else."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import MDS

from headwork.errors import InputError
from headwork.representations.projections.heads import layer_permutation_test, matrix, on_a_plane
from headwork.sites import Head

CHANCE = np.random.default_rng(0)
POINTS = CHANCE.normal(size=(12, 2))
HEADS = [Head("encoder", layer, head) for layer in range(1, 5) for head in range(1, 4)]


def table_of(heads, distances):
    rows = [
        (*one, "distance", str(other), distances[i, j], 7)
        for i, one in enumerate(heads)
        for j, other in enumerate(heads)
    ]
    table = pd.DataFrame(rows, columns=["kind", "layer", "head", "statistic", "key", "value", "count"])
    return table.sample(frac=1, random_state=0)


def test_the_matrix_is_in_the_order_of_the_heads():
    heads = [Head("encoder", layer, 1) for layer in range(1, 13)]  # "encoder 10-1" sorts before "encoder 2-1"
    distances = squareform(pdist(POINTS))
    found, values = matrix(table_of(heads, distances))
    assert found == heads
    np.testing.assert_array_equal(values, distances)


def test_a_distance_that_is_given_twice():
    table = table_of(HEADS, squareform(pdist(POINTS)))
    with pytest.raises(ValueError, match="duplicate"):
        matrix(pd.concat([table, table[:1]]))


def test_no_distances():
    with pytest.raises(InputError, match="no distances between decoder heads"):
        matrix(table_of(HEADS, squareform(pdist(POINTS))), "decoder")


@pytest.mark.parametrize("method", ["metric", "classical"])
def test_points_of_a_plane_are_found_again(method):
    """Up to rotation, reflection, shift and scale."""
    plane = on_a_plane(squareform(pdist(POINTS)), method)
    assert plane.stress < 1e-3
    assert procrustes(POINTS, plane.points)[2] < 1e-5


def test_stress_is_that_of_scikit_learn_and_the_same_seed_gives_the_same_points():
    distances = squareform(pdist(CHANCE.random((15, 6))))
    first, second = (on_a_plane(distances, seed=3, starts=2) for _ in range(2))
    assert np.array_equal(first.points, second.points)
    scaling = MDS(
        2,
        n_init=2,
        init="random",
        max_iter=1000,
        eps=1e-10,
        metric="precomputed",
        random_state=3,
        normalized_stress=True,
    )
    scaling.fit(distances)
    assert first.stress == pytest.approx(scaling.stress_, rel=1e-3)
    assert first.stress <= on_a_plane(distances, "classical").stress


def test_heads_of_one_layer_hang_together_where_they_do():
    centres = np.repeat(10 * np.random.default_rng(1).normal(size=(4, 2)), 3, axis=0)
    found = layer_permutation_test(HEADS, squareform(pdist(centres + POINTS)), permutations=999)
    assert found.within < found.between
    assert found.p <= 2 / 1000


def test_chance_is_no_layer():
    """Over many draws p is even: the share under 0.2 is about a fifth."""
    values = []
    for seed in range(100):
        points = np.random.default_rng(seed).normal(size=(12, 2))
        values.append(layer_permutation_test(HEADS, squareform(pdist(points)), 99, seed).p)
    assert 0.1 <= np.mean(np.array(values) <= 0.2) <= 0.3
    assert min(values) >= 1 / 100


def test_the_test_by_hand():
    """Three heads: of the three ways to pair two of them, one is as near."""
    heads = [Head("encoder", 1, 1), Head("encoder", 1, 2), Head("encoder", 2, 1)]
    distances = np.array([[0, 1, 3], [1, 0, 4], [3, 4, 0]], dtype=float)
    found = layer_permutation_test(heads, distances, permutations=3000)
    assert (found.within, found.between) == (1, 3.5)
    assert found.p == pytest.approx(1 / 3, abs=0.04)


def test_layers_that_cannot_be_compared():
    for layers in ([1, 1, 1], [1, 2, 3]):
        heads = [Head("encoder", layer, number) for number, layer in enumerate(layers, start=1)]
        with pytest.raises(InputError, match="layers cannot be compared"):
            layer_permutation_test(heads, squareform(pdist(POINTS[:3])))
