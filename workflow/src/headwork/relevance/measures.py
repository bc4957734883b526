"""Measures of the prediction pass, in the order of the atlas."""

from headwork.heads.measure import Measure
from headwork.relevance.attributions.importance import ATTENTION, ATTRIBUTION, TAYLOR, TAYLOR_CONTEXT
from headwork.relevance.output_norms import OUTPUT_NORM
from headwork.relevance.propagation.attn_lrp import RELEVANCE

MEASURES: tuple[Measure, ...] = (
    *(TAYLOR_CONTEXT, TAYLOR, RELEVANCE),
    *(ATTRIBUTION, ATTENTION, OUTPUT_NORM),
)
