"""`transformers.Trainer` for translation, subclassed in few places.

The batches (`get_train_dataloader`), the loss (`compute_loss`: normalised by the target tokens of the whole update,
whatever the number of batches or processes), the evaluation (`evaluate`: token-weighted), and the optimiser, in which
gates have rates of their own.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader
from transformers import PreTrainedModel, Trainer

from headwork.lens.lens import Lens
from headwork.models.batches import Collator, TokenBudget, TranslationData
from headwork.models.gates import HeadGates
from headwork.models.objective import correct, real_positions, smoothed_cross_entropy
from headwork.shapes import PerHead, Site


class TranslationTrainer(Trainer):
    """`Trainer` with batches of like-long pairs and the loss of `objective.py`."""

    def __init__(
        self,
        *args: Any,
        batches: TokenBudget,
        smoothing: float,
        lens: Lens | None = None,
        gates: HeadGates | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.batches = batches
        self.smoothing = smoothing
        self.lens = lens
        self.gates = gates
        # our loss is divided by the tokens of the whole update, so nothing is left to be divided by the Trainer
        self.model_accepts_loss_kwargs = True
        self.loss_is_scaled_for_ga = True

    def get_train_dataloader(self) -> DataLoader:
        """Batches in the order of the sampler, which ends with the training."""
        loader = DataLoader(self.train_dataset, batch_sampler=self.batches, collate_fn=self.data_collator)
        return self.accelerator.prepare(loader)

    def create_optimizer(self, model: nn.Module | None = None) -> torch.optim.Optimizer:
        """The Trainer's optimiser, with the gates' parameters in groups of their own."""
        optimiser = super().create_optimizer(model)
        for own in self.gates.parameter_groups(self.args.learning_rate) if self.gates else []:
            taken = {id(parameter) for parameter in own["params"]}
            for group in optimiser.param_groups:
                group["params"] = [weight for weight in group["params"] if id(weight) not in taken]
            optimiser.add_param_group(own)
        return optimiser

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
        """The objective summed over this batch by the target tokens of the whole update, and the gates' cost."""
        with self.gating(self.gates.draw() if self.gates else {}):
            loss = self._summed_loss(model, inputs) / num_items_in_batch * self.accelerator.num_processes
        return loss + self.gates.cost() / self.args.gradient_accumulation_steps if self.gates else loss

    def _summed_loss(self, model: PreTrainedModel, inputs: dict[str, Tensor]) -> Tensor:
        if model is self.model:
            with self.accelerator.autocast():
                rows, targets = real_positions(model, inputs)
                embeddings = model.get_output_embeddings().weight
                return smoothed_cross_entropy(rows, embeddings, targets, self.smoothing)
        # a wrapper that gathers gradients from other processes must see the whole forward pass
        labels = inputs.pop("labels")
        logits = model(**inputs, use_cache=False).logits
        return nn.functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), reduction="sum", label_smoothing=self.smoothing
        )

    def floating_point_ops(self, inputs: dict[str, Tensor]) -> int:
        """Not counted: the count walks over every parameter at every step and decides nothing."""
        return 0

    def evaluate(self, *_: Any, metric_key_prefix: str = "eval", **__: Any) -> dict[str, float]:
        """Cross-entropy per target token of dev (nats, no smoothing) and share of tokens predicted first.

        With gates: that of the heads that would be kept if training ended here, their number, and the penalty.
        """
        with self.accelerator.autocast(), self.gating(self.gates.kept() if self.gates else {}):
            loss, right = dev_scores(self.model, self.eval_dataset, self.data_collator, self.batches.tokens)
        metrics = {f"{metric_key_prefix}_loss": loss, f"{metric_key_prefix}_accuracy": right}
        if self.gates:
            metrics |= {
                f"{metric_key_prefix}_penalty": self.gates.cost().item(),
                f"{metric_key_prefix}_kept_heads": int(self.gates.table()["kept"].sum()),
            }
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics


@torch.inference_mode()
def dev_scores(
    model: PreTrainedModel, data: TranslationData, collator: Collator, tokens_per_batch: int
) -> tuple[float, float]:
    """(cross-entropy per target token in nats, share of target tokens that are the most probable piece)."""
    training = model.training
    model.eval()
    loss, right, count = 0.0, 0, 0
    every = TokenBudget(data, tokens_per_batch, 1, seed=0)
    embeddings = model.get_output_embeddings().weight
    for pairs in every.one_pass(0):
        batch = {
            key: value.to(model.device) for key, value in collator([data[i] for i in pairs.tolist()]).items()
        }
        rows, targets = real_positions(model, batch)
        loss += smoothed_cross_entropy(rows, embeddings, targets).item()
        right += correct(rows, embeddings, targets)
        count += len(targets)
    model.train(training)
    return loss / count, right / count
