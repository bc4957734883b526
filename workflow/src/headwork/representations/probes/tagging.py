"""Linear probes: the tag of a word from its vector alone, the encoder left as it is.

    p(tag | word) = softmax(W z + b),    z = (x - mean) / deviation, dimension by dimension over the training words

A sentence gets as many tags as it has words, so there are no errors of length (compare `sequence_probe`). What the
probe must beat is the most frequent tag of each word.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from tqdm.auto import tqdm

from headwork.models.loading import hub
from headwork.parses.tagged import Tagged, read_columns, read_treebank_tags
from headwork.representations.probes.sequence import Sentences, score, train_decoder, written
from headwork.representations.states.hidden_states import States, extract
from headwork.representations.states.words import by_sentence, sentences_in, word_vectors
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_table
from headwork.settings.representations import LinearTagProbe, StatesOnDisk, TagProbing, TagTask


class LinearProbe(nn.Module):
    """Standardises vectors as those it was trained on, and scores each tag."""

    def __init__(self, vectors: Float[Tensor, "word width"], tags: int) -> None:
        super().__init__()
        self.register_buffer("mean", vectors.mean(0))
        self.register_buffer("deviation", vectors.std(0).clamp_min(1e-6))
        self.scores = nn.Linear(vectors.shape[1], tags)
        nn.init.zeros_(self.scores.weight)
        nn.init.zeros_(self.scores.bias)

    def forward(self, vectors: Float[Tensor, "word width"]) -> Float[Tensor, "word tag"]:
        """The logit of each tag."""
        return self.scores((vectors - self.mean) / self.deviation)


def train_linear(
    vectors: Float[Tensor, "word width"],
    tags: Int[Tensor, " word"],
    number: int,
    settings: LinearTagProbe | None = None,
    seed: int = 0,
) -> LinearProbe:
    """A probe for `number` tags, trained on these words; the seed orders them."""
    settings = settings or LinearTagProbe()
    probe = LinearProbe(vectors, number).to(vectors.device)
    optimiser = torch.optim.AdamW(probe.parameters(), lr=settings.rate, weight_decay=settings.decay)
    steps = settings.epochs * -(-len(tags) // settings.batch)
    falling = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, steps)
    chance = torch.Generator().manual_seed(seed)
    for _ in range(settings.epochs):
        for chosen in torch.randperm(len(tags), generator=chance).to(tags.device).split(settings.batch):
            optimiser.zero_grad()
            cross_entropy(probe(vectors[chosen]), tags[chosen]).backward()
            optimiser.step()
            falling.step()
    return probe


@torch.no_grad()
def accuracy(probe: LinearProbe, vectors: Float[Tensor, "word width"], tags: Int[Tensor, " word"]) -> float:
    """The share of words whose most probable tag is theirs; a tag that is not the probe's is -1, and never found."""
    return float((probe(vectors).argmax(1) == tags).double().mean())


def most_frequent_tag(learned: Sequence[Tagged], scored: Sequence[Tagged]) -> float:
    """The share of words of `scored` that have the tag their word most often has in `learned`.

    Of equally frequent tags the first in the alphabet counts; a word that was not seen gets the most frequent of all.
    """
    by_word: dict[str, Counter[str]] = {}
    overall: Counter[str] = Counter()
    for sentence in learned:
        overall.update(sentence.tags)
        for word, tag in zip(sentence.words, sentence.tags, strict=True):
            by_word.setdefault(word, Counter())[tag] += 1
    usual = {word: _most(counts) for word, counts in by_word.items()}
    default = _most(overall)
    hits = [
        usual.get(word, default) == tag
        for sentence in scored
        for word, tag in zip(sentence.words, sentence.tags, strict=True)
    ]
    return float(np.mean(hits))


def _most(counts: Counter[str]) -> str:
    return min(counts, key=lambda tag: (-counts[tag], tag))


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
    """At most `most` sentences of one of a task's files; raises InputError as the readers do."""
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
