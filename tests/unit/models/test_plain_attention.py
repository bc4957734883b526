"""Attention of separate operations is torch's fused one."""

import pytest
import torch
from torch.nn import functional

from headwork.models.numerics.cpu import attention, plain_attention

usual = functional.scaled_dot_product_attention
BOOLEAN = torch.rand(3, 1, 5, 7, generator=torch.Generator().manual_seed(0)) > 0.3


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"attn_mask": BOOLEAN},
        {"attn_mask": torch.where(BOOLEAN, 0.0, -2.0)},
        {"is_causal": True},
        {"scale": 0.7},
    ],
)
def test_output_and_gradients(choices):
    torch.manual_seed(1)
    given = [torch.randn(3, 2, time, 4, requires_grad=True) for time in (5, 7, 7)]
    slope = torch.randn(3, 2, 5, 4)
    results = [
        (out := f(*given, **choices), *torch.autograd.grad(out, given, slope)) for f in (attention, usual)
    ]
    for ours, theirs in zip(*results, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_heads_that_share_keys_and_values():
    given = [torch.randn(3, heads, time, 4) for heads, time in ((4, 5), (2, 7), (2, 7))]
    ours, theirs = (f(*given, attn_mask=BOOLEAN, enable_gqa=True) for f in (attention, usual))
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_a_query_without_keys_gets_numbers():
    nothing = torch.zeros(1, 1, 2, 3, dtype=torch.bool)
    assert attention(*(torch.randn(1, 1, time, 4) for time in (2, 3, 3)), attn_mask=nothing).isfinite().all()


def test_dropout_scales_what_is_left():
    torch.manual_seed(0)
    ones = torch.ones(1, 1, 400, 1)
    out = attention(ones, ones, ones, dropout_p=0.5)
    assert out.mean().item() == pytest.approx(1, abs=0.01)
    assert out.std().item() == pytest.approx(1 / 400**0.5, rel=0.2)


def test_the_usual_attention_comes_back():
    def interrupted():
        with plain_attention():
            assert functional.scaled_dot_product_attention is attention
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        interrupted()
    assert functional.scaled_dot_product_attention is usual
