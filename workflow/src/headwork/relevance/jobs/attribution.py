"""One fine-tuned run: attributions of its heads on examples of its task, and what follows from them.

Hao et al. (2021), sections 3 to 6: importance of heads beside other measures of it, completeness of every example,
maps, attribution trees and whether their edges alone keep the answer, and adversarial triggers.

Trees tell how an answer came about, so they are always of the class that the model says, as in the authors' code, which
has the gold label where heads are ranked.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from headwork.models.objectives.encoder_batches import LabelledTexts
from headwork.relevance.attributions.attack import attack
from headwork.relevance.attributions.examples import Classifier
from headwork.relevance.attributions.importance import PerHead, of_attributions, taylor
from headwork.relevance.attributions.maps import weights_of
from headwork.relevance.attributions.self_attention import Attribution, attributions
from headwork.relevance.attributions.targets import of_class
from headwork.relevance.attributions.tree_statistics import answers_kept, edges_of
from headwork.relevance.attributions.trees import AttributionTree, attribution_tree
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_examples, write_table
from headwork.settings.models import TaskSettings
from headwork.settings.relevance import AttributionRun, Quadrature
from headwork.sites import Site

ATTRIBUTION = "attribution"
DIGITS = 5  # of weights in files


class _Seen(NamedTuple):
    """One example: its number in the data, the answer given, and that answer's attributions summed over heads."""

    number: int
    answer: int
    layers: np.ndarray


def attribute_run(
    input: Files,
    output: Files,
    task: TaskSettings,
    settings: AttributionRun,
    device: str = "cpu",
) -> None:
    """Attribute the answers of a fine-tuned run and write what comes of it.

    Input: model (its files) and task (its folder or files). Output: importance (parquet: split, example, kind, layer,
    head, measure, value), completeness (parquet: split, example, kind, layer, change, missing, steps), quadrature (csv:
    the same for some examples by rule and steps), edges and kept (csv: see `edges_of` and `answers_kept`), trees and
    maps (json), triggers (csv: see `attack`). Examples are given by their places in the file of their split. Raises
    InputError for a task without labels (regression), for examples longer than the model can read, and as the readers
    do.
    """
    task_folder = folder_of(input.task)
    classifier = Classifier.load(folder_of(input.model), task, settings.longest, device)
    split = classifier.dev if settings.leak else "train"
    data = classifier.read(task_folder, split, settings.longest, settings.examples, settings.seed)
    importance, complete, seen = [], [], []
    for numbers, inputs, labels in classifier.batches(data, settings.tokens):
        said = classifier.answers(inputs)
        asked = labels if settings.answer == "gold" else said
        target = of_class(classifier.model, asked)
        found = list(attributions(classifier.model, inputs, target, settings=settings.attribution))
        measures = {ATTRIBUTION: of_attributions(found, inputs), **taylor(classifier.model, inputs, target)}
        places = np.array(data.indices)[numbers]
        importance += [_importance(places, measure, of_heads) for measure, of_heads in measures.items()]
        complete += [completeness(places, each) for each in found]
        layers = _layers(found)
        wrong = (said != asked).nonzero().flatten()
        if len(wrong):
            others, told = {name: each[wrong] for name, each in inputs.items()}, said[wrong]
            target = of_class(classifier.model, told)
            layers[wrong] = _layers(
                attributions(classifier.model, others, target, settings=settings.attribution)
            )
        seen += _seen(numbers, inputs, said, layers)
    seen.sort(key=lambda one: one.number)
    trees = [attribution_tree(one.layers, settings.tree) for one in seen]
    table = pd.concat(importance, ignore_index=True)
    chosen = _readable(data, seen, settings)
    by_edges = sorted(chosen, key=lambda one: (-len(trees[one.number].edges), one.number))[: settings.shown]
    texts = classifier.read(task_folder, "train", settings.longest, settings.triggers.examples, settings.seed)
    dev = classifier.read(
        task_folder, classifier.dev, settings.longest, settings.triggers.texts, settings.seed
    )
    triggers = attack(
        classifier,
        texts,
        dev,
        settings.triggers,
        settings.attribution,
        settings.longest,
        settings.tokens,
        settings.seed,
    )
    write_table(output.importance, table.assign(split=split))
    write_table(output.completeness, pd.concat(complete, ignore_index=True).assign(split=split))
    write_table(output.quadrature, quadratures(classifier, data, chosen, settings))
    write_table(output.edges, edges_of(trees, data))
    write_table(output.kept, answers_kept(classifier, data, trees, settings.seed))
    write_table(output.triggers, triggers)
    write_examples(output.trees, _trees(classifier, data, by_edges, trees))
    write_examples(output.maps, _maps(classifier, data, chosen, table, settings))


