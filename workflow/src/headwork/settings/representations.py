"""What attention and the vectors between layers know."""

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from headwork.settings.base import Count, NonNegative, Positive, Settings, Several, Share, require
from headwork.settings.corpora import DownloadedFile, Split
from headwork.settings.heads import PlaceSettings

AboveZero = Annotated[float, Field(gt=0)]
ProperShare = Annotated[float, Field(gt=0, lt=1)]
"""A share that leaves something on either side."""
Layers = Several[Count] | None
"""Layers, 0 for the embeddings; `null`: all."""
Variant = Literal["morcos", "google_compat"]
Metric = Literal["cosine", "l2"]
FromPieces = Literal["mean", "first", "last"]
TagColumn = Annotated[int, Field(ge=2)]
Scheme = Literal["iob1", "iob2"]
TagProbeKind = Literal["linear", "decoder"]
EdgeTaskName = Literal[
    "pos", "chunks", "constituents", "dependencies", "entities", "roles", "coreference", "senses"
]


class AnalysedText(Settings):
    """The text whose hidden states are analysed.

    At the miniature scale it is 9000 sentences of train: held-out splits are too small for mutual information.
    """

    split: Split = "test"
    """Split of the corpus."""
    sentences: Count | None = None
    """First sentences; `null`: all."""
    tags: str | None = None
    """File below `data` with CCG tags of these sentences, one `token<TAB>tag` per line and an empty line after each
    sentence; `null`: gold annotation, or none."""


class StatesOnDisk(Settings):
    """Hidden states on disk."""

    tokens: Positive = 4000
    """Tokens per batch, padding included."""
    precision: Literal["float16", "float32"] = "float32"
    """Precision on disk."""
    shard_tokens: Positive = 16_384
    """Tokens per file."""


class MaskedReading(Settings):
    """How a masked language model's input is masked for figures 2 and 8: as in training.

    Of the tokens of the most frequent types some are selected, at least one a sentence.
    """

    types: Positive = 1000
    """Only tokens of so many most frequent types are selected."""
    share: Annotated[float, Field(gt=0, le=1)] = 0.15
    """Share of these tokens selected."""
    mask: Share = 0.8
    """Share of the selected tokens that is masked. Miniature scale: 0.4."""
    random: Share = 0.1
    """Share that is replaced by one of these types, drawn evenly. Miniature scale: 0.6, since 0.1 would replace too
    few."""
    passes: Positive = 1
    """Passes over the text, each with new masks."""
    seed: Count = 0
    """Seed of the masks."""

    @model_validator(mode="after")
    def _of_one_whole(self) -> "MaskedReading":
        together = self.mask + self.random
        require(together <= 1, f"mask ({self.mask}) and random ({self.random}) are shares of one whole")
        return self


class InformationEstimate(Settings):
    """Mutual information of vectors and tokens, by clusters of the vectors."""

    types: Positive = 1000
    """Most frequent types; published value."""
    clusters: Positive = 10_000
    """Clusters of mini-batch k-means; published value."""
    tokens: Positive = 5_000_000
    """Tokens per estimate; the paper's number, some millions, is inferred from the bias of its estimates."""
    batch: Positive = 4096
    """Tokens per k-means step."""
    passes: Positive = 3
    """Passes over the tokens."""
    seed: Count = 0
    """Seed of the tokens drawn and of the clusters."""


class TokenGroups(Settings):
    """Groups of tokens, by frequency and by part of speech."""

    ranks: Several[int] = (1, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000)
    """Bounds of the frequency groups: ranks 1 to 10, 11 to 25, and so on."""
    pos: Several[str] = ("NN", "NNP", "PRP", "PRP$", "JJ", "VB", "RB", "IN", "CC", "DT", ",", ".")
    """Penn tags of the part-of-speech groups."""
    tokens: Positive = 10_000
    """Tokens per group. PWCCA depends on this number, so smaller groups are left out."""
    seed: Count = 0
    """Seed of the tokens drawn."""

    @model_validator(mode="after")
    def _rising(self) -> "TokenGroups":
        rising = len(self.ranks) > 1 and all(low < high for low, high in pairwise(self.ranks))
        require(rising, f"ranks are {list(self.ranks)}; give rising bounds")
        return self


