"""Training encoders as translation models are trained (`train.py`): the same trainer, checkpoints and history.

What differs is the objective: a function of model and batch that says what is lost, and how often the model is right.
"""

import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from transformers import PreTrainedModel, PrinterCallback, ProgressCallback
from transformers.utils import logging as messages

from headwork.models.callbacks import Bar, Journal
from headwork.models.devices import device_of, uses_bf16
from headwork.models.encoder_batches import EncoderCollator, EncoderData, Passes
from headwork.models.recipe import Recipe
from headwork.models.resume import WorkFolder, mean_of_weights
from headwork.models.train import WIDE, Training, _arguments, _computing_on, _history
from headwork.models.trainer import TranslationTrainer

log = logging.getLogger(__name__)


class Outcome(NamedTuple):
    """Of one batch: the loss summed over its labels, how many of them were said first, and how many there are.

    `right` is None where there is no right or wrong; `beside` is a second loss, a mean, to be minimised too.
    """

    loss: Tensor
    right: Tensor | None
    count: int
    beside: Tensor | float = 0.0


Objective = Callable[[PreTrainedModel, dict[str, Tensor]], Outcome]


class EncoderTrainer(TranslationTrainer):
    """`TranslationTrainer` with another objective."""

    def __init__(self, *args: Any, objective: Objective, **kwargs: Any) -> None:
        super().__init__(*args, smoothing=0.0, **kwargs)
        self.objective = objective

    def _summed_loss(self, model: PreTrainedModel, inputs: dict[str, Tensor]) -> Tensor:
        with self.accelerator.autocast():
            found = self.objective(model, inputs)
        return found.loss + found.beside * found.count

    def evaluate(self, *_: Any, metric_key_prefix: str = "eval", **__: Any) -> dict[str, float]:
        """Loss per label of dev, and the share of labels that the model says first, where that has a meaning."""
        with self.accelerator.autocast():
            found = dev_scores(
                self.model, self.eval_dataset, self.data_collator, self.objective, self.batches.tokens
            )
        metrics = {f"{metric_key_prefix}_{name}": value for name, value in found.items()}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics


@torch.inference_mode()
def dev_scores(
    model: PreTrainedModel, data: EncoderData, collator: EncoderCollator, objective: Objective, tokens: int
) -> dict[str, float]:
    """`loss` per label and `accuracy` (absent in regression); of masked segments those of their first pass."""
    training = model.training
    model.eval()
    loss, right, count = 0.0, 0, 0
    for numbers in Passes(data, tokens, 1, seed=0).one_pass(0):
        batch = collator([data[number] for number in numbers.tolist()])
        found = objective(model, {name: tensor.to(model.device) for name, tensor in batch.items()})
        loss += found.loss.item()
        right = None if found.right is None else right + int(found.right)
        count += found.count
    model.train(training)
    return {"loss": loss / count} | ({} if right is None else {"accuracy": right / count})


def train_encoder(
    model: PreTrainedModel,
    data: EncoderData,
    dev: EncoderData,
    how: Recipe,
    seed: int,
    work_folder: str | Path,
    objective: Objective,
    collator: EncoderCollator,
    device: str = "auto",
    examples: int | None = None,
    decides: Mapping[str, Any] | None = None,
) -> Training:
    """Train `model` in place on `data`, and say how it went; as `train.train` does, killed or not.

    Batches hold at most `how.tokens_per_batch` tokens, or, if given, so many `examples`. `decides` is what else makes
    this training another than one that left its checkpoints in `work_folder`. History counts `tokens`: pieces read.
    Raises `InputError` for a GPU that is not there.
    """
    messages.disable_progress_bar()
    place = device_of(device)
    narrow = place.type == "cpu" and model.config.hidden_size < WIDE
    bf16 = uses_bf16("fp32" if how.precision == "auto" and narrow else how.precision, place)
    batches = Passes(data, how.tokens_per_batch, how.steps * how.accumulation, seed, how.window, examples)
    started = time.perf_counter()
    with _computing_on(place):
        facts = {
            "device": place.type,
            "precision": "bf16" if bf16 else "fp32",
            "threads": torch.get_num_threads(),
            "trained_parameters": sum(weight.numel() for weight in model.parameters()),
        }
        if how.steps == 0:
            found = dev_scores(model, dev, collator, objective, how.tokens_per_batch)
            rows = [{"step": 0, **{f"eval_{name}": value for name, value in found.items()}}]
            last = None
        else:
            machine = {**facts, "answers": [part.digest() for part in (data, dev)], **(decides or {})}
            folder = WorkFolder.of(
                Path(work_folder), model, (data, dev), how, seed, {**machine, "examples": examples}
            )
            last = folder.last_checkpoint()
            trainer = EncoderTrainer(
                model=model,
                args=_arguments(how, folder.path, seed, place, bf16, evaluate_first=last is None),
                train_dataset=data,
                eval_dataset=dev,
                data_collator=collator,
                batches=batches,
                objective=objective,
                callbacks=[Journal(folder), Bar()],
            )
            for callback in PrinterCallback, ProgressCallback:
                trainer.remove_callback(callback)
            if last is not None:
                log.info("going on from %s", last)
            trainer.train(resume_from_checkpoint=str(last) if last else None)
            trainer.accelerator.unwrap_model(model, keep_fp32_wrapper=False)
            if how.average_checkpoints > 1:
                mean = mean_of_weights(folder.checkpoints()[-how.average_checkpoints :])
                model.load_state_dict(mean, strict=False)
                model.tie_weights()
            rows = trainer.state.log_history
        model.to("cpu").eval()
    seconds = round(time.perf_counter() - started, 2)
    facts |= {"seconds": seconds, "resumed_from": WorkFolder.step_of(last) if last else None}
    return Training(_history(rows, batches, how).rename(columns={"target_tokens": "tokens"}), facts)
