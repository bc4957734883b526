"""The shapes of models that are built here, as data: the config's `architectures`.

Nothing here imports torch, so that a config is checked in milliseconds, before any job starts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from headwork.settings.options import require

BERT = "bert"
TRANSLATING = ("marian", "pegasus")
POSITIONS = ("normal", "sinusoidal")


@dataclass(frozen=True)
class Dropout:
    """Rates of dropout: of every residual branch and the embeddings, of attention weights, of the ReLU layer."""

    residual: float = 0.1
    attention: float = 0.1
    activation: float = 0.1


@dataclass(frozen=True)
class Initialisation:
    """Standard deviations of the weights before training; None stands for a rule.

    `embeddings` None: width^-0.5, so that the scaled embeddings have unit variance like the positions beside them.
    `linear` None: Glorot's uniform rule, per matrix (query, key and value count as three).
    """

    embeddings: float | None = None
    linear: float | None = None


@dataclass(frozen=True)
class Architecture:
    """The shape of a translation model; `heads` and `feed_forward` apply to every layer of both sides.

    `decoder_heads` and `decoder_feed_forward`, if given, replace these in the decoder. A decoder with one head attends
    to about one source position at each step, so that the encoder must collect the information for a word there.
    """

    family: str
    encoder_layers: int
    decoder_layers: int
    heads: int
    width: int
    feed_forward: int
    decoder_heads: int | None = None
    decoder_feed_forward: int | None = None
    max_positions: int = 512
    activation: str = "relu"
    dropout: Mapping[str, float] = field(default_factory=dict)
    initialisation: Mapping[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require(
            self.family in TRANSLATING,
            f"architecture: unknown family '{self.family}'; known: {', '.join((*TRANSLATING, BERT))}",
        )
        _check_heads(self.heads, self.width)
        _check_heads(self.decoder_heads or self.heads, self.width)


@dataclass(frozen=True)
class BertArchitecture:
    """The shape of a BERT; defaults of dropout and initialisation are the published ones.

    `dropout` and `attention_dropout`: rates, of every residual branch and the embeddings, and of attention weights.
    `spread`: standard deviation of the weights at initialisation. `positions`: initialisation of the learned position
    embeddings, `normal` as published, or `sinusoidal` (Vaswani et al. 2017, with the same standard deviation), with
    which a small model learns heads for neighbouring tokens in fewer steps. `next_sentence`: whether it has, and is
    trained on, BERT's next-sentence prediction.
    """

    family: str
    layers: int
    heads: int
    width: int
    feed_forward: int
    max_positions: int = 512
    activation: str = "gelu"
    dropout: float = 0.1
    attention_dropout: float = 0.1
    spread: float = 0.02
    positions: str = "normal"
    next_sentence: bool = False

    def __post_init__(self) -> None:
        _check_heads(self.heads, self.width)
        require(
            self.positions in POSITIONS,
            f"architecture: positions are '{self.positions}'; they begin {' or '.join(POSITIONS)}",
        )


def _check_heads(heads: int, width: int) -> None:
    require(
        width % heads == 0,
        f"architecture: {heads} heads do not divide a width of {width}; choose a multiple",
    )
