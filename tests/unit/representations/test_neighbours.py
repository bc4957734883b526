"""Nearest neighbours: exact, in pieces, without oneself, and what they share."""

import numpy as np
import pytest
import torch
from sklearn.neighbors import NearestNeighbors

from headwork.errors import InputError
from headwork.representations.information import neighbours
from headwork.representations.information.neighbours import distance, nearest, same


@pytest.fixture
def vectors():
    torch.manual_seed(0)
    return torch.randn(300, 12, dtype=torch.float64)


@pytest.mark.parametrize("metric", ["l2", "cosine"])
@pytest.mark.parametrize("rows", [1, 37, 1000])
def test_scikit_learn_finds_the_same(vectors, metric, rows, monkeypatch):
    monkeypatch.setattr(neighbours, "AT_ONCE", 300 * 8 * rows)
    found = nearest(vectors, 8, metric)
    search = NearestNeighbors(
        n_neighbors=8, metric="euclidean" if metric == "l2" else "cosine", algorithm="brute"
    )
    np.testing.assert_array_equal(found.numpy(), search.fit(vectors.numpy()).kneighbors()[1])


def test_what_all_vectors_have_in_common_hides_no_neighbour(vectors):
    shifted = vectors.float()
    shifted[:, 0] += 3000
    np.testing.assert_array_equal(nearest(shifted, 8).numpy(), nearest(shifted.double(), 8).numpy())


def test_nobody_is_a_neighbour_of_its_own_but_a_twin_is(vectors):
    vectors[5] = vectors[9]
    found = nearest(vectors, 3)
    assert not (found == torch.arange(300)[:, None]).any()
    assert found[5, 0] == 9
    assert found[9, 0] == 5


def test_shares_by_hand():
    near = torch.tensor([[1, 2], [0, 2], [0, 1]])
    assert same(torch.tensor([7, 7, 4]), near).tolist() == [0.5, 0.5, 0]
    assert distance(torch.tensor([1, 5, 2]), near).tolist() == [2.5, 3.5, 2]


def test_clusters_keep_their_labels_and_shuffled_labels_are_at_chance():
    torch.manual_seed(1)
    labels = torch.arange(4).repeat_interleave(50)
    near = nearest(torch.eye(4)[labels] * 30 + torch.randn(200, 4), 10)
    assert same(labels, near).mean() == 1
    assert same(labels[torch.randperm(200)], near).mean() == pytest.approx(0.25, abs=0.05)


def test_what_is_refused(vectors):
    with pytest.raises(InputError, match="300 of each of 300 vectors; ask for 1 to 299"):
        nearest(vectors, 300)
