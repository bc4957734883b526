"""Measures of the attention pass, in the order of the atlas: a new head statistic is a module and a name here."""

from headwork.heads.measure import Measure
from headwork.heads.norms.weights_and_norms import (
    PUNCTUATION,
    SEP,
    SPECIAL_NORM,
    SPECIAL_WEIGHT,
    WEIGHTED_NORM,
)
from headwork.heads.statistics.confidence import CONFIDENCE
from headwork.heads.statistics.entropy import ENTROPY
from headwork.heads.statistics.landmarks import FIRST, LAST, SAME_TOKEN
from headwork.heads.statistics.rare import RARE
from headwork.heads.statistics.surface import NEXT, PREVIOUS, SELF
from headwork.heads.syntax.dependency import DEPENDENCY

MEASURES: tuple[Measure, ...] = (
    *(PREVIOUS, NEXT, SELF, FIRST, LAST, SEP, PUNCTUATION, SAME_TOKEN, RARE),
    *(ENTROPY, CONFIDENCE),
    *(WEIGHTED_NORM, SPECIAL_WEIGHT, SPECIAL_NORM),
    DEPENDENCY,
)


def of_table(name: str) -> list[Measure]:
    """The measures that are in the workflow's table of this name."""
    return [measure for measure in MEASURES if name in measure.tables]
