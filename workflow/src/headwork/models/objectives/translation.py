"""The objective of translation: label-smoothed cross-entropy per target token, at real positions only.

    loss = sum over tokens of  -(1 - e) log p(y) - e/V sum over v of log p(v),  divided by the number of tokens,

with smoothing e (0.1 in Vaswani et al. 2017) over the model's V output tokens (`output_pieces`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor, nn
from transformers import PreTrainedModel

from headwork.models.numerics.smoothed_loss import Rows, Targets, plain_scores, smoothed_cross_entropy
from headwork.models.objectives.encoder_batches import Passes
from headwork.models.objectives.noise import NoisyPairs
from headwork.models.objectives.output_pieces import SaidPieces, output_bias
from headwork.models.training.batches import Collator, TokenBudget, TranslationData
from headwork.models.training.objective import Outcome
from headwork.settings.models import Recipe


class Translating:
    """The `Objective` of a translation model: `smoothing` is e above, `said` its output tokens (None: all)."""

    counted = "target_tokens"

    def __init__(self, collator: Collator, smoothing: float = 0.0, said: SaidPieces | None = None) -> None:
        self.collator = collator
        self.smoothing = smoothing
        self.said = said

    @classmethod
    def of(cls, model: PreTrainedModel, smoothing: float) -> "Translating":
        """That of a model, whose config says which pieces pad and begin a target."""
        collator = Collator(model.config.pad_token_id, model.config.decoder_start_token_id)
        return cls(collator, smoothing, SaidPieces(model))

    def collate(self, rows: Sequence[tuple[np.ndarray, np.ndarray]]) -> dict[str, Tensor]:
        """Pairs of sentences as one batch."""
        return self.collator(rows)

    def batches(self, data: TranslationData, how: Recipe, seed: int) -> TokenBudget:
        """Batches of pairs of similar length; pairs with noise are numbered through all epochs."""
        kind = Passes if isinstance(data, NoisyPairs) else TokenBudget
        return kind(data, how.tokens_per_batch, how.steps * how.accumulation, seed, how.window)

    def loss(self, model: nn.Module, batch: dict[str, Tensor]) -> Outcome:
        """The smoothed loss, summed over target tokens, in nats."""
        if isinstance(model, PreTrainedModel):
            rows, targets = real_positions(model, batch)
            embeddings = model.get_output_embeddings().weight
            if self.said is not None:
                embeddings, targets = self.said.embeddings(embeddings), self.said.classes(targets)
            loss = smoothed_cross_entropy(rows, embeddings, targets, self.smoothing)
            return Outcome(loss, len(targets))
        # a wrapper that gathers gradients from other processes must see the whole forward pass
        inputs = dict(batch)
        labels = inputs.pop("labels")
        logits = model(**inputs, use_cache=False).logits
        if self.said is not None:
            logits, labels = self.said.logits(logits), self.said.classes(labels)
        loss = nn.functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), reduction="sum", label_smoothing=self.smoothing
        )
        return Outcome(loss, int((labels >= 0).sum()))

    def score(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        """Cross-entropy without smoothing, and the number of targets that are the most probable token."""
        rows, targets = real_positions(model, batch)
        embeddings, bias = model.get_output_embeddings().weight, output_bias(model)
        loss, right = plain_scores(rows, embeddings, targets, bias)
        return Outcome(loss, len(targets), right)

    def description(self) -> dict[str, Any]:
        """Nothing besides the recipe, which has the smoothing."""
        return {}


def real_positions(model: nn.Module, batch: dict[str, Tensor]) -> tuple[Rows, Targets]:
    """Return the decoder's last states at the real target positions of a batch, and the target tokens there."""
    states = model.model(
        input_ids=batch["input_ids"],
        attention_mask=batch["attention_mask"],
        decoder_input_ids=batch["decoder_input_ids"],
        use_cache=False,
    ).last_hidden_state
    real = batch["labels"] >= 0
    return states[real], batch["labels"][real]
