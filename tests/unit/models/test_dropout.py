"""Dropout with cheap masks."""

import pytest
import torch
from torch.nn import functional

from headwork.models.numerics.cpu import cheap_dropout, dropout


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_rate_and_mean(rate):
    torch.manual_seed(0)
    ones = torch.ones(1001, 999)
    dropped = dropout(ones, rate)
    assert (dropped == 0).float().mean().item() == pytest.approx(rate, abs=2e-3)
    assert dropped.mean().item() == pytest.approx(1, abs=2e-3)
    assert dropped.unique().tolist() == pytest.approx([0, 1 / (1 - rate)], rel=1e-4)


def test_entries_are_independent():
    torch.manual_seed(0)
    kept = (dropout(torch.ones(200_000), 0.5) > 0).float() - 0.5
    for lag in 1, 2, 3, 4:
        assert (kept[lag:] * kept[:-lag]).mean().abs().item() < 4 * 0.25 / 200_000**0.5


def test_gradient_passes_where_kept():
    torch.manual_seed(0)
    values = torch.ones(100, requires_grad=True)
    out = dropout(values, 0.3)
    out.sum().backward()
    torch.testing.assert_close(values.grad, out.detach())


def test_nothing_drops_at_rate_zero_or_in_evaluation():
    values = torch.randn(7)
    assert dropout(values, 0.0) is values
    assert dropout(values, 0.5, training=False) is values


def test_the_usual_dropout_comes_back():
    usual = functional.dropout

    def interrupted():
        with cheap_dropout():
            assert functional.dropout is dropout
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        interrupted()
    assert functional.dropout is usual
