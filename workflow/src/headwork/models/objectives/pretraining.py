"""The objective of BERT's pretraining: masked tokens and, optionally, next-sentence prediction.

    loss = mean over masked tokens of -log p(token)  +  mean over segments of -log p(B follows A, or does not)

(Devlin et al. 2019, section 3.1 and appendix A.2). Logits are computed only at masked positions, which saves six in
seven rows, most of the work of a small model.
"""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import BertForMaskedLM, BertForPreTraining, PreTrainedModel

from headwork.models.objectives.encoder_batches import EncoderCollator, EncoderData
from headwork.models.training.batches import TokenBudget
from headwork.models.training.objective import Objective, Outcome


class Pretraining(Objective):
    """The `Objective` of a masked language model."""

    def loss(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        return pretraining_loss(model, batch)

    def score(self, model: PreTrainedModel, batch: dict[str, Tensor]) -> Outcome:
        return pretraining_loss(model, batch, counted=True)


def pretraining_loss(model: PreTrainedModel, batch: dict[str, Tensor], counted: bool = False) -> Outcome:
    """Return the cross-entropy of masked tokens in nats, and that of next-sentence prediction if the batch has it.

    `counted`: also count the targets that are the most probable token.
    """
    inputs = dict(batch)
    labels, follows = inputs.pop("labels"), inputs.pop("next_sentence_label", None)
    chosen = labels >= 0
    beside: Tensor | float = 0.0
    if isinstance(model, BertForMaskedLM | BertForPreTraining):
        found = model.bert(**inputs)
        logits = model.cls.predictions(found.last_hidden_state[chosen])
        second = model.cls.seq_relationship(found.pooler_output) if follows is not None else None
    else:  # other families, and the wrapper for distributed training
        found = model(**inputs)
        logits = (found.logits if follows is None else found.prediction_logits)[chosen]
        second = None if follows is None else found.seq_relationship_logits
    if second is not None:
        beside = cross_entropy(second.float(), follows)
    loss = cross_entropy(logits.float(), labels[chosen], reduction="sum")
    right = int((logits.detach().argmax(dim=1) == labels[chosen]).sum()) if counted else None
    return Outcome(loss, len(logits), right, beside)


@torch.inference_mode()
def next_sentence_accuracy(
    model: BertForPreTraining, data: EncoderData, collator: EncoderCollator, tokens: int
) -> float:
    """Return the accuracy of next-sentence prediction."""
    right = 0
    for numbers in TokenBudget(data, tokens, 1, seed=0).one_pass(0):
        batch = collator([data[number] for number in numbers.tolist()])
        follows = batch.pop("next_sentence_label")
        del batch["labels"]
        said = model(**batch).seq_relationship_logits.argmax(dim=1)
        right += int((said == follows).sum())
    return right / len(data)
