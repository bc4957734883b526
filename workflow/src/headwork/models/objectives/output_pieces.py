"""Which pieces a model may say: those of the side it learns to say, though both sides share one vocabulary.

In Voita et al. 2019 each side has a vocabulary of its own, so that the softmax is over pieces of the target language.
Here both sides share one, in which more than half of the subword tokens are never in a target, and many never in a
source, which is what language models say. The others get a logit that is lower by `NEVER` for good, by the one bias
that translation models of `transformers` have at their output, so that every reader of a model knows; and training,
where they would change nothing, leaves them out: of a narrow model's loss, half of the work.
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
    """Let the model say these pieces, and no others."""
    with torch.no_grad():
        bias = model.final_logits_bias.fill_(NEVER)
        bias[..., torch.as_tensor(np.asarray(pieces, dtype=np.int64))] = 0.0


def output_bias(model: PreTrainedModel) -> Float[Tensor, " vocabulary"]:
    """What is added to the logit of each piece."""
    return model.final_logits_bias[0]


def output_pieces(model: PreTrainedModel) -> Int[Tensor, " piece"]:
    """The pieces that the model may say, ascending; all of them if nothing was said."""
    return (output_bias(model) > NEVER).nonzero().flatten()


class SaidPieces:
    """The pieces that a model may say as the classes of its loss, numbered again if they are not all."""

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
        """The number of each label among these pieces; what is below 0 stays as it is."""
        if not self.limited:
            return labels
        return torch.where(labels < 0, labels, self.numbers.to(labels.device)[labels.clamp(min=0)])