class Preservation(Settings):
    """What a token has in common with its nearest neighbours: identity, position, context and tag."""

    neighbours: Positive = 50
    """Nearest neighbours per token."""
    metric: Metric = "l2"
    """Distance between vectors."""
    identity_types: Positive = 100
    """Types among whose occurrences neighbours show token identity."""
    identity_occurrences: Positive = 2500
    """Occurrences of each of these."""
    types: Positive = 100
    """Types that are searched each by itself."""
    occurrences: Positive = 2500
    """Occurrences of each of these."""
    clearest: Share = 0.9
    """Types whose most frequent tag has a greater share are not used for tags."""
    seed: Count = 0
    """Seed of the types and occurrences drawn."""

    @model_validator(mode="after")
    def _enough(self) -> "Preservation":
        for name in ("identity_occurrences", "occurrences"):
            number = getattr(self, name)
            require(
                number > self.neighbours, f"{self.neighbours} neighbours among {number} {name}; ask for fewer"
            )
        return self


class TokenProjections(Settings):
    """Words shown by t-SNE, coloured by form, by position and by tag; published words."""

    forms: Several[str] = ("is", "are", "was", "were")
    """Words coloured by form."""
    position: str = "it"
    """Word coloured by position."""
    tags: str = "is"
    """Word coloured by tag."""
    points: Positive = 500
    """Largest number of points."""
    perplexity: NonNegative = 30.0
    """t-SNE's perplexity, at most a fifth of the points."""
    seed: Count = 0
    """Seed of the points drawn and of t-SNE."""


class Evolution(Settings):
    """How representations evolve from layer to layer."""

    variant: Variant = "morcos"
    """PWCCA as defined (`morcos`), or as google/svcca computed it in 2019 (`google_compat`)."""
    information: InformationEstimate = InformationEstimate()
    """Mutual information."""
    groups: TokenGroups = TokenGroups()
    """Groups of tokens."""
    preservation: Preservation = Preservation()
    """Nearest neighbours."""
    projections: TokenProjections = TokenProjections()
    """Words on a plane."""


class Influence(Settings):
    """How much a token influences the others of its sentence."""

    tokens: Positive = 10_000
    """Tokens compared per group."""
    others: Literal["all", "later"] = "all"
    """Influence on `all` other tokens of the sentence, or, in a causal model, on `later` tokens."""
    batch: Positive = 4000
    """Batch size in tokens, padding included."""
    seed: Count = 0
    """Seed of the tokens drawn."""


class LayerDistances(Settings):
    """PWCCA distances between models, and between the layers of each."""

    variant: Variant = "morcos"
    """As `evolution.variant`."""
    tokens: Positive = 50_000
    """Tokens compared."""
    seed: Count = 0
    """Seed of the tokens drawn."""


class WordVectorSettings(Settings):
    """Vectors learned on the model's text (`headwork.representations.probes.word_vectors`)."""

    size: Positive = 100
    """Dimensions."""
    window: Positive = 5
    """Context words on each side."""
    min_count: Positive = 2
    """Least frequency of a word."""
    shift: Annotated[float, Field(ge=1)] = 1.0
    """Number of negative samples that the PMI shift corresponds to."""
    smoothing: NonNegative = 0.75
    """Exponent of the context counts."""
    seed: Count = 0
    """Seed of the decomposition."""


class DependencyProbe(Settings):
    """Training of the probes that read trees off attention."""

    rate: AboveZero = 0.002
    """Adam's learning rate."""
    epochs: Positive = 1
    """Epochs."""
    sentences: Positive = 1
    """Sentences per step, whose losses are summed."""


class DependencyProbing(Settings):
    """Probes on attention (Clark et al. 2019, section 4.4), and their controls."""

    sentences: Count | None = None
    """Treebank sentences for training; `null`: all."""
    dev_sentences: Positive | None = None
    """Treebank sentences for evaluation; `null`: all."""
    tokens: Positive = 2000
    """Tokens per batch."""
    seed: Count = 0
    """Seed of the probes and of the control's random layers."""
    glove: str | None = None
    """File of GloVe vectors; `null`: vectors are learned on the text."""
    vectors: WordVectorSettings = WordVectorSettings()
    """Learned vectors."""
    training: DependencyProbe = DependencyProbe()
    """Training of the probes."""


class HeadPlane(Settings):
    """Heads on a plane, by how differently they attend (Clark et al. 2019, section 5)."""

    method: Literal["metric", "classical"] = "metric"
    """`metric` or `classical` multidimensional scaling."""
    starts: Positive = 5
    """Random starts, of which the best is kept."""
    permutations: Positive = 9999
    """Permutations of the test that heads of one layer are more similar."""
    seed: Count = 0
    """Seed of starts and permutations."""


