"""Training with token-budget batches and optional gates, resumable.

The result does not depend on interruptions: batches depend only on the seed and the number of the update, gates are
part of the model during training, and each checkpoint has the state of the random generator.
"""

import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import torch
from torch import nn
from transformers import PreTrainedModel, PrinterCallback, ProgressCallback, TrainingArguments
from transformers.utils import logging as messages

from headwork.lens.lens import Lens
from headwork.models.gates.hard_concrete import HeadGates
from headwork.models.numerics.bf16_products import bf16_products
from headwork.models.numerics.cpu import (
    cheap_dropout,
    flushed_subnormals,
    keep_few_kernels,
    plain_attention,
)
from headwork.models.numerics.devices import device_of, uses_bf16
from headwork.models.numerics.product_times import product_times
from headwork.models.objectives.translation import Translating
from headwork.models.training.batches import TokenBudget, TranslationData
from headwork.models.training.callbacks import Bar, Journal, SaveOnSigterm, Snapshots, Stopped
from headwork.models.training.objective import Objective
from headwork.models.training.processes import is_main_process, number, rank
from headwork.models.training.resume import WorkFolder, mean_of_weights
from headwork.models.training.trainer import ObjectiveTrainer, dev_scores
from headwork.settings.base import require
from headwork.settings.models import Recipe

log = logging.getLogger(__name__)

# after the step and the tokens seen, which the objective names
HISTORY = ["rate", "loss", "dev_loss", "dev_accuracy", "gradient_norm"]
HISTORY_OF_GATES = ["penalty", "kept_heads"]


class Training(NamedTuple):
    """Results of a training besides the weights: its history, one row per evaluation, and facts about the run."""

    history: pd.DataFrame
    facts: dict[str, Any]


def train(
    model: PreTrainedModel,
    data: TranslationData,
    dev: TranslationData,
    recipe: Mapping[str, Any] | Recipe,
    seed: int,
    work_folder: str | Path,
    device: str = "auto",
    gates: HeadGates | None = None,
    frozen: Sequence[nn.Module] = (),
    objective: Objective | None = None,
) -> Training:
    """Train `model` in place on `data`, and say how it went; to translate, unless there is another `objective`.

    With `gates`, heads are multiplied by them, and they learn with the weights; the model's weights do not show what
    the gates come to: `removal.fold` is for that. The weights of the modules `frozen` stay as they are, those that
    they share with other modules too.

    Checkpoints go to `work_folder`. If it holds one of the same training (same initial weights, data, recipe,
    seed, gates and machine settings), the training goes on from there, and ends with the weights an undisturbed one
    ends with, bit by bit. Checkpoints of another training are removed. `device` is auto, cpu, or cuda. Where several
    processes train (see `processes`), all return, and the first one writes; with another number of them a training goes
    on from its checkpoints too, by then with other dropout.

    Raises `InputError` for what is wrong with the recipe, and for a GPU that is not there; `Stopped` after a SIGTERM,
    for which a single process writes a checkpoint.
    """
    messages.disable_progress_bar()
    how = Recipe.read(recipe, "recipe")
    place = device_of(device)
    if how.precision in ("auto", "bf16"):  # the padded products of bf16_products have few shapes
        keep_few_kernels()  # before any is made: `auto` may time products
    precision = _precision(how.precision, place)
    goal = objective or Translating.of(model, how.label_smoothing)
    batches = goal.batches(data, how, seed)
    started = time.perf_counter()
    with _computing_on(place, precision), _frozen(frozen), _gated(model, gates) as lens:
        facts = {
            "device": place.type,
            "precision": precision,
            "threads": torch.get_num_threads(),
            "trained_parameters": sum(each.numel() for each in model.parameters() if each.requires_grad),
        }
        if how.steps == 0:
            with lens.gating(gates.kept()) if lens else nullcontext():
                found = dev_scores(model, dev, goal, how.tokens_per_batch)
            rows = [{"step": 0, **{f"eval_{name}": value for name, value in found.known().items()}}]
            return Training(
                _history(rows, batches, how, goal), facts | {"seconds": 0.0, "resumed_from": None}
            )

        decides = facts | goal.description()
        arguments = _arguments(how, Path(work_folder), seed, place, precision == "bf16")
        with arguments.main_process_first():
            folder = WorkFolder.of(Path(work_folder), model, (data, dev), how, seed, decides, gates)
            last = folder.last_checkpoint()
        arguments.eval_on_start = last is None
        # several processes would have to agree on the update after which they stop; they go on from an older checkpoint
        stopping = [SaveOnSigterm()] if arguments.world_size == 1 else []
        trainer = ObjectiveTrainer(
            model=model,
            args=arguments,
            train_dataset=data,
            eval_dataset=dev,
            batches=batches,
            objective=goal,
            muon=how.optimizer == "muon",
            lens=lens,
            gates=gates,
            callbacks=[*stopping, Journal(folder), Snapshots(folder, how.snapshots), Bar()],
        )
        for callback in PrinterCallback, ProgressCallback:
            trainer.remove_callback(callback)
        if last is not None:
            log.info("going on from %s", last)
        if rank():  # the Trainer has given all processes the same seed: they would leave out the same units
            torch.manual_seed(seed + rank())
        trainer.train(resume_from_checkpoint=str(last) if last else None)
        done = trainer.state.global_step
        if done < how.steps:
            raise Stopped(
                f"stopped by SIGTERM after {done} of {how.steps} updates; the same command resumes the training"
            )
        trainer.accelerator.unwrap_model(model, keep_fp32_wrapper=False)
        if how.average_checkpoints > 1 and is_main_process():
            mean = mean_of_weights(folder.checkpoints()[-how.average_checkpoints :])
            model.load_state_dict(mean, strict=False)
            model.tie_weights()
        model.config.use_cache = True
        model.to("cpu").eval()
    seconds = time.perf_counter() - started
    if place.type == "cpu" and how.precision in ("auto", "bf16_products"):
        facts["milliseconds_per_product"] = product_times()
    facts |= {
        "processes": arguments.world_size,
        "seconds": round(seconds, 2),
        "resumed_from": folder.step_of(last) if last else None,
    }
    return Training(_history(trainer.state.log_history, batches, how, goal), facts)


