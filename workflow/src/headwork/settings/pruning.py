"""Pruning and ablation."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from headwork.settings.base import Count, NonNegative, Positive, Settings, Several, Share, require
from headwork.settings.heads import Kind
from headwork.settings.models import ScoreSettings
from headwork.settings.relevance import AttributionSettings

Way = Literal["uniform", "zero"]


def _of_a_curve(shares: tuple[float, ...]) -> tuple[float, ...]:
    require(len(shares) > 1, f"it is {list(shares)}; name 2 or more from 0 to 1")
    return shares


Shares = Annotated[Several[Share], AfterValidator(_of_a_curve)]


class DisablingSettings(Settings):
    """Head and layer ablation in fine-tuned encoders, one at a time. Kovaleva et al. (2019), section 4.6."""

    ways: Several[Way] = ("uniform", "zero")
    """`uniform` attention, as published, or `zero`: the output is zeroed."""
    longest: Positive = 128
    """Longest input in subword tokens."""
    tokens: Positive = 4000
    """Batch size in subword tokens, padding included."""
    scoring: ScoreSettings = ScoreSettings()
    """The bootstrap, as `tasks.<id>.scoring`."""


class RemovedSettings(Settings):
    """Sweeps whose runs have their closed heads removed from the checkpoint, and are timed: per point the run with the
    baseline's seed.
    """

    gates: Several[Literal["encoder", "all"]]
    """Sweeps with gates there."""
    domains: Several[str]
    """Sweeps of runs of these domains of the study."""


class SpeedSettings(Settings):
    """Translation speed without the closed heads, relative to the unpruned model. The engine is `transformers`."""

    sentences: Positive | None = 64
    """Number of first sentences of the test set to translate; `null`: all."""
    repeats: Positive = 5
    """Repetitions per model."""


class RankingSettings(Settings):
    """Heads of fine-tuned encoders removed by importance. Hao et al. (2021), section 4; Michel et al. (2019)."""

    shares: Shares = tuple(step / 10 for step in range(11))
    """Shares of heads removed."""
    orders: Positive = 5
    """Number of random orders."""
    texts: Positive | None = None
    """Dev examples; `null`: all."""
    examples: Positive | None = 300
    """Dev examples for which heads are ranked one by one; `null`: all."""
    tokens: Positive = 4000
    """Batch size in subword tokens, padding included."""
    seed: Count = 0
    """Random seed of the orders, and of the choice of examples."""


class GateLearning(Settings):
    """L0 gates learned on the frozen model, with Adam."""

    steps: Positive = 120
    """Steps of Adam."""
    rate: NonNegative = 0.1
    """Learning rate of Adam."""
    penalty: NonNegative = 0.03
    """Penalty per open gate."""
    initial: float = 1.0
    """Initial log α."""
    seed: Count = 0
    """Random seed of the gates, and of the order of batches."""


class MeasureSettings(Settings):
    """All importance measures compared on the same heads; an analysis of ours."""

    kinds: Several[Kind] = ("encoder",)
    """Attention kinds whose heads are compared."""
    texts: Positive = 100
    """Number of texts for the measures, which are means over these."""
    judged: Positive = 200
    """Number of texts for the effect of removing a head."""
    shares: Shares = (0, 0.17, 0.34, 0.5, 0.67, 0.84, 1)
    """Shares of heads removed in the order of each measure."""
    orders: Positive = 3
    """Number of random orders."""
    longest: Positive = 64
    """Longest input in subword tokens."""
    tokens: Positive = 1000
    """Batch size in subword tokens, padding included."""
    seed: Count = 0
    """Random seed of the orders, and of the choice of examples."""
    attribution: AttributionSettings = AttributionSettings()
    """The quadrature, as `attribution.attribution`."""
    gates: GateLearning = GateLearning()
    """L0 gates on the frozen model."""


class PruningSettings(Settings):
    """The learning of gates belongs to the recipe (`gates`); pruning sweeps are defined by the run sheet."""

    removed: RemovedSettings
    """Which sweeps lose their closed heads for good."""
    speed: SpeedSettings
    """Translation speed without them."""
    ranking: RankingSettings
    """Heads removed in order of importance."""
    measures: MeasureSettings
    """All importance measures compared."""
