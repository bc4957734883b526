"""Quantities to attribute: the probability of a class, a masked token, a translation or its next token."""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from headwork.errors import InputError
from headwork.models.training.batches import IGNORED
from headwork.relevance.attributions.self_attention import Answers, Rows, Target

PerText = Int[Tensor, " text"]


def of_class(model: nn.Module, classes: PerText) -> Target:
    """The probability of a class of each text, by a classifier that reads [CLS].

    Raises InputError for a class that the model lacks.
    """
    labels = model.config.num_labels
    for number in classes.tolist():
        if not 0 <= number < labels:
            names = ", ".join(f"{key}: {name}" for key, name in model.config.id2label.items())
            raise InputError(f"attribution: no class {number}; the model has {names}")

    def probability(found: Any, rows: Rows) -> Answers:
        return _probability(found.logits, classes[rows])

    return Target(probability, places=(0,))


def of_piece(places: PerText, pieces: PerText) -> Target:
    """Return the probability of a token at a position of each text, by a masked language or translation model.

    For translation models, position t is the step after the decoder's input token t.
    """

    def probability(found: Any, rows: Rows) -> Answers:
        of_rows = torch.arange(len(rows), device=found.logits.device)
        return _probability(found.logits[of_rows, places[rows]], pieces[rows])

    return Target(probability)


def of_sentence(labels: Int[Tensor, "text place"]) -> Target:
    """The probability per piece of a whole translation: exp of the mean of ln p over its pieces (-100: padding).

    Its -ln is the cross-entropy that a translation model is trained on.
    """

    def probability(found: Any, rows: Rows) -> Answers:
        return log_probability(found.logits, labels[rows]).exp()

    return Target(probability)


def log_probability(
    logits: Float[Tensor, "batch place piece"], labels: Int[Tensor, "batch place"]
) -> Float[Tensor, " batch"]:
    """The mean of ln p over the subword tokens of each text (-100: padding), in nats."""
    present = labels != IGNORED
    gold = logits.float().log_softmax(-1).gather(2, labels.clamp_min(0)[:, :, None])[:, :, 0]
    return (gold * present).sum(1) / present.sum(1)


def _probability(logits: Float[Tensor, "batch class"], classes: Rows) -> Answers:
    return logits.float().softmax(-1).gather(1, classes[:, None])[:, 0]
