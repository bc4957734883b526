"""Relevance, sensitivity, and attribution."""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field, model_validator

from headwork.settings.base import Count, NonNegative, Positive, Settings, Several, Share, require
from headwork.settings.corpora import Split
from headwork.settings.heads import Kind
from headwork.settings.models import MaskingSettings

Reduction = Literal["mean", "sum"]
Quadrature = Literal["gauss", "right", "left", "midpoint"]


class Choices(NamedTuple):
    """The options available with a rule of propagation, the default first."""

    layernorm: tuple[str, ...]
    attention: tuple[str, ...]
    bias: tuple[str, ...]


CHOICES = {
    "alphabeta": Choices(
        ("alphabeta_jacobian", "detach_std", "identity"), ("full", "constant"), ("spread", "neuron", "drop")
    ),
    "epsilon": Choices(("detach_std", "identity"), ("constant", "full"), ("neuron", "spread", "drop")),
    "gradient": Choices(("detach_std", "identity"), ("full", "constant"), ("neuron",)),
}


class LRPSettings(Settings):
    """How relevance is propagated. `config.yaml` sets it as in code that the authors published later."""

    rule: Literal["alphabeta", "epsilon", "gradient"] = "alphabeta"
    """`alphabeta`, `epsilon`, or `gradient` (gradient × input, as in AttnLRP)."""
    alpha: Annotated[float, Field(gt=0, le=1)] = 0.5
    """`alphabeta`: share of the relevance that positive contributions receive; negative ones receive the rest."""
    epsilon: Annotated[float, Field(gt=0)] = 1e-5
    """`alphabeta` and `epsilon`: stabiliser of the denominators."""
    layernorm: str | None = None
    """`alphabeta_jacobian`: by its derivative, as any other operation; `detach_std`: constant standard deviation;
    `identity`: relevance passes unchanged; `null`: the default of the rule."""
    attention: str | None = None
    """`full`: to values, keys and queries; `constant`: to values only; `null`: the default of the rule."""
    bias: str | None = None
    """`spread` over all inputs, to the bias (`neuron`), or `drop`; `null`: the default of the rule."""
    steps: Literal["each", "together"] = "each"
    """Relevance of `each` output token separately, or of all `together`, which is cheaper but gives other values."""

    @model_validator(mode="after")
    def _of_the_rule(self) -> "LRPSettings":
        for name, known in CHOICES[self.rule]._asdict().items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, known[0])
            chosen = getattr(self, name)
            require(
                chosen in known,
                f"{name} with rule {self.rule} is '{chosen}'; it must be one of {', '.join(known)}",
            )
        return self


class RelevanceSettings(Settings):
    """Layer-wise relevance propagation in translation models (`headwork.relevance.propagation.lrp`). Voita et al.
    (2019), section 4.
    """

    split: Split
    """The text. The paper uses the dev set."""
    sentences: Positive | None = None
    """Number of sentences, from the first; `null`: all."""
    tokens: Positive = 400
    """Batch size in subword tokens of either side, padding included; memory grows with this times the length of a
    sentence."""
    kinds: Several[Kind] = ("encoder", "decoder", "cross")
    """Attention kinds to measure."""
    prefix: Literal["reference", "hypothesis"] = "reference"
    """Decoder input: the `reference`, or the model's own translation (`hypothesis`, test set only). The paper does not
    specify it."""
    lrp: LRPSettings = LRPSettings()
    """How relevance is propagated."""

    @model_validator(mode="after")
    def _of_translations(self) -> "RelevanceSettings":
        require(
            self.prefix == "reference" or self.split == "test",
            f"the prefix 'hypothesis' needs translations of '{self.split}', which are not made; set split to test",
        )
        return self


