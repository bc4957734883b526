"""The interface of training objectives: batches, loss, and scores."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from torch import Tensor
from transformers import PreTrainedModel

from headwork.models.training.batches import TokenBudget, TranslationData
from headwork.settings.models import Recipe


class Outcome(NamedTuple):
    """For one batch: the loss summed over its labels, their number, and the number predicted correctly.

    `right` is None if it is not requested or not defined. `beside` is a second loss, a mean, which is also minimised.
    """

    loss: Tensor
    count: int
    right: int | None = None
    beside: Tensor | float = 0.0


@runtime_checkable
class Objective(Protocol):
    """A training objective. `counted` is the name of the batches' tokens in a history."""

    counted: str

    def collate(self, rows: Sequence[Any]) -> dict[str, Tensor]:
        """Items of the data as one batch; `labels` are negative where there is nothing to say."""

    def batches(self, data: TranslationData, how: Recipe, seed: int) -> TokenBudget:
        """The batches of a whole training."""

    def loss(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        """What is minimised."""

    def score(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        """Return the scores on dev: the plain loss and the number of correct predictions."""

    def description(self) -> dict[str, Any]:
        """Return what identifies a training with this objective, besides model, data and recipe."""
