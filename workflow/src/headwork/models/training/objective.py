"""What a training minimises: how its data become batches, what is lost on one, and how often the model is right."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from torch import Tensor
from transformers import PreTrainedModel

from headwork.models.training.batches import TokenBudget, TranslationData
from headwork.models.training.recipe import Recipe


class Outcome(NamedTuple):
    """Of one batch: the loss summed over its labels, how many there are, and how many of them the model says first.

    `right` is None where it was not asked for, or where there is no right or wrong. `beside` is a second loss, a mean,
    to be minimised too.
    """

    loss: Tensor
    count: int
    right: int | None = None
    beside: Tensor | float = 0.0


@runtime_checkable
class Objective(Protocol):
    """One thing to train for. `counted` is what a history calls the tokens of the batches."""

    counted: str

    def collate(self, rows: Sequence[Any]) -> dict[str, Tensor]:
        """Items of the data as one batch; `labels` are negative where there is nothing to say."""

    def batches(self, data: TranslationData, how: Recipe, seed: int) -> TokenBudget:
        """The batches of a whole training."""

    def loss(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        """What is minimised."""

    def score(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        """What dev is watched by: the plain loss, and how often the model is right."""

    def description(self) -> dict[str, Any]:
        """What besides model, data and recipe tells a training with this objective from others."""
