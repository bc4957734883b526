"""How far a sum of few nodes is from the integral of attribution on a trained model.

Hao et al. (2021) take a Riemann sum of 20 nodes for the integral of equation 4. The reference is Gauss-Legendre
quadrature whose nodes are doubled until Σ Attr is F(A) - F(0) to `PRECISE`. Of every layer of every text,

    error = max |Attr_sum - Attr| / max |Attr|        over all heads, queries and keys
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import pandas as pd
import torch
from torch import Tensor, nn

from headwork.corpora.sources.readers import lines
from headwork.models.loading import hub
from headwork.relevance.attributions.examples import Classifier
from headwork.relevance.attributions.self_attention import Target, attributions
from headwork.relevance.attributions.targets import of_class, of_piece
from headwork.settings.models import TaskSettings
from headwork.settings.relevance import AttributionSettings

PRECISE = 1e-3
REFERENCE = AttributionSettings(steps=10, tolerance=PRECISE, negligible=1e-6, most=160)
RULES = ("right", "left", "midpoint", "gauss")
Asked = tuple[nn.Module, Mapping[str, Tensor], Target]


def quadrature_errors(
    model: nn.Module, inputs: Mapping[str, Tensor], target: Target, steps: int = 20
) -> pd.DataFrame:
    """kind, layer, text, rule, error of every rule with that many nodes, for a batch of texts.

    Layers of a text whose reference is not complete to `PRECISE` are left out.
    """
    reference = list(attributions(model, inputs, target, settings=REFERENCE))
    found = []
    for rule in RULES:
        chosen = AttributionSettings(rule=rule, steps=steps, most=steps)
        for one, exact in zip(attributions(model, inputs, target, settings=chosen), reference, strict=True):
            errors = (one.maps - exact.maps).abs().amax((1, 2, 3)) / exact.maps.abs().amax((1, 2, 3))
            complete = exact.missing.abs() <= PRECISE * exact.change.abs() + REFERENCE.negligible
            found += [
                (exact.site.kind, exact.site.layer, text, rule, errors[text].item())
                for text in complete.nonzero().flatten().tolist()
            ]
    return pd.DataFrame(found, columns=["kind", "layer", "text", "rule", "error"])


def _examples(folder: Path, data: Path, task: str, number: int) -> Iterator[Asked]:
    classifier = Classifier.load(folder, TaskSettings.read({"task": task}, "task"), 128)
    examples = classifier.read(data, classifier.dev, 128, number)
    for _, inputs, labels in classifier.batches(examples, 512):
        yield classifier.model, inputs, of_class(classifier.model, labels)


def _masked(folder: Path, text: Path, number: int) -> Iterator[Asked]:
    model, tokenizer = hub.load(folder)
    for line in islice(lines(text), number):
        inputs = tokenizer(line.text, return_tensors="pt", truncation=True, max_length=128)
        place = inputs["input_ids"].shape[1] // 2
        piece = inputs["input_ids"][:, place].clone()
        inputs["input_ids"][:, place] = tokenizer.mask_token_id
        yield model, dict(inputs), of_piece(torch.tensor([place]), piece)


def errors_of(
    model: str | Path, data: str | Path, task: str | None = None, examples: int = 20, steps: int = 20
) -> pd.DataFrame:
    """The table of `quadrature_errors` for a model's folder, of the first `examples`.

    With a GLUE `task`, `data` is the folder with its files, and the gold label of dev examples is attributed. Without,
    it is a text file, and in each line the word in the middle is masked and attributed.
    """
    asked = _examples(model, data, task, examples) if task else _masked(model, data, examples)
    return pd.concat([quadrature_errors(*each, steps=steps) for each in asked])


def percentiles(errors: pd.DataFrame) -> pd.DataFrame:
    """Median, 90th percentile and maximum of the errors, in percent, by layer and rule, and by rule in all layers."""
    percent = errors.assign(error=100 * errors["error"])
    summaries = [
        percent.groupby(keys)["error"].describe(percentiles=[0.5, 0.9])[["count", "50%", "90%", "max"]]
        for keys in (["kind", "layer", "rule"], ["rule"])
    ]
    return pd.concat(summary.reset_index() for summary in summaries)