def _precision(precision: str, device: torch.device) -> str:
    """bf16, bf16_products or fp32: what the recipe comes to on this machine."""
    if precision == "bf16_products":
        bf16 = precision if device.type == "cpu" else "bf16"
        return bf16 if uses_bf16("auto", device) else "fp32"
    return "bf16" if uses_bf16(precision, device) else "fp32"


@contextmanager
def _frozen(modules: Sequence[nn.Module]) -> Iterator[None]:
    """Within, the weights of these modules are not trained."""
    weights = [weight for module in modules for weight in module.parameters() if weight.requires_grad]
    for weight in weights:
        weight.requires_grad_(False)
    try:
        yield
    finally:
        for weight in weights:
            weight.requires_grad_(True)


@contextmanager
def _gated(model: PreTrainedModel, gates: HeadGates | None) -> Iterator[Lens | None]:
    """Within, gates are part of the model, and so of its checkpoints; gives the lens by which they act on it."""
    if gates is None:
        yield None
        return
    model.head_gates = gates
    try:
        with Lens(model) as lens:
            yield lens
    finally:
        del model.head_gates


def _arguments(how: Recipe, folder: Path, seed: int, device: torch.device, bf16: bool) -> TrainingArguments:
    processes = number()
    require(
        how.accumulation % processes == 0,
        f"recipe: {how.accumulation} batches an update cannot be shared out evenly among {processes} processes",
    )
    return TrainingArguments(
        output_dir=str(folder),
        seed=seed,
        use_cpu=device.type == "cpu",
        bf16=bf16,
        max_steps=how.steps,
        gradient_accumulation_steps=how.accumulation // processes,
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
        logging_strategy="steps",
        logging_steps=how.evaluate_every,
        logging_nan_inf_filter=False,
        save_strategy="steps",
        save_steps=how.checkpoint_every,
        save_total_limit=max(2, how.average_checkpoints),
        accelerator_config={"even_batches": False},
        ddp_find_unused_parameters=False,
        disable_tqdm=True,
        report_to="none",
    )


@contextmanager
def _computing_on(device: torch.device, precision: str) -> Iterator[None]:
    """On a GPU, only operations that give the same result every time; a CPU's do anyway.

    On a CPU, subnormals taken as 0, masks of dropout that are cheap to draw, attention whose gradient is cheap, and if
    so asked, products with weights in bf16.
    """
    if device.type != "cuda":
        products = bf16_products() if precision == "bf16_products" else nullcontext()
        with cheap_dropout(), plain_attention(), flushed_subnormals(), products:
            yield
        return
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    before = torch.are_deterministic_algorithms_enabled()
    filling = torch.utils.deterministic.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)
        torch.utils.deterministic.fill_uninitialized_memory = filling


def _history(
    rows: list[dict[str, Any]], batches: TokenBudget, how: Recipe, objective: Objective
) -> pd.DataFrame:
    """The Trainer's log as one row per step: `loss` is the objective, `dev_loss` the plain loss, in nats.

    With gates the objective includes their `penalty`, which is that of the row's step, and `loss` the mean since the
    row before.
    """
    names = {
        "learning_rate": "rate",
        "eval_loss": "dev_loss",
        "eval_accuracy": "dev_accuracy",
        "eval_penalty": "penalty",
        "eval_kept_heads": "kept_heads",
        "grad_norm": "gradient_norm",
    }
    columns = ["step", objective.counted, *HISTORY]
    columns += HISTORY_OF_GATES if any("eval_kept_heads" in row for row in rows) else []
    steps: dict[int, dict[str, float]] = {}
    for row in rows:
        kept = {names.get(key, key): value for key, value in row.items() if names.get(key, key) in columns}
        steps.setdefault(row["step"], {}).update(kept)
    table = pd.DataFrame(list(steps.values())).reindex(columns=columns)
    seen = batches.target_tokens().cumsum()
    table[objective.counted] = [
        int(seen[step * how.accumulation - 1]) if step else 0 for step in table["step"]
    ]
    return table
