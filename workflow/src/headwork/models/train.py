"""Training by `transformers.Trainer`: token-budget batches, and a training that can be killed at any moment.

The Trainer is subclassed in three places only: the batches (`get_train_dataloader`), the loss
(`compute_loss`, normalised by the target tokens of the whole update, whatever the number of batches or
processes), and the evaluation (`evaluate`, token-weighted). Nothing that decides about the result depends on
when, or how often, a training was interrupted: batches depend on the seed and the update's number alone, and
the state of the random generator is part of each checkpoint.
"""

import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import torch
from torch import Tensor
from torch.utils.data import DataLoader
from transformers import (
    PreTrainedModel,
    PrinterCallback,
    ProgressCallback,
    Trainer,
    TrainingArguments,
)
from transformers.utils import logging as messages

from headwork.models.batches import Collator, TokenBudget, TranslationData
from headwork.models.callbacks import Bar, Journal
from headwork.models.devices import device_of, uses_bf16
from headwork.models.dropout import cheap_dropout
from headwork.models.objective import correct, real_positions, smoothed_cross_entropy
from headwork.models.recipe import Recipe
from headwork.models.resume import WorkFolder, mean_of_weights
from headwork.options import options

log = logging.getLogger(__name__)

HISTORY = ["step", "target_tokens", "rate", "loss", "dev_loss", "dev_accuracy", "gradient_norm"]


class Training(NamedTuple):
    """What a training leaves besides the weights: its history, one row per evaluation, and facts about the run."""

    history: pd.DataFrame
    facts: dict[str, Any]


