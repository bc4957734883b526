"""What is measured of heads."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from headwork.settings.base import Count, NonNegative, Positive, Settings, Several, Share, require
from headwork.settings.corpora import SegmentSettings
from headwork.settings.parses import Relations

Kind = Literal["encoder", "decoder", "cross"]
Average = Literal["tokens", "sentences"]
Edge = Literal["skip", "count"]
PiecesOfQuery = Literal["mean", "first", "last"]
"""What stands for a query word of several subword tokens."""
AboveZero = Annotated[float, Field(gt=0)]
BelowOne = Annotated[float, Field(ge=0, lt=1)]
TwoOrMore = Annotated[int, Field(ge=2)]


class ConfidenceSettings(Settings):
    """Confidence of a head: the mean of its rows' greatest weights. A row without remaining weight adds 0."""

    drop_special_queries: bool = True
    """Leave out special tokens as queries."""
    drop_special_keys: bool = True
    """Leave out special tokens as keys."""
    renormalise: bool = False
    """Renormalise each row without the special tokens."""
    average: Average = "tokens"
    """Mean over `tokens`, or over `sentences` first."""


class EntropySettings(Settings):
    """Entropy of a head's rows."""

    drop_special_queries: bool = True
    """Leave out special tokens as queries."""
    drop_special_keys: bool = False
    """Leave out special tokens as keys."""
    smoothing: BelowOne = 0
    """ε of the smoothing A' = (1 - ε) A + ε / n."""
    average: Average = "tokens"
    """Mean over `tokens`, or over `sentences` first."""
    first: bool = False
    """Report the first token ([CLS]) separately too."""

    @model_validator(mode="after")
    def _over_all_keys(self) -> "EntropySettings":
        require(
            not (self.smoothing and self.drop_special_keys),
            "smoothing is over all keys; set drop_special_keys to false, or smoothing to 0",
        )
        return self


class PublishedEntropy(EntropySettings):
    """Entropy of a head's rows as the code of Clark et al. (2019) computes it."""

    drop_special_queries: bool = False
    """Leave out special tokens as queries."""
    smoothing: BelowOne = 1e-4
    """ε of the smoothing A' = (1 - ε) A + ε / n."""
    average: Average = "sentences"
    """Mean over `tokens`, or over `sentences` first."""
    first: bool = True
    """Report the first token ([CLS]) separately too."""


class OffsetSettings(Settings):
    """Attention to neighbours."""

    window: Positive = 5
    """Largest offset, to either side."""
    unit: Literal["piece", "word"] = "piece"
    """Offsets are counted in subword tokens (`piece`) or words (`word`)."""
    edge: Edge = "skip"
    """Queries without a key at that offset: `skip`, or `count` as misses (in sentences of 8 tokens the latter keeps
    every head below 90 %)."""


class SyntacticSettings(Settings):
    """Attention between words of several subword tokens."""

    from_pieces: PiecesOfQuery = "mean"
    """Attention from a word of several subword tokens: that of their `mean`, the `first` or the `last`."""
    to_pieces: Literal["sum", "first", "last"] = "sum"
    """Attention to a word of several subword tokens: `sum`, `first` or `last`."""
    unsplit_only: bool = False
    """Only instances whose two words are one subword token each."""


class RareSettings(Settings):
    """Attention to rare tokens."""

    not_among: Annotated[int | float, Field(ge=0)] = 500
    """The rarest token must not be one of this many most frequent types; below 1: a share of all types."""
    exclude_self: bool = False
    """Leave out queries that are themselves the rare token."""


class FunctionSettings(Settings):
    """What a head must reach to have a function."""

    positional_share: Share = 0.9
    """A positional head has its arg-max at one offset for this share of the queries."""
    syntactic_margin: Share = 0.1
    """A syntactic head exceeds the positional baseline by this much."""
    rare_rate: Share = 0.5
    """A rare-token head attends most to one of the two rarest tokens for this share of the queries; the paper gives no
    threshold."""
    rare_layer: Positive | None = None
    """Only this layer can have rare-token heads; `null`: any."""
    min_instances: Count = 100
    """Least number of instances for a function to be decided."""


