"""The interface of training objectives: batches, loss, and scores."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

from torch import Tensor
from transformers import PreTrainedModel

from headwork.models.training.batches import Passes, TokenBudget, TranslationData
from headwork.settings.models import Recipe


class Outcome(NamedTuple):
    """For one batch: the loss summed over its labels, their number, and the number predicted correctly.

    `right` is None if it is not requested or not defined. `beside` is a second loss, a mean, which is also minimised.
    """

    loss: Tensor
    count: int
    right: int | None = None
    beside: Tensor | float = 0.0


class Objective(ABC):
    """A training objective. `collate` makes items of the data one batch, in which `labels` are negative where nothing
    is predicted; `counted` is the name of the batches' tokens in a history.
    """

    counted: ClassVar[str] = "tokens"

    def __init__(self, collate: Callable[[Sequence[Any]], dict[str, Tensor]]) -> None:
        self.collate = collate

    def batches(self, data: TranslationData, how: Recipe, seed: int) -> TokenBudget:
        """The batches of a whole training: of items of similar length, numbered through all passes."""
        return Passes(data, how.tokens_per_batch, how.steps * how.accumulation, seed, how.window)

    @abstractmethod
    def loss(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        """What is minimised."""

    @abstractmethod
    def score(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        """The scores on dev: the plain loss in nats, without smoothing, and the number of correct predictions."""

    def description(self) -> dict[str, Any]:
        """What identifies a training with this objective, besides model, data and recipe."""
        return {}
