"""A task's examples as input of a fine-tuned model, in batches of similar length."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.annotated.glue import TASKS, Example, Task, read_task
from headwork.errors import InputError
from headwork.lens.last_layer import only_places
from headwork.models.loading import hub
from headwork.models.objectives.encoder_batches import EncoderCollator, LabelledTexts, Row
from headwork.models.objectives.finetuning import check_length, task_of
from headwork.models.training.batches import cut
from headwork.settings.models import TaskSettings

CLS = (0,)  # positions of the last layer that a classifier uses


class Classifier(NamedTuple):
    """A fine-tuned model, its tokenizer and collator, its task, and the split it is scored on first."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    collator: EncoderCollator
    task: Task
    dev: str

    @classmethod
    def load(
        cls,
        folder: str | Path,
        task: TaskSettings,
        longest: int,
        device: str = "cpu",
        part: str = "attribution",
    ) -> "Classifier":
        """Load from a run's folder, for a `part` of the settings.

        The task's labels are numbered as the model numbers them. Raises InputError for a regression task, other
        classes than the task's, and for texts longer than the model's positions.
        """
        goal = TASKS[task.task]
        if goal.labels is None:
            raise InputError(f"{part}: {goal.name} is a regression task; name a classification task")
        model, tokenizer = hub.load(folder)
        goal = task_of(model, goal, folder)
        check_length(part, longest, model)
        collator = EncoderCollator(tokenizer, types="token_type_ids" in tokenizer.model_input_names)
        return cls(model.to(device).eval(), tokenizer, collator, goal, (task.dev or goal.dev)[0])

    def texts(self, examples: Sequence[Example], longest: int) -> LabelledTexts:
        """Return these examples as subword tokens."""
        return LabelledTexts(examples, self.task, self.tokenizer, longest)

    def read(
        self, folder: str | Path, split: str, longest: int, number: int | None = None, seed: int = 0
    ) -> LabelledTexts:
        """A split, or `number` of its examples drawn by the seed, in the order of the file."""
        examples = list(read_task(folder, self.task, split))
        drawn = np.random.default_rng(seed).permutation(len(examples))[:number]
        return self.texts([examples[place] for place in sorted(drawn.tolist())], longest)

    def batches(
        self, data: LabelledTexts, tokens: int
    ) -> Iterator[tuple[np.ndarray, dict[str, Tensor], Tensor]]:
        """For each batch of at most `tokens` tokens: the examples' numbers, the model's inputs, and their labels."""
        lengths = np.stack([data.source.lengths] * 2)
        for numbers in cut(np.arange(len(data)), lengths, tokens):
            yield numbers, *self.inputs([data[number] for number in numbers.tolist()])

    def inputs(self, rows: Sequence[Row]) -> tuple[dict[str, Tensor], Tensor]:
        """The model's inputs for these rows as one batch, and their labels, on its device."""
        batch = {name: tensor.to(self.model.device) for name, tensor in self.collator(rows).items()}
        return batch, batch.pop("labels")

    @torch.no_grad()
    def answers(self, inputs: Mapping[str, Tensor]) -> Tensor:
        """Return the predicted label numbers."""
        with only_places(self.model, CLS):
            return self.model(**inputs).logits.argmax(1)

    def special(self) -> frozenset[int]:
        """Return the ids of special tokens: [CLS], [SEP] and similar."""
        return frozenset(self.tokenizer.all_special_ids)
