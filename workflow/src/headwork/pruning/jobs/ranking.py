"""One fine-tuned run: accuracy when heads are removed in the order of their importance, by each measure of it.

Hao et al. (2021), section 4; Michel et al. (2019). Heads are ranked by what the relevance phase found on held-out
examples (or, with its `leak`, on dev), by the accuracy lost on the same examples when the head alone is removed, and at
random; accuracy is that of dev.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from headwork.corpora.annotated.glue import read_task
from headwork.lens.last_layer import only_places
from headwork.models.objectives.encoder_batches import LabelledTexts
from headwork.pruning.disabling import answers_without
from headwork.pruning.effect import answers_without_each
from headwork.pruning.ranking import PLACE, answers_by_share, order, random_order
from headwork.relevance.attributions.examples import CLS, Classifier
from headwork.relevance.attributions.importance import normalised
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import read_parquet, write_table
from headwork.settings.base import part_of
from headwork.settings.models import TaskSettings
from headwork.settings.pruning import RankingSettings
from headwork.settings.relevance import AttributionRun, AttributionSettings
from headwork.sites import Head

ACCURACY, LOSS, RANDOM = "accuracy", "loss", "random"
NORMALISED = ("attribution", "taylor", "taylor-context")  # measures also ranked by shares of their layer


def rank_run(
    input: Files,
    output: Files,
    task: TaskSettings,
    settings: RankingSettings,
    attribution: AttributionRun,
    device: str = "cpu",
) -> None:
    """Rank the heads of a fine-tuned run, remove them in that order, and write what the accuracy comes to.

    Input: model (its files), task (its folder or files) and importance, the table of `attribute_run`, made with the
    settings `attribution`. Output: heads (csv: measure, kind, layer, head, value), curves (csv: measure, order, share,
    removed, accuracy, n) and effect (csv: measure, first, removed, accuracy, n; see `pruning.effect`). Raises
    InputError as `Classifier.load` does.
    """
    how, ways, task_folder = settings, attribution, folder_of(input.task)
    classifier = Classifier.load(folder_of(input.model), task, ways.longest, device)
    importance = read_parquet(input.importance)
    split, chosen = importance["split"].iloc[0], set(importance["example"])
    examples = [one for one in read_task(task_folder, classifier.task, split) if one.index in chosen]
    heads = pd.concat(
        [
            measured(importance),
            removed_alone(classifier, classifier.texts(examples, ways.longest), how.tokens),
        ],
        ignore_index=True,
    )
    dev = classifier.read(task_folder, classifier.dev, ways.longest, how.texts, how.seed)
    few = classifier.read(task_folder, classifier.dev, ways.longest, how.examples, how.seed)
    write_table(output.heads, heads)
    write_table(output.curves, curves(classifier, dev, orders_of(heads, how), how))
    write_table(output.effect, effect(classifier, few, ways.attribution, ways.tokens))


def measured(importance: pd.DataFrame) -> pd.DataFrame:
    """measure, kind, layer, head, value: means over examples; of `NORMALISED` also divided by their layer's length."""
    means = importance.groupby(["measure", *PLACE], sort=False)["value"].mean().reset_index()
    tables = [means]
    for measure in NORMALISED:
        own = means[means["measure"] == measure]
        divided = normalised(own.rename(columns={"measure": "key"})).rename(columns={"key": "measure"})
        tables.append(divided.assign(measure=f"{measure}-normalised"))
    return pd.concat(tables, ignore_index=True)


def removed_alone(classifier: Classifier, data: LabelledTexts, tokens: int) -> pd.DataFrame:
    """measure, kind, layer, head, value: the accuracy lost, and the loss gained, with each head removed alone."""
    batches = list(classifier.batches(data, tokens))
    inputs = (inputs for _, inputs, _ in batches)
    found = answers_without(classifier.model, inputs, _log_probabilities, ("zero",), places=CLS)
    lost: dict[Head, dict[str, list[np.ndarray]]] = {}
    for (_, _, labels), (whole, without) in zip(batches, found, strict=True):
        gold = labels.cpu().numpy()
        for variant, answers in without.items():
            if variant.head is not None:
                own = lost.setdefault(variant.site.head(variant.head), {ACCURACY: [], LOSS: []})
                right = [(said.argmax(1) == gold).astype(float) for said in (whole, answers)]
                own[ACCURACY].append(right[0] - right[1])
                own[LOSS].append(np.take_along_axis(whole - answers, gold[:, None], 1)[:, 0])
    rows = [
        (measure, *head, float(np.concatenate(values).mean()))
        for measure in (ACCURACY, LOSS)
        for head, own in lost.items()
        for values in [own[measure]]
    ]
    return pd.DataFrame(rows, columns=["measure", *PLACE, "value"])


def orders_of(heads: pd.DataFrame, how: RankingSettings) -> dict[tuple[str, int], list[Head]]:
    """By measure and number of the order (several at random): the heads, the least important first."""
    orders = {(measure, 0): order(own) for measure, own in heads.groupby("measure", sort=False)}
    places = sorted(next(iter(orders.values())))
    return orders | {(RANDOM, n): random_order(places, how.seed + n) for n in range(how.orders)}


def curves(
    classifier: Classifier,
    data: LabelledTexts,
    orders: Mapping[tuple[str, int], list[Head]],
    how: RankingSettings,
) -> pd.DataFrame:
    """measure, order, share, removed, accuracy, n: with a share of the heads removed in each order.

    The share is that of the heads which were: ⌊n p⌋ of n for a share p that was asked for.
    """
    batches = list(classifier.batches(data, how.tokens))
    inputs = (inputs for _, inputs, _ in batches)
    right: dict[Any, int] = {}
    shares = [float(share) for share in how.shares]
    answers = answers_by_share(classifier.model, inputs, _log_probabilities, orders, shares)
    with only_places(classifier.model, CLS):
        for (_, _, labels), found in zip(batches, answers, strict=True):
            for key, said in found.items():
                right[key] = right.get(key, 0) + int((said.argmax(1) == labels.cpu().numpy()).sum())
    rows = []
    for (name, share), count in right.items():
        heads = len(orders[name])
        removed = part_of(heads, share)
        rows.append((*name, removed / heads, removed, count / len(data), len(data)))
    return pd.DataFrame(rows, columns=["measure", "order", "share", "removed", "accuracy", "n"])


def effect(
    classifier: Classifier, data: LabelledTexts, settings: AttributionSettings, tokens: int
) -> pd.DataFrame:
    """measure, first, removed, accuracy, n: with `removed` heads of every layer removed for each example by itself."""
    right: dict[tuple[str, str, int], int] = {}
    for _, inputs, labels in classifier.batches(data, tokens):
        for key, said in answers_without_each(classifier, inputs, labels, settings).items():
            right[key] = right.get(key, 0) + int((said == labels).sum())
    rows = [(*key, count / len(data), len(data)) for key, count in right.items()]
    return pd.DataFrame(rows, columns=["measure", "first", "removed", "accuracy", "n"])


def _log_probabilities(model: nn.Module, batch: Mapping[str, Tensor]) -> np.ndarray:
    return torch.log_softmax(model(**batch).logits.float(), dim=1).cpu().numpy()
