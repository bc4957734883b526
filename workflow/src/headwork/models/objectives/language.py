"""The objectives of language models on the source side of a corpus: next or masked tokens.

    loss = mean over target tokens of -log p(token), smoothed if the recipe says so

Targets for a sentence x1 ... xT that ends with EOS: LM, each of x2 ... xT from those before it; MLM, the tokens chosen
by `Masking`. With noise, the inputs of an LM differ from its targets.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.models.numerics.smoothed_loss import plain_scores, smoothed_cross_entropy
from headwork.models.objectives.encoder_batches import EncoderCollator, EncoderData, Passes, Row
from headwork.models.objectives.masking import Masking
from headwork.models.objectives.noise import Noise
from headwork.models.objectives.output_pieces import SaidPieces, output_bias
from headwork.models.training.batches import IGNORED, Side
from headwork.models.training.objective import Outcome
from headwork.settings.models import Recipe


def read_sentences(path: str | Path, tokenizer: PreTrainedTokenizerBase, longest: int) -> tuple[Side, int]:
    """The pieces of each line, without lines that are empty or longer, and how many these are.

    Raises InputError if none is left.
    """
    whole = Side.encode((line.text for line in lines(Path(path))), tokenizer)
    kept = (whole.lengths > 1) & (whole.lengths <= longest)
    if not kept.any():
        raise InputError.at(path, f"the file has no sentence of at most {longest} tokens; give shorter lines")
    return whole.only(kept), int((~kept).sum())


class NextPieces(EncoderData):
    """Sentences for next-token prediction; `noise`: replacement of input tokens."""

    def __init__(self, text: Side, seed: int, noise: Noise | None = None) -> None:
        super().__init__(text, text.lengths)
        self.seed, self.noise = seed, noise

    def __getitem__(self, number: int) -> Row:
        turn, text, pieces, types = self.place(number)
        labels = np.append(pieces[1:], IGNORED)
        if self.noise is not None:
            pieces = self.noise(pieces, np.random.default_rng([self.seed, turn, text]))
        return Row(pieces, types, labels)

    def answers(self) -> Iterator[np.ndarray]:
        yield np.array([self.seed, 0.0 if self.noise is None else self.noise.share])


class MaskedSentences(EncoderData):
    """Sentences, masked differently in each epoch."""

    def __init__(self, text: Side, seed: int, masking: Masking) -> None:
        super().__init__(text, text.lengths)
        self.seed, self.masking = seed, masking

    def __getitem__(self, number: int) -> Row:
        turn, text, pieces, types = self.place(number)
        read, labels = self.masking(pieces, np.random.default_rng([self.seed, turn, text]))
        return Row(read, types, labels)

    def answers(self) -> Iterator[np.ndarray]:
        settings = self.masking.settings
        yield np.array([self.seed, settings.share, settings.mask, settings.random])


class LanguageModelling:
    """The `Objective` of a language model; `smoothing` of the labels.

    The softmax is over the model's output tokens (`output_pieces`).
    """

    counted: ClassVar[str] = "tokens"

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        smoothing: float = 0.0,
    ) -> None:
        self.collator = EncoderCollator(tokenizer, types=False)
        self.smoothing = smoothing
        self.said = SaidPieces(model)

    def collate(self, rows: Sequence[Row]) -> dict[str, Tensor]:
        """Sentences as one batch."""
        return self.collator(rows)

    def batches(self, data: EncoderData, how: Recipe, seed: int) -> Passes:
        """Batches of like-long sentences, numbered through all passes."""
        return Passes(data, how.tokens_per_batch, how.steps * how.accumulation, seed, how.window)

    def loss(self, model: nn.Module, batch: dict[str, Tensor]) -> Outcome:
        """The smoothed loss, summed over target tokens, in nats."""
        if isinstance(model, PreTrainedModel):
            rows, targets = _rows(model, batch)
            weight, classes = self.said.embeddings(model.embeddings), self.said.classes(targets)
            loss = smoothed_cross_entropy(rows, weight, classes, self.smoothing)
            return Outcome(loss, len(targets))
        # a wrapper that gathers gradients from other processes must see the whole forward pass
        said = batch["labels"] >= 0
        logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits[said]
        classes = self.said.classes(batch["labels"][said])
        loss = cross_entropy(
            self.said.logits(logits).float(), classes, reduction="sum", label_smoothing=self.smoothing
        )
        return Outcome(loss, len(classes))

    def score(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        """Cross-entropy without smoothing, and the number of targets that are the most probable token."""
        rows, targets = _rows(model, batch)
        weight, bias = model.embeddings, output_bias(model)
        loss, right = plain_scores(rows, weight, targets, bias)
        return Outcome(loss, len(targets), right)

    def description(self) -> dict[str, Any]:
        """Nothing besides data and recipe."""
        return {}


def _rows(model: PreTrainedModel, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Return the states before the output projection at target positions, and the target tokens."""
    said = batch["labels"] >= 0
    states = model.base_model(
        input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]
    ).last_hidden_state
    return model.head(states[said]), batch["labels"][said]