class InducedTreeSettings(Settings):
    """Trees induced from the maps of single heads (Raganato & Tiedemann 2018)."""

    sentences: Count | None = None
    """Sentences of the treebank's dev part; with `parser: gold`, of the corpus's own dev trees; `null`: all."""
    tokens: Positive = 2000
    """Tokens per batch."""
    from_pieces: FromPieces = "mean"
    """Attention from a word of several subword tokens: that of their `mean`, of the `first` or of the `last`."""
    draws: Positive = 5
    """Random trees per sentence, for the baseline."""
    seed: Count = 0
    """Seed of the random trees."""
    places: PlaceSettings = PlaceSettings()
    """Arg-max positions."""


class TagTask(Settings):
    """Where a task's tags are: in the treebank (`tag`), or in column files (`train`, `test`)."""

    tag: Literal["upos", "xpos", "chunk", "entity", "semantic"] | None = None
    """Treebank annotation: `upos`, `xpos`, `chunk`, `entity` (MISC) or `semantic` (derived by rule from the tree)."""
    train: str | DownloadedFile | None = None
    """Instead of `tag`: column file for training, below `data`, or `{download, member}`."""
    test: str | DownloadedFile | None = None
    """The same for evaluation."""
    column: TagColumn = 2
    """Column of the tag; words are in column 1."""
    scheme: Scheme = "iob2"
    """`iob1` or `iob2`."""
    separator: Literal["space", "tab"] = "space"
    """`space` for any white space, `tab` for a tab alone."""

    @model_validator(mode="after")
    def _of_files_or_trees(self) -> "TagTask":
        require(
            (self.train is None) == (self.test is None),
            "a task has train and test, or neither, and then a tag of the treebank",
        )
        require(self.train is not None or self.tag is not None, "name a `tag` of the treebank, or files")
        return self


class LinearTagProbe(Settings):
    """The linear probe."""

    rate: AboveZero = 0.01
    """Adam's learning rate, which falls to 0."""
    epochs: Positive = 10
    """Epochs."""
    batch: Positive = 512
    """Words per step."""
    decay: NonNegative = 0.0
    """Weight decay."""


class TagDecoder(Settings):
    """The decoder, as in the paper, which gives neither its size nor its training. It is as wide as the encoder."""

    heads: Positive = 4
    """Attention heads."""
    feed_forward: Positive = 256
    """Units of the feed-forward block."""
    rate: AboveZero = 0.002
    """Adam's learning rate, which falls to 0 after a warm-up of a tenth."""
    epochs: Positive = 10
    """Epochs."""
    sentences: Positive = 32
    """Sentences per step."""


class TagProbing(Settings):
    """What layers know of parts of speech, chunks, entities and semantic tags (Raganato & Tiedemann 2018)."""

    tasks: dict[str, TagTask | None] = Field(default_factory=dict)
    """Tagging tasks by name; `null` removes one."""
    probes: Several[TagProbeKind] = ("linear", "decoder")
    """Probes: `linear`, and `decoder` as in the paper."""
    untrained_probes: Several[TagProbeKind] | None = None
    """Probes on the untrained control; `null`: the same."""
    sentences: Count | None = None
    """Sentences for training; `null`: all."""
    test_sentences: Positive | None = None
    """Sentences for evaluation; `null`: all."""
    from_pieces: FromPieces = "mean"
    """Linear probe: a word is represented by the `mean`, `first` or `last` of its subword tokens."""
    seed: Count = 0
    """Seed of the probes' order and weights."""
    linear: LinearTagProbe = LinearTagProbe()
    """The linear probe."""
    decoder: TagDecoder = TagDecoder()
    """The decoder."""


class PairProbe(Settings):
    """The attention probe, on pairs of words.

    The paper does not specify the negative examples. Here they are pairs of words of the same sentence without an arc
    in either direction, as many as there are arcs.
    """

    min_count: Count = 100
    """Least number of pairs of a relation; published: 5000 of 3.1 million."""
    test_share: ProperShare = 0.3
    """Share of the sentences for evaluation, as published."""
    alphas: Annotated[Several[AboveZero], Field(min_length=1)] = (1e-6, 1e-5, 1e-4, 1e-3)
    """L2 penalties, of which one is selected on a part of the training sentences."""
    seeds: Positive = 3
    """Number of seeds, each with its own split."""
    epochs: Positive = 5
    """Epochs."""
    window: Positive = 10
    """Largest distance that the distance-only control distinguishes."""


