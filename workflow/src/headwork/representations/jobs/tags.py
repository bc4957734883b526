"""What the layers of one frozen encoder know of parts of speech, chunks, entities and semantic tags.

<run>.tags.csv: task, probe, layer, measure, value, count. `layer` 0 are the embeddings, the baseline of all others;
a probe without a model (``most-frequent-tag``) has none. Measures: ``precision`` (of a linear probe, accuracy), and of
the decoder-style probe ``precision-of-all`` and ``length-errors`` too (see `sequence_probe`).

The untrained encoder, the other baseline, is another run.
"""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd
import torch
from tqdm.auto import tqdm

from headwork.models.loading import hub
from headwork.parses.tagged import Tagged, read_columns, read_treebank_tags
from headwork.representations.probes.sequence import Sentences, score, train_decoder, written
from headwork.representations.probes.tagging import accuracy, most_frequent_tag, train_linear
from headwork.representations.states.hidden_states import States, extract
from headwork.representations.states.words import by_sentence, sentences_in, word_vectors
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_table
from headwork.settings.representations import StatesOnDisk, TagProbing, TagTask

COLUMNS = ("task", "probe", "layer", "measure", "value", "count")
UNKNOWN = -1


def tag_run(
    input: Files,
    output: Files,
    settings: TagProbing,
    states: StatesOnDisk,
    tasks: Sequence[str],
    device: str = "cpu",
) -> None:
    """Train and score the probes of every task on every layer.

    `input`: model (its files), train and test (a file of tagged sentences for each of the `tasks`). `output`: table
    (csv). `states` says how the model's vectors are kept on disk meanwhile. Raises InputError for files whose words
    and tags do not align.
    """
    model, tokenizer = hub.load(folder_of(input.model))
    model.to(device)
    rows = []
    for task, *paths in zip(tasks, input.train, input.test, strict=True):
        with TemporaryDirectory() as folder:
            parts = []
            for number, (path, most) in enumerate(
                zip(paths, (settings.sentences, settings.test_sentences), strict=True)
            ):
                tagged = _read(settings.tasks[task], path, most)
                lines = (" ".join(sentence.words) for sentence in tagged)
                where = Path(folder, str(number))
                extract(model, tokenizer, lines, where, states, name=str(path))
                found = States(where)
                parts.append(_Part([tagged[place] for place in sentences_in(found)], found))
            rows += [(task, *row) for row in _task(*parts, settings, task)]
    write_table(output.table, pd.DataFrame(rows, columns=list(COLUMNS)).astype({"layer": "Int64"}))


def _read(task: TagTask, path: Path, most: int | None) -> list[Tagged]:
    """At most so many sentences of one of a task's files; raises InputError as the readers do."""
    if task.train is None:
        found = read_treebank_tags(path, task.tag)
    else:
        found = read_columns(path, task.column, task.scheme, "\t" if task.separator == "tab" else None)
    return list(islice(found, most))


class _Part(NamedTuple):
    """The sentences of a file that the model has positions for, and their states."""

    tagged: list[Tagged]
    states: States


def _task(learned: _Part, scored: _Part, settings: TagProbing, name: str) -> list[tuple[Any, ...]]:
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
