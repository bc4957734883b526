"""Every measure of attention heads (`headwork.heads.measure`), in the order of the atlas."""

from headwork.heads.measure import Measure
from headwork.heads.measures import MEASURES as OF_ATTENTION
from headwork.pruning.measures import MEASURES as OF_REMOVAL
from headwork.relevance.measures import MEASURES as OF_PREDICTION

MEASURES: tuple[Measure, ...] = (*OF_ATTENTION, *OF_REMOVAL, *OF_PREDICTION)
