"""Muon for hidden matrices with Adam for the rest: each half updates its own weights, and by its own equation."""

from copy import deepcopy

import pytest
import torch
from torch import nn

from headwork.models.training.optimizer import MOMENTUM, Muon, MuonWithAdam, hidden_matrices, orthogonalised

RATE = 0.01


class Tied(nn.Module):
    """Embeddings that are also the output layer, and two matrices between them."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.embeddings = nn.Embedding(11, 8)
        self.up, self.down = nn.Linear(8, 24), nn.Linear(24, 8)
        self.out = nn.Linear(8, 11, bias=False)
        self.out.weight = self.embeddings.weight

    def forward(self, pieces):
        return self.out(self.down(torch.tanh(self.up(self.embeddings(pieces)))))


def adam_of(model: nn.Module) -> torch.optim.AdamW:
    return torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0, fused=True)


def update(model: nn.Module, optimizer: torch.optim.Optimizer, seed: int) -> None:
    pieces = torch.randint(11, (32,), generator=torch.Generator().manual_seed(seed))
    nn.functional.cross_entropy(model(pieces), (pieces + 1) % 11).backward()
    optimizer.step()
    optimizer.zero_grad()


def test_matrices_are_those_of_linear_layers_that_are_no_embeddings() -> None:
    model = Tied()
    model.down.weight.requires_grad_(False)
    assert [id(weight) for weight in hidden_matrices(model)] == [id(model.up.weight)]


def test_a_matrix_moves_by_an_orthogonal_one_of_the_size_of_adams_updates() -> None:
    """W - eta 0.2 sqrt(max(m, n)) U V^T, from the SVD of the Nesterov momentum; singular values are only near 1."""
    model = Tied()
    before = model.up.weight.detach().clone()
    optimizer = MuonWithAdam(adam_of(model), hidden_matrices(model))
    pieces = torch.arange(11)
    nn.functional.cross_entropy(model(pieces), (pieces + 1) % 11).backward()
    gradient = model.up.weight.grad.clone()
    optimizer.step()
    momentum = (1 - MOMENTUM) * gradient
    left, _, right = torch.linalg.svd((1 - MOMENTUM) * gradient + MOMENTUM * momentum, full_matrices=False)
    moved = (before - model.up.weight.detach()) / (RATE * 0.2 * 24**0.5)
    along = torch.diagonal(left.T @ moved @ right.T)
    assert ((along > 0.6) & (along < 1.3)).all()
    assert (moved - left @ torch.diag(along) @ right).norm() / moved.norm() < 0.1


def test_singular_values_follow_the_polynomial_of_the_iteration() -> None:
    """x <- 3.4445 x - 4.7750 x^3 + 2.0315 x^5, five times, from a matrix of norm 1; singular vectors stay."""
    left, _, right = torch.linalg.svd(torch.randn(2, 6, 9, dtype=torch.float64), full_matrices=False)
    values = torch.tensor([0.8, 0.5, 0.3, 0.1, 0.05, 0.01], dtype=torch.float64)
    values = values / values.norm()
    expected = values
    for _ in range(5):
        expected = 3.4445 * expected - 4.7750 * expected**3 + 2.0315 * expected**5
    scaled = left @ torch.diag_embed(torch.stack([values, values])) @ right * 7
    torch.testing.assert_close(orthogonalised(scaled), left @ torch.diag(expected) @ right)
    torch.testing.assert_close(orthogonalised(scaled.mT), (left @ torch.diag(expected) @ right).mT)


def test_it_agrees_with_pytorchs_but_for_the_rounding_of_bf16() -> None:
    torch.manual_seed(2)
    ours = [nn.Parameter(torch.randn(shape)) for shape in ((8, 24), (8, 24), (24, 8), (5, 5))]
    theirs = [nn.Parameter(weight.detach().clone()) for weight in ours]
    one = Muon([{"params": ours, "lr": RATE, "weight_decay": 0.1}])
    other = torch.optim.Muon(
        theirs, lr=RATE, weight_decay=0.1, momentum=MOMENTUM, adjust_lr_fn="match_rms_adamw"
    )
    for _ in range(4):
        before = ours[-1].detach().clone()
        for mine, its in zip(ours, theirs, strict=True):
            mine.grad = torch.randn(mine.shape)
            its.grad = mine.grad.clone()
        one.step()
        other.step()
    for mine, its in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, its, atol=0.1 * RATE, rtol=0)
    assert (ours[-1] - before).abs().mean() > 0.1 * RATE, "the tolerance is far below a step"


def test_all_other_weights_move_as_with_adam_alone() -> None:
    model = Tied()
    other = deepcopy(model)
    update(model, MuonWithAdam(adam_of(model), hidden_matrices(model)), seed=0)
    update(other, adam_of(other), seed=0)
    for name in ("embeddings.weight", "up.bias", "down.bias"):
        assert torch.equal(model.get_parameter(name), other.get_parameter(name))
    assert not torch.equal(model.up.weight, other.up.weight)


def test_it_goes_on_from_its_state_bit_by_bit() -> None:
    model = Tied()
    optimizer = MuonWithAdam(adam_of(model), hidden_matrices(model))
    for seed in range(3):
        update(model, optimizer, seed)
    copy = deepcopy(model)
    resumed = MuonWithAdam(adam_of(copy), hidden_matrices(copy))
    resumed.load_state_dict(deepcopy(optimizer.state_dict()))
    for seed in range(3, 6):
        update(model, optimizer, seed)
        update(copy, resumed, seed)
    assert all(torch.equal(copy.get_parameter(name), each) for name, each in model.named_parameters())


def test_a_schedule_reaches_both_halves_and_added_groups_are_adams() -> None:
    model = Tied()
    gate = nn.Parameter(torch.zeros(3))
    optimizer = MuonWithAdam(adam_of(model), hidden_matrices(model))
    optimizer.add_param_group({"params": [gate], "lr": 0.5, "maximize": True})
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.0 if step else 1.0)
    gate.grad = torch.ones(3)
    optimizer.step()
    assert gate.tolist() == pytest.approx([0.5] * 3)  # Adam's first step is the rate, here upwards
    schedule.step()
    before = deepcopy(model.state_dict())
    update(model, optimizer, seed=0)
    assert all(torch.equal(before[name], each) for name, each in model.state_dict().items())