def _importance(places: np.ndarray, measure: str, of_heads: Mapping[Site, PerHead]) -> pd.DataFrame:
    tables = []
    for site, values in of_heads.items():
        heads = np.arange(1, values.shape[1] + 1)
        tables.append(
            pd.DataFrame(
                {
                    "example": places.repeat(len(heads)),
                    "kind": site.kind,
                    "layer": site.layer,
                    "head": np.tile(heads, len(places)),
                    "measure": measure,
                    "value": values.double().cpu().numpy().ravel(),
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def completeness(places: Sequence[int] | np.ndarray, found: Attribution) -> pd.DataFrame:
    """example, kind, layer, change, missing, steps: F(A) - F(0) of each example, and what Σ Attr lacks of it."""
    return pd.DataFrame(
        {
            "example": places,
            "kind": found.site.kind,
            "layer": found.site.layer,
            "change": found.change.double().cpu().numpy(),
            "missing": found.missing.double().cpu().numpy(),
            "steps": found.steps,
        }
    )


def _layers(found: Iterable[Attribution]) -> Tensor:
    """(example, layer, query, key): attributions summed over heads."""
    return torch.stack([each.maps.sum(1) for each in found if each.site.kind == "encoder"], dim=1)


def _seen(numbers: np.ndarray, inputs: Mapping[str, Tensor], said: Tensor, layers: Tensor) -> list[_Seen]:
    lengths = inputs["attention_mask"].sum(1).tolist()
    return [
        _Seen(number, answer, layers[row, :, :length, :length].double().cpu().numpy())
        for row, (number, answer, length) in enumerate(
            zip(numbers.tolist(), said.tolist(), lengths, strict=True)
        )
    ]


def _readable(data: LabelledTexts, seen: Sequence[_Seen], how: AttributionRun) -> list[_Seen]:
    """Examples that can be shown: neither short nor long, and answered rightly; all, if there are none such."""
    least, most = how.readable
    lengths = data.source.lengths
    found = [
        one for one in seen if least <= lengths[one.number] <= most and one.answer == data.labels[one.number]
    ]
    return found or list(seen)


def _described(classifier: Classifier, data: LabelledTexts, one: _Seen) -> dict[str, Any]:
    labels = classifier.task.labels
    return {
        "example": data.indices[one.number],
        "pieces": classifier.tokenizer.convert_ids_to_tokens(data.source[one.number].tolist()),
        "second": int(data.second[one.number]),
        "gold": labels[data.labels[one.number]],
        "predicted": labels[one.answer],
    }


def _trees(
    classifier: Classifier, data: LabelledTexts, chosen: Iterable[_Seen], trees: Sequence[AttributionTree]
) -> list[dict[str, Any]]:
    """Trees with their examples; those with most edges come first."""
    described = [(_described(classifier, data, one), one) for one in chosen]
    return [
        {**facts, "layers": len(one.layers), **trees[one.number].as_json(facts["pieces"])}
        for facts, one in described
    ]


def _maps(
    classifier: Classifier,
    data: LabelledTexts,
    chosen: Sequence[_Seen],
    importance: pd.DataFrame,
    how: AttributionRun,
) -> list[dict[str, Any]]:
    """Of the most important head, the attention and the attribution maps of the examples it is most important for."""
    own = importance[(importance["measure"] == ATTRIBUTION) & (importance["kind"] == "encoder")]
    layer, head = own.groupby(["layer", "head"])["value"].mean().idxmax()
    values = own[(own["layer"] == layer) & (own["head"] == head)].set_index("example")["value"]
    ranked = sorted(chosen, key=lambda one: (-values[data.indices[one.number]], one.number))
    site, shown = Site("encoder", int(layer)), []
    for one in ranked[: how.shown]:
        inputs, labels = classifier.inputs([data[one.number]])
        target = of_class(classifier.model, labels)
        (found,) = attributions(classifier.model, inputs, target, [site], how.attribution)
        maps = {"attention": weights_of(classifier.model, inputs)[site], "attribution": found.maps}
        facts = {"change": found.change.item(), "missing": found.missing.item()}
        rounded = {
            name: each[0, int(head) - 1].double().cpu().numpy().round(DIGITS).tolist()
            for name, each in maps.items()
        }
        place = {"layer": int(layer), "head": int(head)}
        shown.append({**_described(classifier, data, one), **place, **facts, **rounded})
    return shown


def quadratures(
    classifier: Classifier, data: LabelledTexts, chosen: Sequence[_Seen], how: AttributionRun
) -> pd.DataFrame:
    """rule, steps, example, kind, layer, change, missing: how far each quadrature is from complete."""
    numbers = [one.number for one in chosen[: how.shown]]
    inputs, labels = classifier.inputs([data[number] for number in numbers])
    target, places, tables = of_class(classifier.model, labels), [data.indices[n] for n in numbers], []
    for rule in get_args(Quadrature):
        for steps in how.nodes:
            fixed = how.attribution.model_copy(update={"rule": rule, "steps": steps, "most": steps})
            for found in attributions(classifier.model, inputs, target, settings=fixed):
                tables.append(completeness(places, found).assign(rule=rule, steps=steps))
    columns = ["rule", "steps", "example", "kind", "layer", "change", "missing"]
    return pd.concat(tables, ignore_index=True)[columns]
