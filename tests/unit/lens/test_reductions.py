"""Peak and entropy: hand-made rows, and the vectorised way against torch's."""

import math

import pytest
import torch

from headwork.lens.reductions import entropy, peak


def test_hand_made_rows():
    rows = torch.tensor([[[[0.25, 0.25, 0.25, 0.25], [0.0, 1.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.5]]]])
    torch.testing.assert_close(entropy(rows), torch.tensor([[[math.log(4), 0.0, math.log(2)]]]))
    highest, key = peak(rows)
    assert highest.tolist() == [[[0.25, 1.0, 0.5]]]
    assert key.tolist() == [[[0, 1, 0]]], "the first of several equal keys"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("gradients", [False, True])
def test_both_ways_agree(dtype: torch.dtype, gradients: bool):
    torch.manual_seed(0)
    weights = (
        (torch.randn(3, 4, 7, 33) * 4).softmax(-1).masked_fill(torch.rand(3, 4, 7, 33) < 0.2, 0.0).to(dtype)
    )
    expected = torch.special.entr(weights.double()).sum(-1)
    weights.requires_grad_(gradients)
    tolerance = 0.05 if dtype == torch.bfloat16 else 1e-5
    torch.testing.assert_close(entropy(weights).double(), expected, atol=tolerance, rtol=tolerance)
    highest, key = peak(weights)
    assert torch.equal(highest, weights.amax(-1))
    assert torch.equal(key, weights.argmax(-1))


def test_parts_of_a_larger_tensor():
    weights = torch.rand(2, 3, 5, 8).softmax(-1)[:, 1:, :, 2:6]
    torch.testing.assert_close(entropy(weights), torch.special.entr(weights).sum(-1))
    assert torch.equal(peak(weights)[1], weights.argmax(-1))