class TranslationTrainer(Trainer):
    """`Trainer` with batches of like-long pairs and the loss of `objective.py`."""

    def __init__(self, *args: Any, batches: TokenBudget, smoothing: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.batches = batches
        self.smoothing = smoothing
        # our loss is divided by the tokens of the whole update, so nothing is left to be divided by the Trainer
        self.model_accepts_loss_kwargs = True
        self.loss_is_scaled_for_ga = True

    def get_train_dataloader(self) -> DataLoader:
        """Batches in the order of the sampler, which ends with the training."""
        loader = DataLoader(self.train_dataset, batch_sampler=self.batches, collate_fn=self.data_collator)
        return self.accelerator.prepare(loader)

    def compute_loss(
        self,
        model: PreTrainedModel,
        inputs: dict[str, Tensor],
        return_outputs: bool = False,
        num_items_in_batch: Tensor | int | None = None,
    ) -> Tensor:
        """The objective summed over this batch, divided by the target tokens of the whole update."""
        if model is self.model:
            with self.accelerator.autocast():
                rows, targets = real_positions(model, inputs)
                embeddings = model.get_output_embeddings().weight
                loss = smoothed_cross_entropy(rows, embeddings, targets, self.smoothing)
        else:
            # a wrapper that gathers gradients from other processes must see the whole forward pass
            labels = inputs.pop("labels")
            logits = model(**inputs, use_cache=False).logits
            loss = torch.nn.functional.cross_entropy(
                logits.flatten(0, 1), labels.flatten(), reduction="sum", label_smoothing=self.smoothing
            )
        return loss / num_items_in_batch * self.accelerator.num_processes

    def floating_point_ops(self, inputs: dict[str, Tensor]) -> int:
        """Not counted: the count walks over every parameter at every step and decides nothing."""
        return 0

    def evaluate(self, *_: Any, metric_key_prefix: str = "eval", **__: Any) -> dict[str, float]:
        """Cross-entropy per target token of dev (nats, no smoothing) and share of tokens predicted first."""
        with self.accelerator.autocast():
            loss, right = dev_scores(self.model, self.eval_dataset, self.data_collator, self.batches.tokens)
        metrics = {f"{metric_key_prefix}_loss": loss, f"{metric_key_prefix}_accuracy": right}
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


def train(
    model: PreTrainedModel,
    data: TranslationData,
    dev: TranslationData,
    recipe: Mapping[str, Any],
    seed: int,
    work_folder: str | Path,
    device: str = "auto",
) -> Training:
    """Train `model` in place on `data`, and say how it went.

    Checkpoints go to `work_folder`. If it holds one of the same training (same initial weights, data, recipe,
    seed and machine settings), the training goes on from there, and ends with the weights an undisturbed one
    ends with, bit by bit. Checkpoints of another training are removed. `device` is auto, cpu, or cuda.

    Raises `InputError` for what is wrong with the recipe, and for a GPU that is not there.
    """
    messages.disable_progress_bar()
    how = options(Recipe, recipe, "recipe")
    place = device_of(device)
    bf16 = uses_bf16(how.precision, place)
    collator = Collator(model.config.pad_token_id, model.config.decoder_start_token_id)
    batches = TokenBudget(data, how.tokens_per_batch, how.steps * how.accumulation, seed, how.window)
    facts = {
        "device": place.type,
        "precision": "bf16" if bf16 else "fp32",
        "threads": torch.get_num_threads(),
    }
    started = time.perf_counter()
    if how.steps == 0:
        loss, accuracy = dev_scores(model, dev, collator, how.tokens_per_batch)
        rows = [{"step": 0, "eval_loss": loss, "eval_accuracy": accuracy}]
        return Training(_history(rows, batches, how), facts | {"seconds": 0.0, "resumed_from": None})

    folder = WorkFolder.of(Path(work_folder), model, (data, dev), how, seed, facts)
    with _computing_on(place):
        last = folder.last_checkpoint()
        trainer = TranslationTrainer(
            model=model,
            args=_arguments(how, folder.path, seed, place, bf16, evaluate_first=last is None),
            train_dataset=data,
            eval_dataset=dev,
            data_collator=collator,
            batches=batches,
            smoothing=how.label_smoothing,
            callbacks=[Journal(folder), Bar()],
        )
        for callback in PrinterCallback, ProgressCallback:
            trainer.remove_callback(callback)
        if last is not None:
            log.info("going on from %s", last)
        trainer.train(resume_from_checkpoint=str(last) if last else None)
        trainer.accelerator.unwrap_model(model, keep_fp32_wrapper=False)
    if how.average_checkpoints > 1:
        model.load_state_dict(mean_of_weights(folder.checkpoints()[-how.average_checkpoints :]), strict=False)
        model.tie_weights()
    model.config.use_cache = True
    model.to("cpu").eval()
    seconds = time.perf_counter() - started
    facts |= {"seconds": round(seconds, 2), "resumed_from": folder.step_of(last) if last else None}
    return Training(_history(trainer.state.log_history, batches, how), facts)


def _arguments(
    how: Recipe, folder: Path, seed: int, device: torch.device, bf16: bool, evaluate_first: bool
) -> TrainingArguments:
    return TrainingArguments(
        output_dir=str(folder),
        seed=seed,
        use_cpu=device.type == "cpu",
        bf16=bf16,
        max_steps=how.steps,
        gradient_accumulation_steps=how.accumulation,
        learning_rate=how.peak_rate,
        lr_scheduler_type=how.schedule,
        warmup_steps=how.warmup_steps,
        optim="adamw_torch_fused",
        adam_beta1=how.betas[0],
        adam_beta2=how.betas[1],
        adam_epsilon=how.epsilon,
        weight_decay=how.weight_decay,
        max_grad_norm=how.clip,
        label_smoothing_factor=0.0,  # smoothed by our own loss
        eval_strategy="steps",
        eval_steps=how.evaluate_every,
        eval_on_start=evaluate_first,
        logging_strategy="steps",
        logging_steps=how.evaluate_every,
        logging_nan_inf_filter=False,
        save_strategy="steps",
        save_steps=how.checkpoint_every,
        save_total_limit=max(2, how.average_checkpoints),
        accelerator_config={"even_batches": False},
        disable_tqdm=True,
        report_to="none",
    )


@contextmanager
def _computing_on(device: torch.device) -> Iterator[None]:
    """On a GPU, only operations that give the same result every time; a CPU's do anyway.

    On a CPU, masks of dropout that are cheap to draw.
    """
    if device.type != "cuda":
        with cheap_dropout():
            yield
        return
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    before, filling = (
        torch.are_deterministic_algorithms_enabled(),
        torch.utils.deterministic.fill_uninitialized_memory,
    )
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)
        torch.utils.deterministic.fill_uninitialized_memory = filling


def _history(rows: list[dict[str, Any]], batches: TokenBudget, how: Recipe) -> pd.DataFrame:
    """The Trainer's log as one row per step: `loss` is the objective, `dev_loss` plain cross-entropy, in nats."""
    names = {
        "learning_rate": "rate",
        "eval_loss": "dev_loss",
        "eval_accuracy": "dev_accuracy",
        "grad_norm": "gradient_norm",
    }
    steps: dict[int, dict[str, float]] = {}
    for row in rows:
        kept = {names.get(key, key): value for key, value in row.items() if names.get(key, key) in HISTORY}
        steps.setdefault(row["step"], {}).update(kept)
    table = pd.DataFrame(list(steps.values())).reindex(columns=HISTORY)
    seen = batches.target_tokens().cumsum()
    table["target_tokens"] = [int(seen[step * how.accumulation - 1]) if step else 0 for step in table["step"]]
    return table