class ExampleSettings(Settings):
    """Sentences whose maps are kept."""

    sentences: Count = 6
    """Number of sentences."""
    shortest: Count = 8
    """Least length in subword tokens, the end of the sentence included."""
    longest: Positive = 18
    """Greatest length in subword tokens."""


class HeadSettings(Settings):
    """Statistics of every head of a translation model (`headwork.heads.jobs.translation_heads`). Voita et al. (2019),
    sections 4 and 5; Raganato & Tiedemann (2018).
    """

    split: Literal["train", "dev", "test"]
    """The text; the paper uses the dev set."""
    sentences: Count | None = None
    """Number of sentences; `null`: all. The paper uses 50,000 held-out sentences."""
    tokens: Positive = 4000
    """Greatest number of tokens of a batch, padding included."""
    kinds: Several[Kind] = ("encoder", "decoder", "cross")
    """Attention kinds to measure."""
    confidence: ConfidenceSettings = ConfidenceSettings()
    entropy: EntropySettings = EntropySettings()
    offset: OffsetSettings = OffsetSettings()
    relations: Relations
    syntactic: SyntacticSettings = SyntacticSettings()
    rare: RareSettings = RareSettings()
    functions: FunctionSettings = FunctionSettings()
    examples: ExampleSettings = ExampleSettings()


class SurfaceSettings(Settings):
    """Attention to neighbours and to classes of tokens."""

    average: Average = "sentences"
    """Mean over `sentences` (texts) first, as published, or over `tokens`."""
    edge: Edge = "count"
    """A token without such a neighbour: `count` as published, or `skip`."""


class DistanceSettings(Settings):
    """Jensen-Shannon distances between heads."""

    smoothing: BelowOne = 0.001
    """ε of the smoothing before distances."""
    tokens: Positive | None = None
    """Tokens of each text, evenly spread, on which heads are compared; `null`: all, which with 144 heads takes longer
    than BERT itself on a CPU."""


class CancellingSettings(Settings):
    """How attention weights and the norms of the vectors that they weigh cancel."""

    pairs: TwoOrMore = 2000
    """Weight-norm pairs kept per token class, for figures."""
    seed: Count = 0
    """Seed of the sample."""


class RankSettings(Settings):
    """How norms go with the frequency of a token."""

    tokens: TwoOrMore = 20_000
    """Tokens kept for the plot of norm against frequency rank."""
    seed: Count = 0
    """Seed of the sample."""


class CropSettings(Settings):
    """Segments whose maps are kept."""

    segments: Positive = 4
    """Number of segments."""
    pieces: Positive = 15
    """Subword tokens at the end of each."""


class SegmentRunSettings(Settings):
    """Heads of an encoder on segments of running text (`headwork.heads.jobs.segment_heads`). Clark et al. (2019),
    sections 3 and 5; Kobayashi et al. (2020), section 4.
    """

    number: Positive | None = 1000
    """Number of segments; published: 1000 in the text, 992 in the release; `null`: all."""
    seed: Count = 0
    """Seed of where segments are divided and trimmed."""
    token_types: Literal["pair", "zeros", "none"] = "pair"
    """`pair` (0 for the first part, 1 for the second), `zeros` as in the released extractor, or `none` for a model that
    reads no such thing."""
    tokens: Positive = 4096
    """Greatest number of tokens of a batch, padding included."""
    segments: SegmentSettings = SegmentSettings()
    """How segments are cut; published: 128 subword tokens."""
    surface: SurfaceSettings = SurfaceSettings()
    entropy: PublishedEntropy = PublishedEntropy()
    distance: DistanceSettings = DistanceSettings()
    cancelling: CancellingSettings = CancellingSettings()
    ranks: RankSettings = RankSettings()
    examples: CropSettings = CropSettings()


