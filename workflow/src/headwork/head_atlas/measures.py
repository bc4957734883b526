"""All measures of an atlas: a value for each head, and what uniform attention or a rule without a model would give.

Nothing is defined here: the measures, with their words, are those of `headwork.measures` that are `on_page`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pandas as pd
from torch import nn

from headwork import measures as every
from headwork.errors import InputError
from headwork.head_atlas.reading import Reading
from headwork.head_atlas.subject import StatesSubject
from headwork.heads.attention_pass import AttentionPass
from headwork.heads.measure import ATTENTION, COLUMNS, HEAD, PREDICTION, REMOVAL, Measure
from headwork.heads.statistics.divergence import STATISTIC, JensenShannon
from headwork.heads.syntax.dependency import DEPENDENCY
from headwork.pruning.removal_pass import RemovalPass
from headwork.relevance.prediction_pass import PredictionPass
from headwork.relevance.subjects import Subject
from headwork.settings.heads import DistanceSettings, RareSettings, SurfaceSettings

# tokens of the upper half of the types, by frequency in this text, are not rare
SETTINGS = SimpleNamespace(
    surface=SurfaceSettings(average="tokens", edge="skip"), rare=RareSettings(not_among=0.5)
)


@dataclass(frozen=True)
class Measured:
    """Everything measured of a model's heads.

    table      kind, layer, head, measure, value, baseline (NaN: none), count: a row for each head and measure
    distances  kind, layer, head, key (another head), value: Jensen-Shannon divergence
    offsets    relation, offset, share, count: the best fixed offset of each relation; empty without trees
    measures   what the page shows, in its order; those that the table lacks were not measured
    """

    table: pd.DataFrame
    distances: pd.DataFrame
    offsets: pd.DataFrame
    measures: Sequence[Measure]
    notes: tuple[str, ...]


def measure_all(model: nn.Module, reading: Reading, subject: Subject) -> Measured:
    """All measures of all heads of the model: one pass over the text, and importance on the subject's samples."""
    listed = [each for each in every.MEASURES if each.on_page]
    counts = reading.frequencies()
    seen = AttentionPass(
        model.base_model,
        reading.batches(),
        SETTINGS,
        reading.tokenizer,
        {"encoder": counts, "cross": counts},
    )
    distances = JensenShannon(DistanceSettings(tokens=4))
    of_attention = [each for each in listed if each.rides_on == ATTENTION]
    seen.table([distances], of_attention, progress="attention")
    parts, notes = [seen.values(of_attention)], []
    for name, own in ((PREDICTION, PredictionPass(subject)), (REMOVAL, RemovalPass(subject))):
        by_maker: dict[Callable[..., Any], list[Measure]] = {}
        for each in listed:
            if each.rides_on == name:
                by_maker.setdefault(each.made_by, []).append(each)
        for measures in by_maker.values():
            try:
                parts.append(own.values(measures))
            except InputError as error:  # an operation that has no rule, weights that layers share
                notes.append(f"Not measured: {error}.")
    table = pd.concat(parts, ignore_index=True)[COLUMNS]
    known = {each.key: each for each in listed} | seen.members
    if isinstance(subject, StatesSubject) and "removal" in known:
        known["removal"] = replace(known["removal"], **StatesSubject.words)
    return Measured(
        table,
        seen.found[seen.found["statistic"] == STATISTIC][[*HEAD, "key", "value"]],
        seen.statistic(DEPENDENCY).baseline(),
        [each for key, each in known.items() if not each.of_key],
        tuple(notes),
    )
