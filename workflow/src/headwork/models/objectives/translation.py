"""The objective of translation: label-smoothed cross-entropy per target token, at real positions only.

    loss = sum over tokens of  -(1 - e) log p(y) - e/V sum over v of log p(v),  divided by the number of tokens,

with smoothing e (0.1 in Vaswani et al. 2017) over the model's V output tokens (`output_pieces`).
"""

from torch import Tensor, nn
from transformers import PreTrainedModel

from headwork.models.numerics.smoothed_loss import Rows, Targets, plain_scores, smoothed_cross_entropy
from headwork.models.objectives.noise import NoisyPairs
from headwork.models.objectives.output_pieces import EmittedTokens, output_bias
from headwork.models.training.batches import Collator, Passes, TokenBudget, TranslationData
from headwork.models.training.objective import Objective, Outcome
from headwork.settings.models import Recipe


class Translating(Objective):
    """The `Objective` of a translation model: `smoothing` is e above, `emitted` its output tokens (None: all)."""

    counted = "target_tokens"

    def __init__(
        self, collate: Collator, smoothing: float = 0.0, emitted: EmittedTokens | None = None
    ) -> None:
        super().__init__(collate)
        self.smoothing = smoothing
        self.emitted = emitted

    @classmethod
    def of(cls, model: PreTrainedModel, smoothing: float) -> "Translating":
        """That of a model, whose config says which pieces pad and begin a target."""
        collator = Collator(model.config.pad_token_id, model.config.decoder_start_token_id)
        return cls(collator, smoothing, EmittedTokens(model))

    def batches(self, data: TranslationData, how: Recipe, seed: int) -> TokenBudget:
        """Batches of pairs of similar length; pairs with noise are numbered through all epochs."""
        kind = Passes if isinstance(data, NoisyPairs) else TokenBudget
        return kind(data, how.tokens_per_batch, how.steps * how.accumulation, seed, how.window)

    def loss(self, model: nn.Module, batch: dict[str, Tensor]) -> Outcome:
        """The smoothed loss, summed over target tokens, in nats."""
        if isinstance(model, PreTrainedModel):
            rows, targets = real_positions(model, batch)
            embeddings = model.get_output_embeddings().weight
            if self.emitted is not None:
                embeddings, targets = self.emitted.embeddings(embeddings), self.emitted.classes(targets)
            loss = smoothed_cross_entropy(rows, embeddings, targets, self.smoothing)
            return Outcome(loss, len(targets))
        # a wrapper that gathers gradients from other processes must see the whole forward pass
        inputs = dict(batch)
        labels = inputs.pop("labels")
        logits = model(**inputs, use_cache=False).logits
        if self.emitted is not None:
            logits, labels = self.emitted.logits(logits), self.emitted.classes(labels)
        loss = nn.functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), reduction="sum", label_smoothing=self.smoothing
        )
        return Outcome(loss, int((labels >= 0).sum()))

    def score(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        rows, targets = real_positions(model, batch)
        embeddings = model.get_output_embeddings().weight
        loss, right = plain_scores(rows, embeddings, targets, output_bias(model))
        return Outcome(loss, len(targets), right)


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