class DependencySettings(Settings):
    """Syntactic heads of words. Some of these settings are only in the authors' code."""

    relations: Several[str] | None = None
    """Relations that are scored; a subtype that is not among them counts as its main label. `null`: those of Universal
    Dependencies with a counterpart in Stanford Dependencies."""
    from_pieces: PiecesOfQuery = "mean"
    """Attention from a word of several subword tokens: `mean` as the paper says, `first` as its command line, or
    `last`."""
    offsets: Annotated[Several[int], Field(min_length=1)] = (-3, -2, -1, 1, 2)
    """Fixed offsets of the baseline; the authors' code leaves out +3."""
    possessors: Several[str] = ("poss", "nmod:poss")
    """After a word with such a relation the clitic's prediction is scored instead, as in the authors' code."""
    clitics: Several[str] = ("'s", "s'")
    """What counts as a clitic there."""
    seed: Count = 0
    """Seed of the two halves of the sentences."""


class RoleSettings(Settings):
    """Attention between a predicate and its core arguments (Kovaleva et al. 2019, section 4.2)."""

    longest: Positive | None = 12
    """Largest number of words of a sentence; `null`: any."""
    predicates: Positive | None = 1
    """Exact number of predicates of a sentence; `null`: any."""
    apart: Positive = 2
    """Least distance in words between predicate and argument."""
    pairing: Literal["all", "zip"] = "all"
    """Pairs of their subword tokens: `all`, or one with one in order (`zip`), as in the authors' code."""


class WordExampleSettings(Settings):
    """Sentences that are kept for each relation."""

    sentences: Count = 2
    """Number of sentences."""
    shortest: Count = 6
    """Least length in words."""
    longest: Positive = 14
    """Greatest length in words."""


class WordRunSettings(Settings):
    """Word-level attention of an encoder's heads (`headwork.heads.jobs.word_heads`). Clark et al. (2019), section 4;
    Kovaleva et al. (2019), section 4.2.

    The paper does not specify the antecedent candidates. Three candidate sets are reported: all words, all mentions,
    preceding mentions.
    """

    sentences: Count | None = None
    """Number of sentences with trees; `null`: all."""
    documents: Count | None = None
    """Number of documents with mentions; `null`: all."""
    longest: Positive = 128
    """Documents are cut to this many subword tokens."""
    tokens: Positive = 4000
    """Greatest number of tokens of a batch, padding included."""
    gap_heads: Literal["last", "first"] = "last"
    """Which word of a name is its head in GAP's tables."""
    min_count: Count = 100
    """No examples are kept for relations with fewer words."""
    dependency: DependencySettings = DependencySettings()
    roles: RoleSettings = RoleSettings()
    examples: WordExampleSettings = WordExampleSettings()


class PatternSettings(Settings):
    """Thresholds of the pattern rules (`headwork.heads.patterns.rules`)."""

    stripe: AboveZero = 0.15
    """A column is a stripe if its mean is at least this, and `above_even` times the uniform weight."""
    above_even: AboveZero = 3.0
    """See `stripe`."""
    some: AboveZero = 0.25
    """Vertical and diagonal: least share of each."""
    most: AboveZero = 0.5
    """Vertical, or diagonal: least share."""
    both: AboveZero = 0.6
    """Vertical and diagonal: least share of both together."""
    within: AboveZero = 0.6
    """Block: least attention within the own sentence, corrected for that of the uniform map."""
    broad: AboveZero = 0.75
    """Block: least relative entropy within the own sentence."""


class FeatureSettings(Settings):
    """Attention to words by their linguistic features (Kovaleva et al. 2019, section 4.4)."""

    match: Literal["place", "piece"] = "place"
    """`place`: the token's own feature; `piece`: that of any word with that subword token, as in the authors' code."""
    absent: Literal["skip", "zero"] = "skip"
    """Examples without the feature: `skip`, or count as `zero`, as in the authors' code."""


