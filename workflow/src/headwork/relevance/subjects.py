"""One interface to classifiers and translation models for importance measures.

Importance is measured on one text; the score and the log-likelihood of the gold answer with heads removed are measured
on another.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from headwork.heads.streaming.batches import Batch
from headwork.lens.lens import Lens
from headwork.models.gates.removal import fold
from headwork.models.objectives.encoder_batches import LabelledTexts
from headwork.models.scoring.beam_search import Translator
from headwork.models.scoring.bleu import score
from headwork.models.training.batches import IGNORED
from headwork.relevance.attributions.examples import Classifier
from headwork.relevance.attributions.self_attention import Target
from headwork.relevance.attributions.targets import log_probability, of_class, of_sentence
from headwork.settings.models import Translation
from headwork.sites import PerHead, Site


class Given(NamedTuple):
    """A batch: the model's inputs, and the gold labels (batch,) or target tokens (batch, place)."""

    inputs: Mapping[str, Tensor]
    labels: Tensor


class Worth(NamedTuple):
    """Score and mean log-likelihood (nats) of a model with some heads removed."""

    score: float
    likelihood: float


class Subject(ABC):
    """A model, the batches on which importance is measured, and its evaluation. `metric` names the score."""

    metric: str

    def __init__(self, model: nn.Module, measured: Sequence[Given], judged: Sequence[Given]) -> None:
        self.model, self.measured, self.judged = model.eval(), list(measured), list(judged)

    @abstractmethod
    def target(self, given: Given) -> Target:
        """Return the attributed quantity of a batch: the probability of the gold answer."""

    @abstractmethod
    def best(self, found: Any, given: Given) -> Tensor:
        """Return the sum of the logits of the model's predictions, from which relevance starts."""

    @abstractmethod
    def likelihoods(self, logits: Tensor, given: Given) -> Tensor:
        """Return ln p of the gold answer of each text."""

    @abstractmethod
    def worth(self, gates: Mapping[Site, PerHead]) -> Worth:
        """Return score and log-likelihood with heads removed by gates of 0."""

    @torch.no_grad()
    def likelihood(self, gates: Mapping[Site, PerHead]) -> tuple[float, list[Tensor]]:
        """Return the mean log-likelihood of the evaluation texts, and the logits of each batch."""
        sums, texts, logits = 0.0, 0, []
        own = {site: gate.to(self.model.device) for site, gate in gates.items()}
        with Lens(self.model) as lens, lens.gating(own):
            for given in self.judged:
                logits.append(self.model(**given.inputs).logits)
                found = self.likelihoods(logits[-1], given)
                sums, texts = sums + float(found.sum()), texts + len(found)
        return sums / texts, logits


class ClassifierSubject(Subject):
    """A fine-tuned encoder; its score is accuracy."""

    metric = "accuracy"

    @classmethod
    def of(
        cls, classifier: Classifier, measured: LabelledTexts, judged: LabelledTexts, tokens: int
    ) -> "ClassifierSubject":
        """The subject of labelled texts, in batches of at most `tokens` tokens."""
        parts = [
            [Given(inputs, labels) for _, inputs, labels in classifier.batches(data, tokens)]
            for data in (measured, judged)
        ]
        return cls(classifier.model, *parts)

    def target(self, given: Given) -> Target:
        return of_class(self.model, given.labels)

    def best(self, found: Any, given: Given) -> Tensor:
        return found.logits.amax(1).sum()

    def likelihoods(self, logits: Tensor, given: Given) -> Tensor:
        return logits.float().log_softmax(1).gather(1, given.labels[:, None])[:, 0]

    def worth(self, gates: Mapping[Site, PerHead]) -> Worth:
        likelihood, logits = self.likelihood(gates)
        pairs = list(zip(logits, self.judged, strict=True))
        right = sum(int((found.argmax(1) == given.labels).sum()) for found, given in pairs)
        return Worth(right / sum(len(given.labels) for _, given in pairs), likelihood)


class LanguageSubject(Subject):
    """A model that predicts tokens, such as a language model; its score is the log-likelihood itself.

    Labels are the token of each position, -100 where none is to be predicted.
    """

    metric = "log-likelihood"

    def target(self, given: Given) -> Target:
        return of_sentence(given.labels)

    def best(self, found: Any, given: Given) -> Tensor:
        return (found.logits.amax(2) * (given.labels != IGNORED)).sum()

    def likelihoods(self, logits: Tensor, given: Given) -> Tensor:
        return log_probability(logits, given.labels)

    def worth(self, gates: Mapping[Site, PerHead]) -> Worth:
        likelihood, _ = self.likelihood(gates)
        return Worth(likelihood, likelihood)


class TranslationSubject(LanguageSubject):
    """A translation model; its score is BLEU of `source` against `reference`, both in words."""

    metric = "BLEU"

    def __init__(
        self,
        translator: tuple[nn.Module, Any],
        measured: Sequence[Batch],
        judged: Sequence[Batch],
        text: tuple[Sequence[str], Sequence[str]],
        settings: Translation,
    ) -> None:
        """`translator` is (model, tokenizer)."""
        model, self.tokenizer = translator
        parts = [[as_given(batch.to(model.device)) for batch in part] for part in (measured, judged)]
        super().__init__(model, *parts)
        self.source, self.reference = text
        self.search, self.scoring = settings, settings.scoring.model_copy(update={"resamples": 2})

    def worth(self, gates: Mapping[Site, PerHead]) -> Worth:
        cut = copy.deepcopy(self.model)
        fold(cut, gates)
        translator = Translator(cut, self.search, tokenizer=self.tokenizer, device=self.model.device.type)
        found = score(translator(self.source), self.reference, self.scoring)
        return Worth(found["bleu"], self.likelihood(gates)[0])


def as_given(batch: Batch) -> Given:
    """Return the batch with the tokens that the decoder is to say."""
    return Given(batch.inputs, batch.target.ids.masked_fill(~batch.target.present, IGNORED))
