"""Examples of GLUE tasks to score a model on."""

from pathlib import Path

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.annotated.glue import Task, read_task
from headwork.errors import InputError
from headwork.models.loading import hub
from headwork.models.objectives.encoder_batches import LabelledTexts
from headwork.settings.base import require
from headwork.settings.models import TaskSettings as TaskSettings


def check_length(part: str, longest: int, model: PreTrainedModel) -> None:
    """Raise `InputError`, for a `part` of the settings, if the model cannot read examples of so many pieces."""
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