class TaskRunSettings(Settings):
    """Heads of fine-tuned encoders on their task's dev set (`headwork.heads.jobs.task_heads`). Kovaleva et al. (2019),
    sections 4.1 and 4.3.
    """

    examples: Count | None = 1000
    """Largest number of dev examples; published: 1000; `null`: all."""
    seed: Count = 0
    """Seed of their choice."""
    longest: Positive = 128
    """Longest input in subword tokens."""
    tokens: Positive = 4000
    """Greatest number of tokens of a batch, padding included."""
    include_padding: bool = False
    """Include padding when maps before and after fine-tuning are compared, as the authors' code does."""
    shown: Positive = 1
    """Examples whose maps are kept."""
    readable: Annotated[Several[Count], Field(min_length=2, max_length=2)] = (12, 32)
    """Their least and greatest length in subword tokens."""
    patterns: PatternSettings = PatternSettings()
    features: FeatureSettings = FeatureSettings()


class NetworkSettings(Settings):
    """The network that learns attention patterns (`headwork.heads.patterns.network`), trained with Adam."""

    side: Positive = 32
    """Side length that maps are resized to."""
    channels: Several[Positive] = (16, 32, 64, 128)
    """Channels of the convolution pairs."""
    epochs: Positive = 12
    """Epochs of training."""
    batch: Positive = 32
    """Maps of an update."""
    rate: NonNegative = 1e-3
    """Learning rate."""
    folds: TwoOrMore = 5
    """Folds of the cross-validation."""
    seed: Count = 0
    """Seed of weights, order and folds."""

    @model_validator(mode="after")
    def _large_enough(self) -> "NetworkSettings":
        smallest = 2 ** len(self.channels)
        require(self.side >= smallest, f"side is {self.side}; it must be {smallest} or more")
        return self


class PatternRunSettings(Settings):
    """The two classifiers of attention patterns, rules and network (`headwork.heads.jobs.patterns`). Kovaleva et al.
    (2019), section 4.1.
    """

    by_hand: str | None = None
    """Table of manually labelled maps: `run`, `weights`, `example`, `layer`, `head`, `pattern`. Rows whose `weights`
    differ from the run's are ignored."""
    texts: Positive = 12
    """Dev examples of each task whose maps are classified."""
    seed: Count = 0
    """Seed of their choice, and of that of the maps to learn from."""
    longest: Positive = 128
    """Longest input in subword tokens."""
    of_class: Positive = 150
    """Largest number of clear-cut maps per class that the network learns from."""
    patterns: PatternSettings = PatternSettings()
    network: NetworkSettings = NetworkSettings()


class AlignmentSettings(Settings):
    """Word alignments from the attention of a translation model (`headwork.heads.jobs.alignments`). Kobayashi et al.
    (2020), section 5.
    """

    sentences: Count | None = None
    """Sentences with gold alignments; `null`: all."""
    tokens: Positive = 2000
    """Greatest number of tokens of a batch on either side, padding included."""
    shortest: Count = 7
    """Least length in words of the pair that is shown."""
    longest: Positive = 12
    """Greatest length in words of the pair that is shown."""


class AlignerSettings(Settings):
    """A statistical word aligner to compare with (`headwork.corpora.annotated.aligners`)."""

    model: Literal["fast_align", "ibm1", "hmm", "ibm4"] = "fast_align"
    """The alignment model."""
    iterations: Positive = 5
    """EM iterations of each model in the chain that leads to it."""
    joined: Literal[
        "source-to-target", "intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"
    ] = "grow-diag-final-and"
    """Heuristic that symmetrises the two directions."""
    pairs: Positive | None = None
    """Training pairs, in addition to the evaluated ones; `null`: all."""


class PlaceSettings(Settings):
    """Where heads look (Raganato & Tiedemann 2018), part of `representations.trees`."""

    average: Average = "sentences"
    """The mean of each sentence first (`sentences`), or over all tokens alike (`tokens`)."""
