"""One row of the run sheet with the objective `classification`: from a pretrained encoder to a fine-tuned one."""

import logging
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from headwork.corpora.annotated.glue import TASKS, Example, read_task
from headwork.models.jobs.finish import finish
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import WEIGHTS
from headwork.models.numerics.devices import device_of
from headwork.models.objectives.encoder_batches import EncoderCollator, LabelledTexts
from headwork.models.objectives.finetuning import (
    Classifying,
    answers,
    check_length,
    facts_of,
    logits_of,
    predictions,
    read_dev,
    recipe_of,
)
from headwork.models.scoring.glue import scores
from headwork.models.training.processes import is_main_process, train_in_processes
from headwork.models.training.provenance import provenance
from headwork.models.training.train import train
from headwork.run.frame import Files
from headwork.run.outputs import write_json, write_table
from headwork.settings.models import FineTuning, TaskSettings

log = logging.getLogger(__name__)


def finetune_run(input: Files, output: Files, architecture: None = None, **training: Any) -> None:
    """Fine-tune an encoder on a task; see `finetune`, and `train_in_processes` for `training`.

    `input`: init (model.safetensors) of a pretrained run, whose architecture this one has; task (the task's files).
    `output`: model (its files), history.csv, predictions.csv, scores.json, run.json.
    """
    train_in_processes(finetune, input, output, **training)


def finetune(
    row: Mapping[str, Any],
    recipe: Mapping[str, Any],
    task: Mapping[str, Any],
    init_folder: str | Path,
    task_folder: str | Path,
    output_folder: str | Path,
    work_folder: str | Path,
    threads: int = 1,
    device: str = "auto",
) -> None:
    """Fine-tune the model of one row of the run sheet and write its folder.

    `recipe` is a `FineTuning`, `task` a `TaskSettings`, `init_folder` that of a pretrained run, or a model's name on
    the hub; `task_folder` has the task's files. Writes the model's files, whose config has the labels' names,
    history.csv, predictions.csv (`finetuning.predictions`), scores.json, for each dev split the task's metrics with
    their intervals, and under `untuned` those of the model before the first update, and run.json. The last checkpoint
    is the model: nothing is chosen on dev. `work_folder` is as in `train.run_training`.
    """
    name, seed = f"run '{row['run']}'", int(row["seed"])
    torch.set_num_threads(threads)
    output, work = Path(output_folder), Path(work_folder)
    how = FineTuning.read(recipe, f"the recipe of run '{row['run']}'")
    chosen = TaskSettings.read(task, "task")
    goal = TASKS[chosen.task]
    splits = chosen.dev or goal.dev
    model, tokenizer = hub.load_classifier(init_folder, goal.labels, seed, chosen.offline)
    check_length(name, how.longest, model)
    examples = drawn(list(read_task(task_folder, goal, "train")), how, seed)
    data = LabelledTexts(examples, goal, tokenizer, how.longest)
    devs = {split: read_dev(task_folder, goal, split, tokenizer, how.longest) for split in splits}
    log.info("%s: %d examples to learn from, %s", goal.name, len(data), {k: len(v) for k, v in devs.items()})
    collator = EncoderCollator(tokenizer, types="token_type_ids" in tokenizer.model_input_names)
    watched = devs[splits[0]]
    objective = Classifying(collator, goal, how.batch)
    model.to(device_of(device)).eval()
    untuned = {
        split: scores(goal, dev.labels, answers(goal, logits_of(model, dev, collator)), chosen.scoring)
        for split, dev in devs.items()
    }
    done = train(model, data, watched, recipe_of(how, len(data)), seed, work, device, objective=objective)
    if not is_main_process():
        return
    found, tables = {}, []
    model.to(device_of(device))
    for split, dev in devs.items():
        logits = logits_of(model, dev, collator)
        found[split] = scores(goal, dev.labels, answers(goal, logits), chosen.scoring)
        tables.append(predictions(goal, dev, logits, split))
    output.mkdir(parents=True, exist_ok=True)
    write_table(output / "predictions.csv", pd.concat(tables))
    write_json(
        output / "scores.json",
        {"task": goal.name, "labels": goal.labels, "splits": found, "untuned": untuned},
    )
    weights = [Path(init_folder) / WEIGHTS] if Path(init_folder).is_dir() else []
    record = provenance(
        {"run": dict(row), "recipe": dict(recipe), "task": dict(task)},
        [path for path in weights if path.is_file()],
        task=facts_of(goal),
        init=str(init_folder) if not weights else Path(init_folder).name,
        data={
            "train_examples": len(data),
            "digest": data.digest(),
            **{k: len(v) for k, v in devs.items()},
        },
        parameters=sum(weight.numel() for weight in model.parameters()),
        training=done.facts,
    )
    finish(output, model.to("cpu"), tokenizer, done.history, record, work)


def drawn(examples: list[Example], how: FineTuning, seed: int) -> list[Example]:
    """The examples of train to learn from: all of them or a sample, and with dealt-out labels for a control."""
    chance = random.Random(seed)
    if how.examples is not None and how.examples < len(examples):
        examples = sorted(chance.sample(examples, how.examples), key=lambda example: example.index)
    if how.shuffled_labels:
        labels = [example.label for example in examples]
        chance.shuffle(labels)
        examples = [replace(example, label=label) for example, label in zip(examples, labels, strict=True)]
    return examples