class SensitivitySettings(Settings):
    """Gradient of the masked loss with respect to attention (`headwork.relevance.sensitivity`). Clark et al. (2019),
    section 3.2.
    """

    number: Positive | None = 200
    """Number of segments, the first of those on which heads are measured; `null`: all."""
    tokens: Positive = 1024
    """Batch size in subword tokens, whose weights and gradients are in memory at once."""
    seed: Count = 0
    """Random seed of the masks."""
    loss: Reduction = "mean"
    """How the loss over the masked tokens of a text is reduced. The paper does not specify it."""
    pairs: Reduction = "mean"
    """How gradients over the query-key pairs of a class are reduced. The paper does not specify it."""
    masking: MaskingSettings = MaskingSettings()
    """As `masking` of a recipe."""


class AttributionSettings(Settings):
    """The quadrature of self-attention attribution (`headwork.relevance.attributions.self_attention`)."""

    rule: Quadrature = "gauss"
    """Nodes of the quadrature. The paper: `right`, the released code: `left`."""
    steps: Positive = 5
    """Number of nodes. The paper: 20."""
    tolerance: NonNegative = 0.02
    """`gauss`: the nodes for a layer of a text are doubled while the completeness error exceeds `tolerance` × absolute
    F(A) - F(0), and exceeds `negligible`."""
    negligible: NonNegative = 1e-4
    """See `tolerance`."""
    most: Positive = 40
    """Largest number of nodes."""
    at_once: Positive = 8
    """Copies of texts per forward pass, one for each text and node; more need more memory and save no time on a CPU."""
    precision: Literal["fp32", "bf16"] = "fp32"
    """`bf16`: passes under autocast, the products of the maps in single precision."""


class TreeSettings(Settings):
    """Attribution trees. Hao et al. (2021), section 5."""

    threshold: Annotated[float, Field(ge=0, lt=1)] = 0.4
    """Edges must exceed this share of the layer's largest attribution."""


class TriggerSettings(Settings):
    """Adversarial triggers. Hao et al. (2021), section 6."""

    examples: Positive = 500
    """Training examples searched."""
    shortest: Count = 15
    """Least length of a single sentence that is searched, in subword tokens."""
    least: NonNegative = 0.02
    """The two largest attributions must add up to this."""
    second: Share = 0.2
    """The tokens of the second largest attribution are used if it is at least this share of the first."""
    tried: Positive = 10
    """Number of best triggers tried."""
    texts: Positive | None = None
    """Dev examples attacked; `null`: all."""
    near: Positive = 10
    """Largest difference in frequency rank between a trigger and its random control."""


class AttributionRun(Settings):
    """Self-attention attribution in fine-tuned encoders, and what is derived from it
    (`headwork.relevance.jobs.attribution`). Hao et al. (2021).
    """

    examples: Positive = 200
    """Training examples on which heads are ranked."""
    leak: bool = False
    """Use dev examples, on which the ranking is then evaluated, as in the released code (its first 200)."""
    answer: Literal["gold", "predicted"] = "gold"
    """Target of the head ranking: probability of the `gold` or the `predicted` class. The target of trees is always the
    predicted class."""
    longest: Positive = 128
    """Longest input in subword tokens."""
    tokens: Positive = 512
    """Batch size in subword tokens, padding included."""
    seed: Count = 0
    """Random seed of the choice of examples."""
    shown: Positive = 4
    """Examples whose trees and maps are kept, and on which the quadratures are compared."""
    readable: Several[Count] = (8, 24)
    """Least and greatest length of these examples, in subword tokens."""
    nodes: Several[Positive] = (1, 2, 5, 10, 20)
    """Numbers of nodes at which the quadratures are compared."""
    attribution: AttributionSettings = AttributionSettings()
    """The quadrature."""
    tree: TreeSettings = TreeSettings()
    """Attribution trees."""
    triggers: TriggerSettings = TriggerSettings()
    """Adversarial triggers."""

    @model_validator(mode="after")
    def _of_two_lengths(self) -> "AttributionRun":
        require(
            len(self.readable) == 2, f"readable is {list(self.readable)}; give the least and the most pieces"
        )
        return self
