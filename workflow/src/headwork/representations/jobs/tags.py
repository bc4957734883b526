"""What the layers of one frozen encoder know of parts of speech, chunks, entities and semantic tags.

<run>.tags.csv: task, probe, layer, measure, value, count. `layer` 0 are the embeddings, the baseline of all others;
a probe without a model (``most-frequent-tag``) has none. Measures: ``precision`` (of a linear probe, accuracy), and of
the decoder-style probe ``precision-of-all`` and ``length-errors`` too (see `sequence_probe`).

The untrained encoder, the other baseline, is another run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd
import torch
from tqdm.auto import tqdm

from headwork.models.loading import hub
from headwork.parses.tagged import OF_TREES, SCHEMES, Tagged, read_columns, read_treebank_tags
from headwork.representations.probes.sequence import (
    DecoderSettings,
    Sentences,
    score,
    train_decoder,
    written,
)
from headwork.representations.probes.tagging import (
    LinearSettings,
    accuracy,
    most_frequent_tag,
    train_linear,
)
from headwork.representations.states.hidden_states import States, StatesSettings, extract
from headwork.representations.states.words import FROM_PIECES, by_sentence, sentences_in, word_vectors
from headwork.run.outputs import write_table
from headwork.settings.options import options, require

PROBES = ("linear", "decoder")
COLUMNS = ("task", "probe", "layer", "measure", "value", "count")
UNKNOWN = -1


@dataclass(frozen=True)
class TaskSettings:
    """Where a task's tags are: `tag` of the treebank; or column files, `train` and `test`, or what is fetched for them.

    `column`: that of the tag, from 1 (words are in column 1). `scheme`: iob1 or iob2. `separator`: `space` for any
    white space, `tab` for a tab alone.
    """

    tag: str | None = None
    train: str | Mapping[str, str] | None = None
    test: str | Mapping[str, str] | None = None
    column: int = 2
    scheme: str = "iob2"
    separator: str = "space"

    def __post_init__(self) -> None:
        require(
            (self.train is None) == (self.test is None),
            "tags: a task has train and test, or neither, and then a tag of the treebank",
        )
        require(
            self.train is not None or self.tag in OF_TREES,
            f"tags: a treebank has no tags {self.tag!r}; it may have {', '.join(OF_TREES)}",
        )
        require(self.scheme in SCHEMES, f"tags: scheme is {self.scheme!r}; it must be {' or '.join(SCHEMES)}")
        require(
            self.separator in ("space", "tab"),
            f"tags: separator is {self.separator!r}; it must be space or tab",
        )

    def read(self, path: str | Path, most: int | None) -> list[Tagged]:
        """At most so many sentences of one of its files; raises InputError as the readers do."""
        if self.train is None:
            found = read_treebank_tags(path, self.tag)
        else:
            found = read_columns(path, self.column, self.scheme, "\t" if self.separator == "tab" else None)
        return list(islice(found, most)) if most is not None else list(found)


@dataclass(frozen=True)
class TagSettings:
    """The config's part `representations.tags`.

    `tasks`: by name, where its tags are (None: left out). `probes`: linear, decoder. At most `sentences` to learn from
    and `test_sentences` to score (None: all). `from_pieces`: what a linear probe sees of a word, the `mean`, `first` or
    `last` of its pieces. `seed`: of the probes' order and weights.
    """

    tasks: Mapping[str, Any] = field(default_factory=dict)
    probes: tuple[str, ...] = PROBES
    sentences: int | None = None
    test_sentences: int | None = None
    from_pieces: str = "mean"
    seed: int = 0
    linear: LinearSettings = field(default_factory=LinearSettings)
    decoder: DecoderSettings = field(default_factory=DecoderSettings)

    def __post_init__(self) -> None:
        for probe in self.probes:
            require(probe in PROBES, f"tags: no probe {probe!r}; probes are {', '.join(PROBES)}")
        require(
            self.from_pieces in FROM_PIECES,
            f"tags: from_pieces is {self.from_pieces!r}; it must be one of {', '.join(FROM_PIECES)}",
        )

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "TagSettings":
        """From the config's mapping; raises InputError for unknown keys and values that make no sense."""
        kinds = {"linear": LinearSettings, "decoder": DecoderSettings}
        parts = {name: options(kind, settings.get(name), f"tags: {name}") for name, kind in kinds.items()}
        tasks = {
            name: options(TaskSettings, task, f"tags: {name}")
            for name, task in settings.get("tasks", {}).items()
            if task is not None
        }
        return options(cls, {**settings, **parts, "tasks": tasks}, "tags")


