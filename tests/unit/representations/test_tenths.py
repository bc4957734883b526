"""Estimates without each tenth of a text: those of the rest, whatever way they were computed."""

import numpy as np
import pytest
import torch

from headwork.representations.distances.jackknife import NUMBER, cut_by, means_without, tenths
from headwork.representations.distances.pwcca import pwcca
from headwork.representations.information.mutual_information import information, mutual_information


@pytest.fixture
def parts():
    """Tenths of unequal numbers of tokens, the last without any."""
    return np.random.default_rng(0).choice(NUMBER, 600, p=[0.2, *[0.1] * 8, 0])


def test_tenths_are_of_sentences_in_their_order():
    assert tenths([0, 0, 4, 5, 49]).tolist() == [0, 0, 0, 1, 9]
    assert tenths(np.arange(3)).tolist() == [0, 3, 6]


def test_rows_of_each_tenth(parts):
    rows = cut_by(parts)
    assert len(rows) == NUMBER
    for number, own in enumerate(rows):
        assert own.tolist() == np.flatnonzero(parts == number).tolist()


def test_means(parts):
    values = np.random.default_rng(1).normal(size=600)
    expected = [values[parts != number].mean() for number in range(NUMBER)]
    assert means_without(values, parts) == pytest.approx(expected)
    alone = means_without(values[:3], np.zeros(3, dtype=np.int64))
    assert np.isnan(alone[0])
    assert alone[1:] == pytest.approx(values[:3].mean())


@pytest.mark.parametrize("variant", ["morcos", "google_compat"])
def test_pwcca(parts, variant):
    torch.manual_seed(0)
    x = torch.randn(600, 7) @ torch.randn(7, 7) + 5
    y = x @ torch.randn(7, 7) + 4 * torch.randn(600, 7)
    found = pwcca(x, y, variant, parts)
    assert found.pwcca == pytest.approx(pwcca(x, y, variant).pwcca)
    expected = [pwcca(x[parts != number], y[parts != number], variant).pwcca for number in range(NUMBER)]
    assert found.without == pytest.approx(expected)
    assert found.distances_without == pytest.approx([1 - value for value in expected])
    assert len(set(found.without)) == NUMBER  # without nothing it is the whole


def test_pwcca_of_no_more_tokens_than_dimensions_is_not_known():
    x = torch.randn(20, 18, generator=torch.Generator().manual_seed(0))
    without = pwcca(x, x.flip(0), parts=tenths(np.arange(20))).without
    assert np.isnan(without).all()


def test_mutual_information(parts):
    chance = np.random.default_rng(2)
    types = chance.integers(0, 20, 600)
    clusters = np.where(chance.random(600) < 0.6, types % 6, chance.integers(0, 6, 600))
    found = information(types, clusters, parts=parts)
    expected = [
        mutual_information(types[parts != number], clusters[parts != number]) for number in range(NUMBER)
    ]
    assert found.without == pytest.approx(expected)
    assert found.value == pytest.approx(mutual_information(types, clusters))
    assert information(types, clusters).without == ()
