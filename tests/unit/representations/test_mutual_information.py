"""Mutual information: by hand, against scikit-learn, and the controls at both ends."""

import math

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from headwork.errors import InputError
from headwork.representations.information.mutual_information import (
    clusters_of,
    information,
    mutual_information,
)


def test_by_hand():
    types, clusters = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0])
    expected = 0.5 * math.log(0.5 / (0.5 * 0.75)) + 0.25 * math.log(0.25 / (0.5 * 0.25))
    expected += 0.25 * math.log(0.25 / (0.5 * 0.75))
    assert mutual_information(types, clusters) == pytest.approx(expected)


def test_scikit_learn_agrees():
    chance = np.random.default_rng(0)
    types = chance.integers(0, 30, 5000)
    clusters = np.where(chance.random(5000) < 0.5, types % 7, chance.integers(0, 7, 5000))
    assert mutual_information(types, clusters) == pytest.approx(mutual_info_score(types, clusters))


def test_both_ends():
    types = np.random.default_rng(1).zipf(1.5, 20_000).clip(max=50) - 1
    same = information(types, types)
    assert same.value == pytest.approx(same.entropy)
    assert same.n == 20_000
    # independent: the plug-in estimate is (types - 1)(clusters - 1) / 2N too high
    clusters = np.random.default_rng(2).integers(0, 20, 20_000)
    bias = (len(np.unique(types)) - 1) * 19 / (2 * 20_000)
    found = information(types, clusters)
    assert found.value == pytest.approx(bias, rel=0.25)
    assert found.shuffled == pytest.approx(bias, rel=0.25)


def test_clusters_of_well_separated_vectors_tell_their_types():
    chance = np.random.default_rng(3)
    types = chance.integers(0, 8, 2000)
    vectors = (np.eye(8)[types] * 20 + chance.normal(size=(2000, 8))).astype(np.float32)
    found = information(types, clusters_of(vectors, 24, passes=10))
    assert found.value > 0.9 * found.entropy
    assert found.shuffled < 0.1 * found.entropy


def test_fewer_vectors_than_clusters():
    with pytest.raises(InputError, match="10 vectors for 20 clusters; give more vectors, or ask for fewer"):
        clusters_of(np.zeros((10, 2), dtype=np.float32), 20)
