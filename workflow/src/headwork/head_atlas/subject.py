"""What a model predicts on the text of an atlas, so that the importance of its heads can be measured.

classifier        the probability of the gold label, or without labels of the label that the model predicts
translation       the mean log-likelihood of the translation's tokens
language model    the mean log-likelihood of the next token; masked: of the masked tokens
other encoders    the mean cosine similarity of the final hidden states with those of the whole model
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from headwork.errors import InputError
from headwork.head_atlas.reading import Reading
from headwork.heads.streaming.batches import Batch
from headwork.lens.lens import Lens
from headwork.models.loading.kinds import CAUSAL_LM, CLASSIFIER, MASKED_LM, kind_of
from headwork.models.objectives.masking import Masking, MaskingSettings
from headwork.models.training.batches import IGNORED
from headwork.relevance.attributions.self_attention import Target
from headwork.relevance.sensitivity import masked
from headwork.relevance.subjects import ClassifierSubject, Given, LanguageSubject, Subject, Worth, as_given
from headwork.sites import PerHead, Site


class StatesSubject(Subject):
    """An encoder without an output layer: similarity of its final hidden states (labels) with those without heads."""

    metric = "similarity of hidden states"
    # of the measure `removal`
    words: ClassVar = {
        "name": "change without it",
        "says": "1 - cosine similarity of the final hidden states with and without the head, on a sample.",
    }

    def target(self, given: Given) -> Target:
        raise InputError(
            "gradient and Taylor importance need a prediction, and this model has no output layer"
        )

    def best(self, found: Any, given: Given) -> Tensor:
        return (found.last_hidden_state * given.labels).sum() / given.labels.norm(dim=-1).mean()

    def likelihoods(self, logits: Tensor, given: Given) -> Tensor:
        similar = torch.cosine_similarity(logits, given.labels, dim=-1)
        present = given.inputs["attention_mask"]
        return (similar * present).sum(1) / present.sum(1)

    @torch.no_grad()
    def likelihood(self, gates: Mapping[Site, PerHead]) -> tuple[float, list[Tensor]]:
        own = {site: gate.to(self.model.device) for site, gate in gates.items()}
        with Lens(self.model) as lens, lens.gating(own):
            states = [self.model(**given.inputs).last_hidden_state for given in self.judged]
        found = torch.cat([self.likelihoods(*each) for each in zip(states, self.judged, strict=True)])
        return float(found.mean()), states

    def worth(self, gates: Mapping[Site, PerHead]) -> Worth:
        likelihood, _ = self.likelihood(gates)
        return Worth(likelihood, likelihood)


def subject_of(
    model: nn.Module, reading: Reading, measured: Sequence[int], judged: Sequence[int], seed: int
) -> Subject:
    """The model with what it predicts on the chosen texts, by the kind of its output layer."""
    name, kind, own = kind_of(model), LanguageSubject, model
    batches = [reading.batches(600, chosen) for chosen in (measured, judged)]
    if reading.targets is not None:
        make = as_given
    elif name == MASKED_LM and reading.tokenizer.mask_token_id is not None:
        masking = Masking(reading.tokenizer, MaskingSettings())
        batches, make = [list(masked(part, masking, seed)) for part in batches], _masked
    elif name == CAUSAL_LM:
        make = _next
    elif name == CLASSIFIER and model.config.num_labels > 1:
        parts = [[_classes(model, reading, number) for number in chosen] for chosen in (measured, judged)]
        return ClassifierSubject(model, *parts)
    else:
        kind, own = StatesSubject, model.base_model
        make = partial(_states, own)
    return kind(own, *([make(batch.to(own.device)) for batch in part] for part in batches))


def _masked(batch: Batch) -> Given:
    inputs = dict(batch.inputs)
    return Given(inputs, inputs.pop("labels"))


def _next(batch: Batch) -> Given:
    side = batch.queries["decoder"]
    labels = side.ids.masked_fill(~side.present, IGNORED).roll(-1, 1)
    labels[:, -1] = IGNORED
    return Given(batch.inputs, labels)


@torch.no_grad()
def _classes(model: nn.Module, reading: Reading, number: int) -> Given:
    batch = reading.single(number).to(model.device)
    if reading.labels is not None:
        return Given(batch.inputs, torch.tensor([reading.labels[number]], device=model.device))
    return Given(batch.inputs, model(**batch.inputs).logits.argmax(1))


@torch.no_grad()
def _states(model: nn.Module, batch: Batch) -> Given:
    return Given(batch.inputs, model(**batch.inputs).last_hidden_state)