class StructuralProbeSettings(Settings):
    """A structural probe."""

    rank: Positive | None = None
    """Rank of the probe; `null`: full, as published."""
    rate: AboveZero = 0.001
    """Adam's learning rate, with cosine decay."""
    epochs: Positive = 30
    """Epochs."""
    sentences: Positive = 20
    """Sentences per step."""
    seed: Count = 0
    """Seed of weights and order."""


class Geometry(Settings):
    """What attention and states know of trees (Coenen et al. 2019, section 3).

    Hidden states are in memory, 4 bytes per layer, word and dimension: select some layers for BERT-base.
    """

    sentences: Count | None = None
    """Treebank sentences for training; `null`: all."""
    dev_sentences: Positive | None = None
    """Treebank sentences for evaluation; `null`: all."""
    tokens: Positive = 4000
    """Tokens per batch."""
    layers: Layers = None
    """Layers to probe, 0 for the embeddings; `null`: all."""
    excluded: Several[str] = ("punct",)
    """Relations excluded from the pairs."""
    examples: Count = 2
    """Sentences kept for figure 2."""
    shortest: Count = 10
    """Their least length in words."""
    longest: Positive = 14
    """Their greatest length in words."""
    seed: Count = 0
    """Seed of the pairs without an arc."""
    attention: PairProbe = PairProbe()
    """The attention probe."""
    structural: StructuralProbeSettings = StructuralProbeSettings()
    """The structural probe."""


class StructuralProbing(Settings):
    """Trees and depths that structural probes read off layers (Hewitt & Manning 2019)."""

    sentences: Positive | None = None
    """Treebank sentences for training; `null`: all."""
    dev_sentences: Positive | None = None
    """Treebank sentences for evaluation; `null`: all."""
    validation: ProperShare = 0.1
    """Share of the training sentences on which the layer is selected."""
    layers: Layers = None
    """Layers to probe, 0 for the embeddings; `null`: all."""
    ranks: Several[Positive] = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
    """Ranks of the distance probe on the selected layer; those above the hidden size are left out."""
    draws: Positive = 500
    """Bootstrap samples of the intervals."""
    examples: Count = 2
    """Sentences kept for figures 2 to 4."""
    shortest: Count = 10
    """Their least length in words."""
    longest: Positive = 14
    """Their greatest length in words."""
    seed: Count = 0
    """Seed of the validation sentences, of the control and of the bootstrap."""
    probe: StructuralProbeSettings = StructuralProbeSettings()
    """The probes of all layers."""


class EdgeTask(Settings):
    """Where a task's spans are: in the treebank, or in files of another form."""

    form: Literal["treebank", "columns", "brackets", "gap", "senses"] = "treebank"
    """`treebank` (annotation in its MISC column), `columns` (IOB tags), `brackets` (Penn Treebank), `gap`, `senses`."""
    train: str | DownloadedFile | None = None
    """File for training, below `data`, or `{download, member}`, of the other forms."""
    test: str | DownloadedFile | None = None
    """The same for evaluation; if both are one file, its first four fifths are used for training."""
    column: TagColumn = 2
    """Column files: column of the tag; words are in column 1."""
    scheme: Scheme = "iob2"
    """Column files: `iob1` or `iob2`."""

    @model_validator(mode="after")
    def _of_files_or_trees(self) -> "EdgeTask":
        require(
            (self.train is None) == (self.test is None) == (self.form == "treebank"),
            "a task has files, train and test, if and only if its form is not treebank",
        )
        return self


class EdgeProbeSettings(Settings):
    """An edge probe: scalar mix, projection, pooling and classifier."""

    hidden: Positive = 256
    """Units of the projection and the classifier."""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.3
    """Dropout, as published."""
    rate: AboveZero = 0.001
    """Adam's learning rate, with cosine decay."""
    mix_rate: AboveZero = 10.0
    """Factor of the learning rate of the scalar mix, which few steps would leave at its start."""
    clip: AboveZero = 5.0
    """Largest norm of a probe's gradient, as published."""
    steps: Positive = 1000
    """Steps."""
    batch: Positive = 64
    """Targets per step."""
    layer_norm: bool = False
    """Normalise the vectors of each layer before they are mixed."""


