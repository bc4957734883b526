"""The tables that jobs write and that items and claims read: name, path, columns. One registry for all studies.

A study names the tables that an item shows (`tables:` in its study.yaml), and `draw` of the item has an argument of
each name. Paths are below results/<scale>; {run} is each run of the item, {corpus} its corpus, {split} the split that
heads are measured on, {study} the study.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwork.errors import InputError
from headwork.studies import readers
from headwork.studies.readers import Run

STATISTICS = ("kind", "layer", "head", "statistic", "key", "value", "count")
FUNCTIONS = ("kind", "layer", "head", "function", "score", "baseline", "margin", "count", "holds")
TEXT = {"dtype": {"run": str, "of": str, "person": str}}  # names that may look like numbers
EVOLUTION = ("statistic", "key", "layer", "value", "control", "n", "note")
PLACE = ("kind", "layer", "head")
GATES = "gates"


@dataclass(frozen=True)
class Table:
    """One kind of table.

    columns  those that it must have; () for JSON, which is read as it is: a list of the files' contents, one a run
    prepare  makes a table of what was read, and checks it
    reading  arguments of `pandas.read_csv`
    """

    name: str
    path: str
    columns: tuple[str, ...] = ()
    prepare: Callable[[Any, Path], Any] | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)

    @property
    def of_study(self) -> bool:
        """Whether there is one file for a study, not one for each run."""
        return "{study}" in self.path

    @property
    def phase(self) -> str:
        """The phase that makes it."""
        return self.path.partition("/")[0]

    def read_file(self, path: str | Path) -> Any:
        """The content of one file; `InputError` if it lacks a column or rows, `DamagedFile` if it is no table."""
        found = readers.read_file(Path(path), self.columns, self.phase, self.reading)
        return self.prepare(found, Path(path)) if self.prepare else found


def _encoder(name: str, path: str, columns: tuple[str, ...] = STATISTICS, **reading: Any) -> Table:
    """A table of which the rows of encoder heads are shown."""
    return Table(name, path, columns, readers.encoder_rows, reading)


def _functions(name: str, path: str, *more: str) -> Table:
    return Table(name, path, (*more, *FUNCTIONS), readers.functions)


def _evolution(name: str) -> Table:
    reading = {"dtype": {"key": str, "note": str}}
    path = f"representations/{{run}}.{name}.csv"
    return Table(name, path, EVOLUTION, lambda table, _: table.fillna({"note": ""}), reading)


AS_WRITTEN = {"keep_default_na": False}  # a word may be "null"
SCORES = ("layer", "f1", "low", "high", "weight", "weight_low", "weight_high", "n", "sentences")
OF_PROBES = ("representation", "layer", "rank", "part", "measure", "value", "low", "high", "n", "chosen")
JOINED = (
    "own",
    "other",
    "ratio",
    "misclassified",
    "lost",
    "won",
    "n",
    "lost_beside_random",
    "won_beside_random",
)
SWEEPS = (
    *("run", "domain", "pair", "method", "gates", "of", "seed", "penalty", "target", "heads", "kept"),
    *("bleu", "low", "high", "parameters", "parameters_full"),
    *("sentences_per_second", "sentences_per_second_full"),
)
DISABLED = (*PLACE, "method", "split", "metric", "value", "change", "low", "high", "n")
TRIGGERS = ("source", "trigger", "pieces", "score", "gold", "half", "clean", "accuracy", "n")
CURVE = ("measure", "order", "share", "removed", "score", "likelihood", "metric")

_ALL = [
    # corpora and parses: offsets of dependents from their heads in words; persons of subjects; AER of aligners
    Table("relations", "parses/{corpus}/{split}.relations.csv", ("relation", "offset", "count")),
    Table("persons", "parses/{corpus}/{split}.persons.csv", ("person", "count"), reading=TEXT),
    Table(
        "aligners", "corpora/{corpus}/aligners.csv", ("model", "joined", "precision", "recall", "aer", "n")
    ),
    # models: size, data and provenance; BLEU of the test set; GLUE metrics; heads kept; dev loss against updates
    Table("training", "models/{run}/run.json"),
    Table("scores", "models/{run}/scores.json", prepare=readers.scores),
    Table("glue", "models/{run}/scores.json", prepare=readers.glue_scores),
    Table(GATES, "models/{run}/gates.csv", (*PLACE, "kept"), readers.gates),
    Table("history", "models/{run}/history.csv", ("step", "dev_loss"), readers.evaluated),
    # heads of translation models; functions of pruned models and their baselines; by snapshot of a training; attention
    # maps of a few sentences; AER by attention weights and by norms, of each head and (head 0) of each layer
    _encoder("statistics", "heads/{run}.parquet"),
    _functions("functions", "heads/{run}.functions.csv"),
    _functions("pruned_functions", "heads/{run}.functions.csv"),
    _functions("curve", "heads/{run}.curve.csv", "step"),
    Table("examples", "heads/{run}.examples.json", prepare=readers.examples),
    Table("alignments", "heads/{run}.alignments.parquet", STATISTICS),
    Table("alignment_example", "heads/{run}.alignment.json"),
    # heads of BERT-like encoders, on segments of running text: values under uniform attention, rank correlations over
    # heads, samples of tokens and of pairs of a query and a token
    _encoder("segments", "heads/{run}.segments.parquet"),
    Table("segment_examples", "heads/{run}.segments.json"),
    _encoder("chance", "heads/{run}.chance.csv", ("kind", "key", "value"), **AS_WRITTEN),
    _encoder("correlations", "heads/{run}.correlations.csv", ("kind", "statistic", "key", "value", "count")),
    _encoder("tokens", "heads/{run}.tokens.parquet", ("kind", "rank", "real", "norm", "weight")),
    _encoder("pairs", "heads/{run}.pairs.csv", ("kind", "class", "weight", "norm")),
    # between words: relations and antecedents, the best fixed offset of each relation, rules that find antecedents
    _encoder("words", "heads/{run}.words.parquet"),
    Table("word_examples", "heads/{run}.words.json"),
    Table("offsets", "heads/{run}.offsets.csv", ("relation", "offset", "share", "count")),
    Table("rules", "heads/{run}.rules.csv", ("rule", "candidates", "kind", "accuracy", "count")),
    # heads of fine-tuned encoders; patterns of their maps by a trained network, and its quality
    _encoder("tasks", "heads/{run}.task.parquet"),
    Table("task_examples", "heads/{run}.task.json", prepare=readers.task_maps),
    Table(
        "pattern_shares",
        "heads/{study}.patterns.csv",
        ("run", "pattern", "classifier", "share", "count"),
        reading=TEXT,
    ),
    Table("pattern_facts", "heads/{study}.patterns.json", prepare=readers.pattern_facts),
    # importance: LRP shares, gradients of the masked loss, attributions of each example; F(A) - F(0) less their sum;
    # edges of attribution trees (there may be none), and predictions with these edges only; triggers
    Table("relevance", "relevance/{run}.parquet", STATISTICS, readers.relevance),
    _encoder("sensitivity", "relevance/{run}.sensitivity.parquet"),
    Table(
        "importance", "relevance/{run}.importance.parquet", ("split", "example", *PLACE, "measure", "value")
    ),
    Table(
        "completeness",
        "relevance/{run}.completeness.parquet",
        ("split", "example", "kind", "layer", "change", "missing", "steps"),
    ),
    Table(
        "quadrature",
        "relevance/{run}.quadrature.csv",
        ("rule", "steps", "example", "layer", "change", "missing"),
    ),
    Table(
        "edges", "relevance/{run}.edges.csv", (readers.OR_EMPTY, "between", "distance"), readers.tree_edges
    ),
    Table("attribution_trees", "relevance/{run}.trees.json"),
    Table("tree_answers", "relevance/{run}.kept.csv", ("example", "edges", "tree", "random")),
    Table("maps", "relevance/{run}.maps.json"),
    Table(
        "triggers",
        "relevance/{run}.triggers.csv",
        TRIGGERS,
        reading=AS_WRITTEN | {"dtype": {"pieces": str, "source": str}},
    ),
    # pruning and ablation: runs and kept heads of a study's sweeps; scores with a head or layer (head 0) disabled; with
    # heads removed in order of importance, of all layers and of each example; importance measures of every head
    Table("sweeps", "pruning/{study}.runs.csv", SWEEPS, reading=TEXT),
    Table("kept", "pruning/{study}.heads.csv", ("run", "kind", "layer", "heads", "kept"), reading=TEXT),
    Table("disabling", "pruning/disabling/{run}.csv", DISABLED, readers.of_first_split),
    Table(
        "curves",
        "pruning/ranking/{run}.curves.csv",
        ("measure", "order", "share", "removed", "accuracy", "n"),
    ),
    Table("effect", "pruning/ranking/{run}.effect.csv", ("measure", "first", "removed", "accuracy", "n")),
    Table("measures", "pruning/measures/{run}.heads.csv", ("measure", *PLACE, "value")),
    Table("measure_curves", "pruning/measures/{run}.curves.csv", CURVE),
    # attention probes' UAS; the plane of heads; information, change and influence by layer; 2-D projections of words;
    # PWCCA distances between the models of a corpus, and between layers
    Table("probes", "representations/{run}.probes.csv", ("probe", "uas", "n")),
    Table("plane", "representations/{run}.plane.json", prepare=readers.plane),
    Table("plane_points", "representations/{run}.plane.csv", ("layer", "head", "x", "y")),
    _evolution("evolution"),
    _evolution("influence"),
    Table(
        "points",
        "representations/{run}.points.csv",
        ("shows", "layer", "x", "y", "form", "position", "tag", "replaced"),
        reading=AS_WRITTEN,
    ),
    Table(
        "distances",
        "representations/{corpus}.distances.csv",
        ("statistic", "first", "second", "layer", "value", "control", "n"),
    ),
    # trees induced from attention and baselines without a model; accuracy of tagging probes
    _encoder("trees", "representations/{run}.trees.parquet"),
    Table("branching", "representations/{run}.branching.csv", ("baseline", "key", "value", "count")),
    Table(
        "tags",
        "representations/{run}.tags.csv",
        ("task", "probe", "layer", "measure", "value", "count"),
        reading={"dtype": {"layer": "Int64"}},
    ),
    # geometry: attention probes, by relation too; structural probes; squared length of arcs; tree embeddings; senses
    Table(
        "attention_probe",
        "representations/{run}.attention-probe.csv",
        ("task", "split", "features", "accuracy", "sd", "labels", "n"),
    ),
    Table(
        "attention_relations",
        "representations/{run}.attention-relations.csv",
        ("relation", "precision", "recall", "predicted", "n"),
    ),
    Table(
        "structural",
        "representations/{run}.structural.csv",
        ("probe", "layer", "uuas", "spearman", "arcs", "sentences"),
    ),
    Table("arcs", "representations/{run}.edges.csv", ("relation", "mean", "sd", "n")),
    Table(
        "embeddings", "representations/{run}.embeddings.csv", ("embedding", "spearman", "error", "sentences")
    ),
    Table("tree_examples", "representations/{run}.trees.json"),
    Table(
        "senses",
        "representations/{run}.senses.csv",
        ("system", "layer", "words", "precision", "recall", "f1", "n"),
    ),
    Table(
        "semantic", "representations/{run}.semantic.csv", ("dimension", "matrix", "words", "f1", "sd", "n")
    ),
    Table("concatenation", "representations/{run}.concatenation.csv", ("layer", "vectors", "kind", *JOINED)),
    Table(
        "contexts",
        "representations/{run}.contexts.csv",
        ("word", "sense", "layer", "x", "y", "text"),
        reading=AS_WRITTEN,
    ),
    # structural probes by layer, rank and baseline; edge probes: F1 and mixing weight by task and layer, expected layer
    # and centre of gravity by task, probabilities of single targets by layer
    Table("structural_probes", "representations/{run}.structural-probes.csv", OF_PROBES),
    Table("spanning_trees", "representations/{run}.spanning-trees.json"),
    Table("edge_probes", "representations/{run}.edge-probes.csv", ("task", *SCORES)),
    Table(
        "edge_layers",
        "representations/{run}.edge-layers.csv",
        ("task", "quantity", "value", "low", "high", "layers", "n"),
    ),
    Table("traces", "representations/{run}.traces.json"),
]
TABLES = {table.name: table for table in _ALL}


def read(name: str, files: str | Sequence[str | Path], runs: Sequence[Run]) -> Any:
    """A table of these runs from its files: one file for each run in the same order, or the one of the study.

    Tables of runs become one, with the labels of the run (run, domain, pair, label, trained, seed) in front of each
    row; of JSON without columns it is a list. Raises `InputError` as the readers do, and for another number of files.
    """
    table = TABLES[name]
    paths = [files] if isinstance(files, str | Path) else list(files)
    if name == "sweeps":
        return readers.sweeps(table.read_file(paths[0])[list(table.columns)], paths[0], runs)
    if table.of_study:
        return table.read_file(paths[0])
    chosen = [run for run in runs if name != GATES or run.get("method", GATES) == GATES]
    if len(paths) != len(chosen):
        raise InputError(
            f"{len(paths)} files of {name} were given for {len(chosen)} runs; give one for each run"
        )
    found = [table.read_file(path) for path in paths]
    return readers.labelled(found, chosen) if table.columns or table.prepare else found
