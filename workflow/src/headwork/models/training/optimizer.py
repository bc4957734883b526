"""Muon for the matrices inside a model's layers and Adam for all else, as one optimizer.

Muon (Jordan et al. 2024) replaces the momentum of a matrix by its nearest orthogonal matrix; Liu et al. 2025 ("Muon is
scalable for LLM training", section 2.2) scale the update to the root mean square of Adam's, so that both share one
learning rate. Embeddings, output layer, biases, layer norms and gates are no such matrices. Both halves are PyTorch's.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.optim import AdamW, Muon, Optimizer

MOMENTUM = 0.95


def hidden_matrices(model: nn.Module) -> list[nn.Parameter]:
    """The trained weights of the model's linear layers, without those that are also embeddings."""
    modules = list(model.modules())
    embeddings = {id(module.weight) for module in modules if isinstance(module, nn.Embedding)}
    weights = [module.weight for module in modules if isinstance(module, nn.Linear)]
    return [weight for weight in weights if weight.requires_grad and id(weight) not in embeddings]


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
            [{"params": own, **{key: group[key] for key in ("lr", "weight_decay")}} for own, group in taken],
            momentum=MOMENTUM,
            adjust_lr_fn="match_rms_adamw",
        )
        super().__init__([*self.muon.param_groups, *groups], adam.defaults)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:
        """Update all weights; `closure` is not supported."""
        for half, is_muon in ((self.muon, True), (self.adam, False)):
            # schedules, new groups and loaded states change this optimizer, so its halves are pointed at it anew
            half.param_groups = [group for group in self.param_groups if ("ns_steps" in group) is is_muon]
            half.state = self.state
            half.step()
