"""Restriction of a model's output to the tokens of its output side.

In Voita et al. 2019 each side has its own vocabulary, so that the softmax is over tokens of the target language. Here
both sides share one, in which more than half of the tokens never occur in a target, and many never in a source, the
output side of language models. The logits of the others are permanently lowered by `NEVER`, through the output bias of
`transformers`' translation models, so that any code that loads the model respects it. Training leaves them out, which
saves half of the work of a narrow model's loss.
"""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from transformers import PreTrainedModel

# exp(-20) is 2e-9: negligible even for thousands of tokens, while tokens that occur only in dev keep a finite loss
NEVER = -20.0


def limit_outputs(model: PreTrainedModel, pieces: Sequence[int] | np.ndarray) -> None:
    """Restrict the model's output to these tokens."""
    with torch.no_grad():
        bias = model.final_logits_bias.fill_(NEVER)
        bias[..., torch.as_tensor(np.asarray(pieces, dtype=np.int64))] = 0.0


def output_bias(model: PreTrainedModel) -> Float[Tensor, " vocabulary"]:
    """Return the bias added to the logit of each token."""
    return model.final_logits_bias[0]


def output_pieces(model: PreTrainedModel) -> Int[Tensor, " piece"]:
    """Return the model's output tokens, ascending; all of them without a restriction."""
    return (output_bias(model) > NEVER).nonzero().flatten()


class EmittedTokens:
    """The model's output tokens as the classes of its loss, renumbered if they are not all."""

    def __init__(self, model: PreTrainedModel) -> None:
        pieces = output_pieces(model).cpu()
        self.limited = len(pieces) < model.config.vocab_size
        self.pieces = pieces
        self.numbers = torch.full((model.config.vocab_size,), -1)
        self.numbers[pieces] = torch.arange(len(pieces))

    def embeddings(self, embeddings: Float[Tensor, "vocabulary hidden"]) -> Float[Tensor, "piece hidden"]:
        """Those of these pieces."""
        return embeddings.index_select(0, self.pieces.to(embeddings.device)) if self.limited else embeddings

    def logits(self, logits: Float[Tensor, "*rows vocabulary"]) -> Float[Tensor, "*rows piece"]:
        """Those of these pieces."""
        return logits[..., self.pieces.to(logits.device)] if self.limited else logits

    def classes(self, labels: Int[Tensor, "*rows"]) -> Int[Tensor, "*rows"]:
        """Return the class of each label; negative labels are unchanged."""
        if not self.limited:
            return labels
        return torch.where(labels < 0, labels, self.numbers.to(labels.device)[labels.clamp(min=0)])
