"""Fine-tuning on a GLUE task: objective, examples to be scored on, and predictions.

A pooled [CLS] goes into a new linear layer (Devlin et al. 2019, section 4.1). Labels: cross-entropy; scores (STS-B):
mean squared error.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import cross_entropy, mse_loss
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.annotated.glue import Task, as_numbered_by, read_task
from headwork.errors import InputError
from headwork.lens.layers import Layers
from headwork.models.loading import hub
from headwork.models.objectives.encoder_batches import EncoderCollator, LabelledTexts
from headwork.models.training.batches import Passes, TokenBudget
from headwork.models.training.objective import Objective, Outcome
from headwork.settings.base import require
from headwork.settings.models import FineTuning, Recipe

log = logging.getLogger(__name__)

TOKENS = 4000  # of a batch in evaluation

Logits = Float[np.ndarray, "example label"]


def recipe_of(how: FineTuning, examples: int) -> Recipe:
    """The training that fine-tuning on that number of `examples` is, with one evaluation and one checkpoint a pass."""
    updates = -(-examples // how.batch)
    shared = ("peak_rate", "schedule", "optimizer", "betas", "epsilon", "weight_decay", "clip")
    return Recipe(
        steps=how.epochs * updates,
        tokens_per_batch=TOKENS,
        warmup_steps=round(how.warmup * how.epochs * updates),
        label_smoothing=0.0,
        evaluate_every=updates,
        checkpoint_every=updates,
        window=50 * how.batch,
        **{name: getattr(how, name) for name in (*shared, "precision", "longest")},
    )


class Classifying(Objective):
    """The `Objective` of a task: `examples` an update."""

    def __init__(self, collate: EncoderCollator, task: Task, examples: int) -> None:
        super().__init__(collate)
        self.task, self.examples = task, examples

    def batches(self, data: LabelledTexts, how: Recipe, seed: int) -> Passes:
        """Batches of examples of similar length."""
        return Passes(data, how.tokens_per_batch, how.steps, seed, how.window, self.examples)

    def loss(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        """Summed cross-entropy of the labels, in nats; for scores, which are no whole numbers, summed squared error."""
        inputs = dict(batch)
        labels = inputs.pop("labels")
        logits = model(**inputs).logits.float()
        if labels.is_floating_point():
            return Outcome(mse_loss(logits[:, 0], labels, reduction="sum"), len(labels))
        right = (logits.detach().argmax(dim=1) == labels).sum()
        return Outcome(cross_entropy(logits, labels, reduction="sum"), len(labels), int(right))

    score = loss

    def description(self) -> dict[str, Any]:
        """The task, and the size of batches."""
        return {"task": self.task.name, "examples": self.examples}


def task_of(model: PreTrainedModel, task: Task, name: str | Path) -> Task:
    """The task with its labels numbered as a fine-tuned model numbers them; otherwise as `as_numbered_by`."""
    if Layers(model).kind != "encoder" or model.config.is_encoder_decoder:
        what = "the classifier must read [CLS], or its like, with an encoder; an atlas takes others"
        raise InputError.at(name, f"this is a {type(model).__name__}: {what}")
    own, note = as_numbered_by(task, model.config.id2label, str(name))
    if note:
        log.warning("%s: %s", name, note)
    return own


def check_length(part: str, longest: int, model: PreTrainedModel) -> None:
    """Raise `InputError`, for a `part` of the settings, if the model cannot read examples of `longest` pieces."""
    positions = hub.positions(model)
    require(
        longest <= positions,
        f"{part}: examples of {longest} pieces for a model of {positions} positions; lower `longest`",
    )


def read_dev(
    folder: str | Path, task: Task, split: str, tokenizer: PreTrainedTokenizerBase, longest: int
) -> LabelledTexts:
    """A split to be scored on. Raises `InputError` for one without labels, and as `read_task` does."""
    examples = list(read_task(folder, task, split))
    if any(example.label is None for example in examples):
        raise InputError.at(
            folder, f"{task.name} has no labels for {split}; score it on {', '.join(task.dev)}"
        )
    return LabelledTexts(examples, task, tokenizer, longest)


@torch.inference_mode()
def logits_of(model: PreTrainedModel, data: LabelledTexts, collator: EncoderCollator) -> Logits:
    """The logits of each example, in order: (examples, labels), or (examples, 1) for regression."""
    said = np.zeros((len(data), model.config.num_labels), dtype=np.float32)
    for numbers in TokenBudget(data, TOKENS, 1, seed=0).one_pass(0):
        batch = collator([data[number] for number in numbers.tolist()])
        del batch["labels"]
        said[numbers] = model(
            **{name: tensor.to(model.device) for name, tensor in batch.items()}
        ).logits.cpu()
    return said


def predictions(task: Task, data: LabelledTexts, logits: Logits, split: str) -> pd.DataFrame:
    """One row an example: split, id (its place in the file), gold, predicted, and each label's probability.

    Labels stand there by their names; the columns of probabilities are called ``p_<label>``. In regression gold and
    predicted are scores, and there are no probabilities.
    """
    table = pd.DataFrame({"split": split, "id": data.indices})
    if task.labels is None:
        return table.assign(gold=data.labels, predicted=logits[:, 0])
    names = np.array(task.labels)
    table = table.assign(gold=names[data.labels], predicted=names[logits.argmax(axis=1)])
    shares = torch.from_numpy(logits).softmax(dim=1).numpy()
    return table.assign(**{f"p_{label}": shares[:, number] for number, label in enumerate(task.labels)})


def answers(task: Task, logits: Logits) -> np.ndarray:
    """The numbers of the labels predicted; in regression the scores."""
    return logits[:, 0] if task.labels is None else logits.argmax(axis=1)


def facts_of(task: Task) -> Mapping[str, Any]:
    """A task in a run's artefacts: its name, the names of its labels in their order, its metrics."""
    return {"name": task.name, "labels": task.labels, "metrics": task.metrics}