class EdgeProbing(Settings):
    """At which layers the labels of spans are held (Tenney et al. 2019).

    Hidden states of all layers are in memory.
    """

    tasks: dict[EdgeTaskName, EdgeTask | None] = Field(default_factory=dict)
    """Tasks: `pos`, `chunks`, `constituents`, `dependencies`, `entities`, `roles`, `coreference`, `senses`; `null`
    removes one."""
    sentences: Positive | None = None
    """Sentences for training; `null`: all."""
    test_sentences: Positive | None = None
    """Sentences for evaluation; `null`: all."""
    targets: Positive | None = None
    """Spans or pairs of spans for training, sampled from these; `null`: all."""
    test_targets: Positive | None = None
    """The same for evaluation."""
    lemmas: Positive = 40
    """For `senses`: most frequent lemmas with two senses or more."""
    seeds: Positive = 3
    """Number of seeds per probe."""
    draws: Positive = 500
    """Bootstrap samples of the intervals."""
    examples: Count = 2
    """Sentences of figure 3."""
    shown: Count = 3
    """Spans of each."""
    seed: Count = 0
    """Seed of the targets drawn and of the bootstrap, and first seed of the probes."""
    probe: EdgeProbeSettings = EdgeProbeSettings()
    """The probe."""


class SemanticProbe(Settings):
    """The semantic probe."""

    rate: AboveZero = 0.001
    """Adam's learning rate."""
    steps: Positive = 300
    """Steps."""
    lemmas: Positive = 40
    """Lemmas per step."""
    contexts: Positive = 100
    """Contexts of each, at most."""
    clamp: AboveZero = 0.1
    """Each cosine similarity is clamped to within this distance of the mean of its kind, as published."""
    at_least: Positive = 2
    """Least number of occurrences of a sense."""
    seed: Count = 0
    """First seed."""


class Projection(Settings):
    """Contexts on a plane, figure 4."""

    method: Literal["umap", "tsne"] = "umap"
    """`umap` or `tsne`."""
    neighbours: Annotated[int, Field(ge=2)] = 15
    """UMAP's `n_neighbors`."""
    apart: NonNegative = 0.1
    """UMAP's `min_dist`."""
    perplexity: NonNegative = 30.0
    """t-SNE's perplexity."""
    metric: str = "cosine"
    """Metric of both."""
    seed: Count = 0
    """Seed of both."""


class Senses(Settings):
    """What states know of word senses (Coenen et al. 2019, section 4)."""

    sentences: Count | None = None
    """Annotated sentences of each text; `null`: all."""
    test_share: ProperShare = 0.4
    """Share for evaluation, of annotated text without a `split`."""
    layers: Layers = None
    """Layers to probe; `null`: all."""
    tokens: Positive = 4000
    """Tokens per batch."""
    metric: Metric = "cosine"
    """Distance to centroids."""
    dimensions: Several[Positive] = (768, 512, 256, 128, 64, 32, 16, 8, 4)
    """Dimensions of the semantic probe; those above the hidden size are left out."""
    seeds: Positive = 2
    """Number of seeds of the semantic probe."""
    pairs: Positive = 1000
    """Pairs of sentences that are concatenated."""
    word: str | None = None
    """Word of figure 4, such as `cold/ADJ`; `null`: the word with most contexts of which the rarer sense has at least
    the share `rarer_share`."""
    contexts: Positive = 1000
    """Contexts of the word, at most."""
    rarer_share: Share = 0.3
    """See `word`."""
    seed: Count = 0
    """Seed of the parts, pairs and contexts."""
    semantic: SemanticProbe = SemanticProbe()
    """The semantic probe."""
    projection: Projection = Projection()
    """Contexts on a plane."""


class Representations(Settings):
    """Representations, probes, trees and senses.

    `text` to `distances`: evolution between layers (Voita et al. 2019b).
    """

    text: AnalysedText
    """Text whose hidden states are analysed."""
    states: StatesOnDisk
    """Hidden states on disk."""
    masked: MaskedReading
    """How a masked language model's input is masked."""
    evolution: Evolution
    """What is looked at from layer to layer."""
    influence: Influence
    """Tokens masked as keys."""
    distances: LayerDistances
    """Models compared."""
    probes: DependencyProbing
    """Trees read off attention."""
    plane: HeadPlane
    """Heads on a plane."""
    trees: InducedTreeSettings
    """Trees induced from heads."""
    tags: TagProbing
    """What layers know of words."""
    geometry: Geometry
    """Probes of pairs and of distances."""
    structural: StructuralProbing
    """Trees read off layers."""
    edge_probes: EdgeProbing
    """Labels of spans."""
    senses: Senses
    """Word senses."""
