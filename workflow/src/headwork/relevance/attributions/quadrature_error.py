"""How far a sum of few nodes is from the integral of attribution on a trained model, as a command.

Hao et al. (2021) take a Riemann sum of 20 nodes for the integral of equation 4. The reference is Gauss-Legendre
quadrature whose nodes are doubled until Σ Attr is F(A) - F(0) to `PRECISE`. Of every layer of every text,

    error = max |Attr_sum - Attr| / max |Attr|        over all heads, queries and keys

    python -m headwork.relevance.attributions.quadrature_error MODEL FOLDER --task RTE
    python -m headwork.relevance.attributions.quadrature_error MODEL TEXT.txt

The first form is of a fine-tuned model, and attributes the gold label; the second is of a masked language model, and
attributes the word in the middle of each line, which is masked.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import pandas as pd
import torch
from torch import Tensor, nn

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the median, the 90th percentile and the maximum of the errors, in percent, by layer and rule."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path, help="a folder with the task's files, or a text file")
    parser.add_argument("--task", help="the GLUE task that the model is fine-tuned on")
    parser.add_argument("--examples", type=int, default=20)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args(arguments)
    try:
        given = (options.model, options.data)
        asked = (
            _examples(*given, options.task, options.examples)
            if options.task
            else _masked(*given, options.examples)
        )
        table = pd.concat([quadrature_errors(*each, steps=options.steps) for each in asked])
    except InputError as error:
        sys.exit(str(error))
    table["error"] *= 100
    of_all = table.groupby("rule")["error"].describe(percentiles=[0.5, 0.9])
    by_layer = table.groupby(["kind", "layer", "rule"])["error"].describe(percentiles=[0.5, 0.9])
    for summary in (by_layer, of_all):
        print(summary[["count", "50%", "90%", "max"]].round(2).to_string())


if __name__ == "__main__":
    main()
