"""Muon for the matrices inside a model's layers and Adam for all else, as one optimizer.

Muon (Jordan et al. 2024) replaces the momentum of a matrix by its nearest orthogonal matrix; Liu et al. 2025 ("Muon is
scalable for LLM training", section 2.2) scale the update to the root mean square of Adam's, so that both share one
learning rate. PyTorch's Adam updates embeddings, output layer, biases, layer norms and gates.

PyTorch's own Muon iterates in bf16, one matrix after the other: 70 times slower than fp32 on a CPU without bf16
instructions, and rounded differently from machine to machine. Here all matrices of one shape are iterated at once, in
fp32.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

MOMENTUM = 0.95
# Jordan et al. 2024: five steps of a x + b x^3 + c x^5 bring singular values of 0.01 and more to between 0.7 and 1.2
COEFFICIENTS = (3.4445, -4.7750, 2.0315)
STEPS = 5


def hidden_matrices(model: nn.Module) -> list[nn.Parameter]:
    """The trained weights of the model's linear layers, without those that are also embeddings."""
    modules = list(model.modules())
    embeddings = {id(module.weight) for module in modules if isinstance(module, nn.Embedding)}
    weights = [module.weight for module in modules if isinstance(module, nn.Linear)]
    return [weight for weight in weights if weight.requires_grad and id(weight) not in embeddings]


def orthogonalised(matrices: Tensor) -> Tensor:
    """Matrices (n, rows, columns) with their singular values brought near 1, by Newton-Schulz iterations."""
    wide = matrices if matrices.shape[1] <= matrices.shape[2] else matrices.mT
    wide = wide / wide.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    a, b, c = COEFFICIENTS
    for _ in range(STEPS):
        gram = wide @ wide.mT
        wide = torch.baddbmm(wide, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), wide, beta=a)
    return wide if wide.shape == matrices.shape else wide.mT


class Muon(Optimizer):
    """W <- (1 - eta lambda) W - 0.2 eta sqrt(max(rows, columns)) orthogonalised(Nesterov momentum of the gradient)."""

    def __init__(self, groups: list[dict[str, Any]]) -> None:
        super().__init__(groups, {"momentum": MOMENTUM})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:
        """Update all matrices that have a gradient; `closure` is not supported."""
        for group in self.param_groups:
            by_shape = defaultdict(list)
            for weight in group["params"]:
                if weight.grad is not None:
                    by_shape[weight.shape].append(weight)
            for shape, weights in by_shape.items():
                averages = [self._average(weight) for weight in weights]
                gradients = [weight.grad for weight in weights]
                torch._foreach_lerp_(averages, gradients, 1 - group["momentum"])
                ahead = torch._foreach_lerp(gradients, averages, group["momentum"])
                torch._foreach_mul_(weights, 1 - group["lr"] * group["weight_decay"])
                directions = list(orthogonalised(torch.stack(ahead)))
                torch._foreach_add_(weights, directions, alpha=-group["lr"] * 0.2 * max(shape) ** 0.5)

    def _average(self, weight: nn.Parameter) -> Tensor:
        """The running average of a weight's gradients, 0 before the first."""
        state = self.state[weight]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(weight)
        return state["momentum_buffer"]


class MuonWithAdam(Optimizer):
    """The groups of `adam`, of which the `matrices` are updated by Muon, with the same rate and weight decay."""

    def __init__(self, adam: AdamW, matrices: list[nn.Parameter]) -> None:
        self.adam = adam
        chosen = {id(weight) for weight in matrices}
        groups, taken = [], []
        for group in adam.param_groups:
            own = [weight for weight in group["params"] if id(weight) in chosen]
            rest = [weight for weight in group["params"] if id(weight) not in chosen]
            taken += [(own, group)] if own else []
            groups += [group | {"params": rest}] if rest else []
        self.muon = Muon(
            [{"params": own, **{key: group[key] for key in ("lr", "weight_decay")}} for own, group in taken]
        )
        super().__init__([*self.muon.param_groups, *groups], adam.defaults)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:
        """Update all weights; `closure` is not supported."""
        for half, is_muon in ((self.muon, True), (self.adam, False)):
            # schedules, new groups and loaded states change this optimizer, so its halves are pointed at it anew
            half.param_groups = [group for group in self.param_groups if ("momentum" in group) is is_muon]
            half.state = self.state
            half.step()
