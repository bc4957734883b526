"""Effect on single examples of removing the most or least important heads of every layer.

Hao et al. (2021), section 4.1: heads are ranked for each example by itself, within their layer, using the gold label,
and k of every layer are removed. This diagnoses attribution and is not a pruning method.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from headwork.lens.lens import Lens
from headwork.relevance.attributions.examples import Classifier
from headwork.relevance.attributions.importance import PerHead, of_attributions, taylor
from headwork.relevance.attributions.self_attention import attributions
from headwork.relevance.attributions.targets import of_class
from headwork.settings.relevance import AttributionSettings
from headwork.sites import Site

MEASURES = ("attribution", "attention")
FIRST = ("most", "least")


def gates_of_each(values: Mapping[Site, PerHead], removed: int, first: str) -> dict[Site, Tensor]:
    """Return gates for each example: 0 for its `removed` most, or least, important heads of every layer.

    With ties the first head of the layer counts as less important.
    """
    gates = {}
    for site, of_heads in values.items():
        ranked = of_heads.argsort(dim=1, stable=True)
        gone = ranked[:, :removed] if first == "least" else ranked[:, max(0, ranked.shape[1] - removed) :]
        gates[site] = torch.ones_like(of_heads).scatter(1, gone, 0.0)
    return gates


def answers_without_each(
    classifier: Classifier, inputs: Mapping[str, Tensor], labels: Tensor, settings: AttributionSettings
) -> dict[tuple[str, str, int], Tensor]:
    """Return the predicted labels of a batch by (measure, most or least first, heads removed per layer).

    From no head to all heads of the widest layer; the order does not matter for these two.
    """
    target = of_class(classifier.model, labels)
    found = list(attributions(classifier.model, inputs, target, settings=settings))
    values = {
        "attribution": of_attributions(found, inputs),
        "attention": taylor(classifier.model, inputs, target)["attention"],
    }
    most = max(of_heads.shape[1] for of_heads in values["attribution"].values())
    answers: dict[tuple[str, str, int], Tensor] = {}
    with Lens(classifier.model) as lens:
        for removed in range(most + 1):
            for measure in MEASURES:
                for first in FIRST:
                    known = ("attribution", "most", removed)
                    if removed in (0, most) and known in answers:
                        answers[measure, first, removed] = answers[known]
                        continue
                    with lens.gating(gates_of_each(values[measure], removed, first)):
                        answers[measure, first, removed] = classifier.answers(inputs)
    return answers
