"""PWCCA: its equation restated, what it does not depend on, its bias, and the variant of 2019."""

import numpy as np
import pytest
import torch
from sklearn.cross_decomposition import CCA

from headwork.errors import InputError
from headwork.representations.distances.pwcca import floor, pwcca


@pytest.fixture
def data():
    torch.manual_seed(0)
    x = torch.randn(400, 6, dtype=torch.float64) @ torch.randn(6, 6, dtype=torch.float64)
    y = x[:, :4] @ torch.randn(4, 5, dtype=torch.float64) + 2 * torch.randn(400, 5, dtype=torch.float64)
    return x + 3, y


def restated(x, y):
    """Canonical variates by whitening with inverse roots of covariances, weights from them."""
    x, y = (each.numpy() - each.numpy().mean(0) for each in (x, y))

    def inverse_root(a):
        values, vectors = np.linalg.eigh(a)
        return vectors @ np.diag(values**-0.5) @ vectors.T

    root_x, root_y = inverse_root(x.T @ x), inverse_root(y.T @ y)
    u, rho, _ = np.linalg.svd(root_x @ x.T @ y @ root_y, full_matrices=False)
    variates = x @ root_x @ u
    weights = np.abs(variates.T @ x).sum(1)
    return (weights / weights.sum() * rho).sum(), rho, u, root_x


def test_equation(data):
    expected, rho, _, _ = restated(*data)
    found = pwcca(*data)
    assert found.pwcca == pytest.approx(expected)
    assert found.correlations == pytest.approx(rho)
    assert found.distance == pytest.approx(1 - expected)


def test_scikit_learn_finds_the_same_first_correlation(data):
    x, y = (each.numpy() for each in data)
    one, other = CCA(1, max_iter=5000, tol=1e-12).fit(x, y).transform(x, y)
    assert pwcca(*data).correlations[0] == pytest.approx(np.corrcoef(one[:, 0], other[:, 0])[0, 1], abs=1e-4)


def test_invertible_maps_of_y_change_nothing_and_of_x_do(data):
    x, y = data
    matrix = torch.randn(5, 5, dtype=torch.float64)
    assert pwcca(x, y @ matrix + 4).pwcca == pytest.approx(pwcca(x, y).pwcca)
    assert pwcca(x, x @ torch.randn(6, 6, dtype=torch.float64)).pwcca == pytest.approx(1)
    stretched = x * torch.tensor([9.0, 1, 1, 1, 1, 1])
    assert pwcca(stretched, y).pwcca != pytest.approx(pwcca(x, y).pwcca, abs=1e-3)
    assert pwcca(x, y).pwcca != pytest.approx(pwcca(y, x).pwcca, abs=1e-3)


def test_directions_in_which_nothing_varies_do_not_count(data):
    x, y = data
    wide = torch.cat([x, x[:, :1] - x[:, 1:2], torch.ones(400, 1)], dim=1)
    found = pwcca(wide, y)
    assert len(found.correlations) == 5
    assert found.correlations == pytest.approx(pwcca(x, y).correlations)


@pytest.mark.parametrize(("tokens", "expected"), [(1000, 0.645), (2000, 0.441)])
def test_independent_vectors_of_512_dimensions(tokens, expected):
    """Figures of a simulation: the fewer tokens, the more alike they seem."""
    assert floor(tokens, 512, repeats=1) == pytest.approx(expected, abs=0.02)


def test_the_variant_of_2019(data):
    """Its steps restated: directions not whitened, means of neurons added, QR, weights of neurons with their means."""
    x, y = data[1], data[0]  # so that there are as many directions as the first has neurons
    _, rho, u, _ = restated(x, y)
    for signs in (np.ones(5), -np.ones(5)):  # the sign of a direction is nobody's choice
        neurons, means = x.numpy(), x.numpy().mean(0)
        directions = np.linalg.qr((neurons - means) @ (u * signs) + means)[0]
        weights = np.abs(directions.T @ neurons).sum(1)
        expected = (weights / weights.sum() * rho).sum()
        assert pwcca(x, y, "google_compat").pwcca == pytest.approx(expected, abs=0.02)
    assert pwcca(x, x @ torch.randn(5, 5, dtype=torch.float64), "google_compat").pwcca == pytest.approx(1)


def test_what_is_refused(data):
    x, y = data
    with pytest.raises(InputError, match="400 and 399 vectors; give two sets of the same tokens"):
        pwcca(x, y[1:])
    with pytest.raises(
        InputError, match="6 tokens for 6 dimensions, for which any two sets have PWCCA 1; give more"
    ):
        pwcca(x[:6], y[:6])