def tag_run(
    model_folder: str | Path,
    files: Mapping[str, Sequence[str | Path]],
    settings: Mapping[str, Any],
    table_path: str | Path,
    device: str = "cpu",
    states: Mapping[str, Any] | None = None,
) -> None:
    """Train and score the probes of every task on every layer, and write the table.

    `files` are the two files of each task, to learn from and to score on; `states` says how the model's vectors are
    kept on disk meanwhile (`headwork.representations.states.hidden_states.StatesSettings`). Raises InputError for
    files whose words and tags do not align.
    """
    chosen, kept = TagSettings.of(settings), options(StatesSettings, states, "states")
    model, tokenizer = hub.load(model_folder)
    model.to(device)
    rows = []
    for task, paths in files.items():
        with TemporaryDirectory() as folder:
            parts = []
            for number, (path, most) in enumerate(
                zip(paths, (chosen.sentences, chosen.test_sentences), strict=True)
            ):
                tagged = chosen.tasks[task].read(path, most)
                lines = (" ".join(sentence.words) for sentence in tagged)
                where = Path(folder, str(number))
                extract(model, tokenizer, lines, where, kept, name=str(path))
                found = States(where)
                parts.append(_Part([tagged[place] for place in sentences_in(found)], found))
            rows += [(task, *row) for row in _task(*parts, chosen, task)]
    write_table(table_path, pd.DataFrame(rows, columns=list(COLUMNS)).astype({"layer": "Int64"}))


class _Part(NamedTuple):
    """The sentences of a file that the model has positions for, and their states."""

    tagged: list[Tagged]
    states: States


def _task(learned: _Part, scored: _Part, settings: TagSettings, name: str) -> list[tuple[Any, ...]]:
    """probe, layer, measure, value, count of one task."""
    known = sorted({tag for sentence in learned.tagged for tag in sentence.tags})
    number = {tag: place for place, tag in enumerate(known)}
    tags = [
        [torch.tensor([number.get(tag, UNKNOWN) for tag in each.tags]) for each in part.tagged]
        for part in (learned, scored)
    ]
    words = sum(map(len, tags[1]))
    usual = most_frequent_tag(learned.tagged, scored.tagged)
    rows: list[tuple[Any, ...]] = [("most-frequent-tag", None, "precision", usual, words)]
    layers = range(learned.states.layers + 1)
    if "linear" in settings.probes:
        together = [torch.cat(part) for part in tags]
        for layer in layers:
            vectors = [
                torch.from_numpy(word_vectors(part.states, layer, settings.from_pieces))
                for part in (learned, scored)
            ]
            probe = train_linear(vectors[0], together[0], len(known), settings.linear, settings.seed)
            rows.append(("linear", layer, "precision", accuracy(probe, vectors[1], together[1]), words))
    if "decoder" in settings.probes:
        for layer in tqdm(layers, desc=f"decoders of {name}", unit="layer", disable=None):
            data = [
                Sentences(by_sentence(part.states, layer), own)
                for part, own in zip((learned, scored), tags, strict=True)
            ]
            probe = train_decoder(data[0], len(known), settings.decoder, settings.seed)
            found = score([own.numpy() for own in tags[1]], written(probe, data[1]))
            rows += [
                ("decoder", layer, "precision", found.precision, found.words),
                ("decoder", layer, "precision-of-all", found.precision_of_all, found.words_of_all),
                ("decoder", layer, "length-errors", found.length_errors, found.sentences),
            ]
    return rows
