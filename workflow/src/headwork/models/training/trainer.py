"""`transformers.Trainer` for an `Objective`, subclassed in few places.

The batches (`get_train_dataloader`), the loss (`compute_loss`: normalised by the labels of the whole update, whatever
the number of batches or processes), the evaluation (`evaluate`: every label counts alike), and the optimizer: Adam, or
Muon with it, and gates have rates of their own.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader
from transformers import PreTrainedModel, Trainer

from headwork.lens.lens import Lens
from headwork.models.gates.hard_concrete import HeadGates
from headwork.models.training.batches import TokenBudget, TranslationData
from headwork.models.training.objective import Objective
from headwork.models.training.optimizer import MuonWithAdam, hidden_matrices
from headwork.sites import PerHead, Site


class ObjectiveTrainer(Trainer):
    """`Trainer` with batches of like-long items, and an objective in the place of the model's own loss."""

    def __init__(
        self,
        *args: Any,
        batches: TokenBudget,
        objective: Objective,
        muon: bool = False,
        lens: Lens | None = None,
        gates: HeadGates | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, data_collator=objective.collate, **kwargs)
        self.muon = muon
        self.batches = batches
        self.objective = objective
        self.lens = lens
        self.gates = gates
        # our loss is divided by the labels of the whole update, so nothing is left to be divided by the Trainer
        self.model_accepts_loss_kwargs = True
        self.loss_is_scaled_for_ga = True

    def get_train_dataloader(self) -> DataLoader:
        """Batches in the order of the sampler, which ends with the training."""
        loader = DataLoader(self.train_dataset, batch_sampler=self.batches, collate_fn=self.data_collator)
        return self.accelerator.prepare(loader)

    def create_optimizer(self, model: nn.Module | None = None) -> torch.optim.Optimizer:
        """The Trainer's Adam, or Muon with it, with the gates' parameters in groups of their own."""
        optimizer = super().create_optimizer(model)
        if self.muon:
            optimizer = self.optimizer = MuonWithAdam(optimizer, hidden_matrices(self.model))
        for own in self.gates.parameter_groups(self.args.learning_rate) if self.gates else []:
            taken = {id(parameter) for parameter in own["params"]}
            for group in optimizer.param_groups:
                group["params"] = [weight for weight in group["params"] if id(weight) not in taken]
            optimizer.add_param_group(own)
        return optimizer

    def gating(self, gates: dict[Site, PerHead]) -> AbstractContextManager[None]:
        """Within, the heads' contexts are multiplied by these gates."""
        return self.lens.gating(gates) if self.lens else nullcontext()

    def compute_loss(
        self,
        model: PreTrainedModel,
        inputs: dict[str, Tensor],
        return_outputs: bool = False,
        num_items_in_batch: Tensor | int | None = None,
    ) -> Tensor:
        """The objective summed over this batch by the labels of the whole update, and the gates' cost."""
        with self.gating(self.gates.draw() if self.gates else {}), self.accelerator.autocast():
            found = self.objective.loss(model, inputs)
        summed = found.loss + found.beside * found.count
        loss = summed / num_items_in_batch * self.accelerator.num_processes
        return loss + self.gates.cost() / self.args.gradient_accumulation_steps if self.gates else loss

    def floating_point_ops(self, inputs: dict[str, Tensor]) -> int:
        """0: counting visits every parameter at every step and is not used."""
        return 0

    def evaluate(self, *_: Any, metric_key_prefix: str = "eval", **__: Any) -> dict[str, float]:
        """The plain loss per label on dev, and the accuracy where it is defined; with gates, those of the heads that
        would be kept if training ended here, their number, and the penalty.
        """
        with self.accelerator.autocast(), self.gating(self.gates.kept() if self.gates else {}):
            found = dev_scores(self.model, self.eval_dataset, self.objective, self.batches.tokens)
        metrics = {f"{metric_key_prefix}_{name}": value for name, value in found.known().items()}
        if self.gates:
            metrics |= {
                f"{metric_key_prefix}_penalty": self.gates.cost().item(),
                f"{metric_key_prefix}_kept_heads": int(self.gates.table()["kept"].sum()),
            }
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics


class DevScores(NamedTuple):
    """Loss per label, and accuracy (None where it is not defined)."""

    loss: float
    accuracy: float | None

    def known(self) -> dict[str, float]:
        """The defined scores, by name."""
        return {name: value for name, value in self._asdict().items() if value is not None}


@torch.inference_mode()
def dev_scores(
    model: PreTrainedModel, data: TranslationData, objective: Objective, tokens_per_batch: int
) -> DevScores:
    """The scores of the model as it is, on all of the data; of masked segments those of their first pass."""
    training = model.training
    model.eval()
    loss, count, right = 0.0, 0, 0
    for numbers in TokenBudget(data, tokens_per_batch, 1, seed=0).one_pass(0):
        batch = objective.collate([data[number] for number in numbers.tolist()])
        found = objective.score(model, {key: value.to(model.device) for key, value in batch.items()})
        loss += found.loss.item()
        count += found.count
        right = None if found.right is None else right + found.right
    model.train(training)
    return DevScores(loss / count, None if right is None else right / count)
