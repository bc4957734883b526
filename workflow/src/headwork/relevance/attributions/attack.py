"""Accuracy of a fine-tuned model with triggers found by attribution, by attention, or at random."""

from collections import Counter

import numpy as np
import pandas as pd
import torch

from headwork.models.objectives.encoder_batches import LabelledTexts, Row
from headwork.models.training.batches import cut
from headwork.relevance.attributions.examples import Classifier
from headwork.relevance.attributions.maps import weights_of
from headwork.relevance.attributions.self_attention import attributions
from headwork.relevance.attributions.targets import of_class
from headwork.relevance.attributions.triggers import (
    Trigger,
    distinct,
    inserted,
    of_chance,
    trigger_of,
)
from headwork.settings.relevance import AttributionSettings, TriggerSettings

SOURCES = ("none", "attribution", "attention", "random")
NOTHING = Trigger((), (), (), 0.0)
COLUMNS = ("source", "trigger", "pieces", "score", "gold", "half", "clean", "accuracy", "n")
TOKENS = 4000


def found_triggers(
    classifier: Classifier,
    data: LabelledTexts,
    how: TriggerSettings,
    attribution: AttributionSettings,
    tokens: int,
) -> dict[str, list[Trigger]]:
    """Return triggers by attribution (of the predicted class) and by attention, best first."""
    special = classifier.special()
    found: dict[str, list[Trigger]] = {"attribution": [], "attention": []}
    for numbers, inputs, _ in classifier.batches(data, tokens):
        target = of_class(classifier.model, classifier.answers(inputs))
        attributed = [
            each.maps for each in attributions(classifier.model, inputs, target, settings=attribution)
        ]
        by_source = {"attribution": attributed, "attention": weights_of(classifier.model, inputs).values()}
        lengths = inputs["attention_mask"].sum(1).tolist()
        for source, maps in by_source.items():
            heads = torch.cat(list(maps), dim=1).float().cpu().numpy()
            for row, (number, length) in enumerate(zip(numbers.tolist(), lengths, strict=True)):
                pieces, second = data.source[number], int(data.second[number])
                if second >= length and length < how.shortest:
                    continue
                own = heads[row, :, :length, :length]
                trigger = trigger_of(own, pieces, second, special, how.second)
                if trigger is not None:
                    found[source].append(trigger)
    least = {"attribution": how.least, "attention": 0.0}
    return {source: distinct(triggers, how.tried, least[source]) for source, triggers in found.items()}


def attack(
    classifier: Classifier,
    train: LabelledTexts,
    dev: LabelledTexts,
    how: TriggerSettings,
    attribution: AttributionSettings,
    longest: int,
    tokens: int = 512,
    seed: int = 0,
) -> pd.DataFrame:
    """Insert triggers found in `train` into every text of `dev`; return a table with `COLUMNS`.

    A row for each trigger, gold label and half of dev (0, 1, drawn by the seed): accuracy without and with it, so that
    one half can be used to choose triggers and the other to score them. Random triggers are those by attribution with
    other tokens; the source `none` is the text without a trigger.
    """
    best = found_triggers(classifier, train, how, attribution, tokens)
    chance = np.random.default_rng(seed)
    frequencies = Counter(train.source.pieces.tolist())
    frequencies = {piece: count for piece, count in frequencies.items() if piece not in classifier.special()}
    best["none"] = [NOTHING]
    best["random"] = [of_chance(trigger, frequencies, chance, how.near) for trigger in best["attribution"]]
    half = chance.permutation(len(dev)) % 2
    clean = _right(classifier, dev, NOTHING, longest)
    rows = []
    for source in SOURCES:
        for number, trigger in enumerate(best[source], start=1):
            right = _right(classifier, dev, trigger, longest)
            pieces = " ".join(classifier.tokenizer.convert_ids_to_tokens(list(trigger.pieces)))
            for label, name in enumerate(classifier.task.labels):
                for part in (0, 1):
                    own = (dev.labels == label) & (half == part)
                    if own.any():
                        shares = clean[own].mean(), right[own].mean(), int(own.sum())
                        rows.append((source, number, pieces, trigger.score, name, part, *shares))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _right(classifier: Classifier, data: LabelledTexts, trigger: Trigger, longest: int) -> np.ndarray:
    """Return whether the prediction for each text, with the trigger in it, is right."""
    rows = []
    for number, label in enumerate(data.labels.tolist()):
        pieces, second = inserted(data.source[number], int(data.second[number]), trigger, longest)
        rows.append(Row(pieces, data.types(len(pieces), second), label))
    lengths = np.array([len(row.pieces) for row in rows])
    right = np.zeros(len(rows), dtype=bool)
    for numbers in cut(np.arange(len(rows)), np.stack([lengths] * 2), TOKENS):
        inputs, labels = classifier.inputs([rows[number] for number in numbers])
        right[numbers] = (classifier.answers(inputs) == labels).cpu().numpy()
    return right
