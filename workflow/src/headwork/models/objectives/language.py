"""The objectives of language models on the source side of a corpus: next or masked tokens.

    loss = mean over target tokens of -log p(token), smoothed if the recipe says so

Targets for a sentence x1 ... xT that ends with EOS: LM, each of x2 ... xT from those before it; MLM, the tokens chosen
by `Masking`. With noise, the inputs of an LM differ from its targets.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.models.numerics.smoothed_loss import plain_scores, smoothed_cross_entropy
from headwork.models.objectives.encoder_batches import EncoderCollator, EncoderData, Row
from headwork.models.objectives.noise import Noise
from headwork.models.objectives.output_pieces import EmittedTokens, output_bias
from headwork.models.training.batches import IGNORED, Side
from headwork.models.training.objective import Objective, Outcome


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


class LanguageModelling(Objective):
    """The `Objective` of a language model; `smoothing` of the labels.

    The softmax is over the model's output tokens (`output_pieces`).
    """

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, smoothing: float = 0.0
    ) -> None:
        super().__init__(EncoderCollator(tokenizer, types=False))
        self.smoothing = smoothing
        self.emitted = EmittedTokens(model)

    def loss(self, model: nn.Module, batch: dict[str, Tensor]) -> Outcome:
        """The smoothed loss, summed over target tokens, in nats."""
        if isinstance(model, PreTrainedModel):
            rows, targets = _rows(model, batch)
            weight, classes = self.emitted.embeddings(model.embeddings), self.emitted.classes(targets)
            loss = smoothed_cross_entropy(rows, weight, classes, self.smoothing)
            return Outcome(loss, len(targets))
        # a wrapper that gathers gradients from other processes must see the whole forward pass
        predicted = batch["labels"] >= 0
        logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits[predicted]
        classes = self.emitted.classes(batch["labels"][predicted])
        loss = cross_entropy(
            self.emitted.logits(logits).float(), classes, reduction="sum", label_smoothing=self.smoothing
        )
        return Outcome(loss, len(classes))

    def score(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        rows, targets = _rows(model, batch)
        loss, right = plain_scores(rows, model.embeddings, targets, output_bias(model))
        return Outcome(loss, len(targets), right)


def _rows(model: PreTrainedModel, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Return the states before the output projection at target positions, and the target tokens."""
    predicted = batch["labels"] >= 0
    states = model.base_model(
        input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]
    ).last_hidden_state
    return model.head(states[predicted]), batch["labels"][predicted]
