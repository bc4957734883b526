"""Linear layers with products in bf16: against exact products of the rounded numbers, and against torch's in fp32."""

import pytest
import torch
from torch import nn

from headwork.models.numerics.bf16_products import ROWS, bf16_products, in_bf16, linear
from headwork.models.numerics.smoothed_loss import smoothed_cross_entropy


def rounded(tensor):
    return tensor.bfloat16().double()


@pytest.fixture
def layer():
    torch.manual_seed(0)
    return nn.Linear(24, 16)


@pytest.mark.parametrize("shape", [(1,), (5, 7), (3, 2, ROWS // 3), (ROWS,)])
def test_equation(layer, shape):
    """x W^T + b; G W, G^T x and the sum of G over vectors, with x, W and G rounded to bf16."""
    inputs = torch.randn(*shape, 24, requires_grad=True)
    gradient = torch.randn(*shape, 16)
    found = linear(inputs, layer.weight, layer.bias)
    assert found.dtype == torch.float32
    x, w, g = rounded(inputs), rounded(layer.weight), rounded(gradient)
    torch.testing.assert_close(found.double(), x @ w.t() + layer.bias.double(), rtol=1e-2, atol=1e-2)
    to_inputs, to_weight, to_bias = torch.autograd.grad(found, (inputs, layer.weight, layer.bias), gradient)
    torch.testing.assert_close(to_inputs.double(), g @ w, rtol=1e-2, atol=1e-2)
    to = g.reshape(-1, 16).t() @ x.reshape(-1, 24)
    torch.testing.assert_close(to_weight.double(), to, rtol=1e-2, atol=1e-2)
    # the bias sees no products
    torch.testing.assert_close(to_bias, gradient.reshape(-1, 16).sum(0))
    assert to_weight.dtype == to_inputs.dtype == torch.float32


def test_by_hand():
    """Numbers that bf16 has exactly: (1, 2) by rows (3, 4) and (5, 6), and one half added."""
    inputs = torch.tensor([[1.0, 2.0]], requires_grad=True)
    weight = torch.tensor([[3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    found = linear(inputs, weight, torch.tensor([0.5, -0.5]))
    assert found.tolist() == [[11.5, 16.5]]
    found.backward(torch.tensor([[1.0, 2.0]]))
    assert inputs.grad.tolist() == [[13.0, 16.0]]
    assert weight.grad.tolist() == [[1.0, 2.0], [2.0, 4.0]]


def test_rows_do_not_depend_on_how_many_there_are(layer):
    """The zeros after them are nobody's."""
    inputs = torch.randn(ROWS + 3, 24)
    whole = linear(inputs, layer.weight, layer.bias)
    torch.testing.assert_close(linear(inputs[:5], layer.weight, layer.bias), whole[:5], rtol=1e-2, atol=1e-3)
    assert whole.shape == (ROWS + 3, 16)


def test_what_is_frozen_gets_no_gradient(layer):
    layer.requires_grad_(False)
    inputs = torch.randn(4, 24, requires_grad=True)
    linear(inputs, layer.weight, layer.bias).sum().backward()
    assert inputs.grad is not None
    assert layer.weight.grad is None
    assert layer.bias.grad is None


def test_within_and_where_gradients_are_taken_alone(layer):
    inputs = torch.randn(9, 24)
    exact = layer(inputs)
    with bf16_products():
        assert in_bf16()
        near = layer(inputs)
        with torch.no_grad():
            assert not in_bf16()
            assert torch.equal(layer(inputs), exact)
    assert not in_bf16()
    assert not torch.equal(near, exact)
    torch.testing.assert_close(near, exact, rtol=2e-2, atol=2e-2)
    assert torch.equal(layer(inputs), exact)


def test_the_loss_takes_its_products_so_too():
    torch.manual_seed(0)
    rows, embeddings = (torch.randn(size, 8, requires_grad=True) for size in (50, 30))
    targets = torch.randint(0, 30, (50,))

    def loss_and_gradients():
        loss = smoothed_cross_entropy(rows, embeddings, targets, 0.1)
        return [loss, *torch.autograd.grad(loss, (rows, embeddings))]

    with torch.autocast("cpu", dtype=torch.bfloat16):
        asked_of_all = loss_and_gradients()
    with bf16_products():
        asked_of_these = loss_and_gradients()
    assert all(map(torch.equal, asked_of_these, asked_of_all))
    assert not torch.equal(asked_of_these[1], loss_and_gradients()[1])
