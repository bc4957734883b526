"""Writes a folder per task in the official format of GLUE, with gold trees of the dev sets.

Labels are balanced. No pair occurs twice, in one split or in two; a larger train set extends a smaller one and leaves
the dev sets unchanged. ``dev.conllu`` beside ``dev.tsv`` has the tree, roles and other annotation of each sentence:
``news-17-2`` is the second sentence of the example with index 17.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from headwork.run.frame import Files
from headwork.settings.world import TaskSizes
from miniature_world.generate import english
from miniature_world.sentence import WorldSentence, to_conllu
from miniature_world.tasks.answers import answer
from miniature_world.tasks.clauses import Said
from miniature_world.tasks.draw import Drawer, Misfit
from miniature_world.tasks.entailment import inference, recognition
from miniature_world.tasks.paraphrase import duplicate, paraphrase
from miniature_world.tasks.realise import Realiser
from miniature_world.tasks.relations import relations
from miniature_world.tasks.sentiment import sentiment
from miniature_world.tasks.similarity import similarity

Label = str | float

PAIR = ("sentence1", "sentence2")
# The names of the classes in GLUE, in its order.
LABELS = {
    "SST-2": ("negative", "positive"),
    "MRPC": ("not_equivalent", "equivalent"),
    "RTE": ("entailment", "not_entailment"),
    "MNLI": ("entailment", "neutral", "contradiction"),
    "QNLI": ("entailment", "not_entailment"),
    "QQP": ("not_duplicate", "duplicate"),
}


class Made(NamedTuple):
    """An example: its one or two sentences and its label."""

    sentences: list[WorldSentence]
    label: Label

    @property
    def texts(self) -> list[str]:
        """The sentences' words with spaces between them."""
        return [sentence.text for sentence in self.sentences]


class Recipe(NamedTuple):
    """How examples of a task are made from a label, its file format, and the domain of each split."""

    labels: tuple[Label, ...]
    make: Callable[[Drawer, Label], list[Said]]
    head: list[str]
    row: Callable[[int, Made], list[object]]
    domains: dict[str, str]


def _place(task: str, label: Label) -> int:
    return LABELS[task].index(label)


NEWS = {"dev": "news", "train": "news"}
BOTH = {"dev_matched": "news", "dev_mismatched": "subtitles", "train": "news"}
# left empty
PARSES = tuple(f"sentence{number}_{kind}" for kind in ("binary_parse", "parse") for number in (1, 2))

RECIPES: dict[str, Recipe] = {
    "SST-2": Recipe(
        LABELS["SST-2"],
        sentiment,
        ["sentence", "label"],
        lambda _, made: [*made.texts, _place("SST-2", made.label)],
        NEWS,
    ),
    "MRPC": Recipe(
        LABELS["MRPC"],
        lambda drawer, label: paraphrase(drawer, label == "equivalent"),
        ["Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"],
        lambda index, made: [_place("MRPC", made.label), 2 * index, 2 * index + 1, *made.texts],
        NEWS,
    ),
    "RTE": Recipe(
        LABELS["RTE"],
        recognition,
        ["index", *PAIR, "label"],
        lambda index, made: [index, *made.texts, made.label],
        NEWS,
    ),
    "MNLI": Recipe(
        LABELS["MNLI"],
        inference,
        ["index", "promptID", "pairID", "genre", *PARSES, *PAIR, "label1", "gold_label"],
        lambda index, made: [
            *(index, index, index, made.sentences[0].domain),
            *[""] * len(PARSES),
            *(*made.texts, made.label, made.label),
        ],
        BOTH,
    ),
    "QNLI": Recipe(
        LABELS["QNLI"],
        answer,
        ["index", "question", "sentence", "label"],
        lambda index, made: [index, *made.texts, made.label],
        NEWS,
    ),
    "QQP": Recipe(
        LABELS["QQP"],
        lambda drawer, label: duplicate(drawer, label == "duplicate"),
        ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"],
        lambda index, made: [index, 2 * index, 2 * index + 1, *made.texts, _place("QQP", made.label)],
        {"dev": "subtitles", "train": "subtitles"},
    ),
    "STS-B": Recipe(
        (0.0, 1.0, 2.0, 3.0, 4.0, 5.0),
        similarity,
        ["index", "genre", "filename", "year", "old_index", "source1", "source2", *PAIR, "score"],
        lambda index, made: [
            *(index, f"main-{made.sentences[0].domain}", "world", "none", index, "none", "none"),
            *(*made.texts, f"{made.label:.3f}"),
        ],
        NEWS,
    ),
}


def make_task(task: str, sizes: TaskSizes, seed: int) -> Iterator[tuple[str, Made]]:
    """The examples of a task, one of `RECIPES`, each with the name of its split; the dev splits come first."""
    recipe, world, known = RECIPES[task], english(), relations()
    realiser = Realiser(world.lexicon, known)
    avoid = {*known.polarity, *known.reversing} if task == "SST-2" else set()
    seen: set[frozenset[str]] = set()
    streams: dict[str, Iterator[Made]] = {}
    for split, domain in recipe.domains.items():
        if domain not in streams:
            drawer = Drawer(world, known, domain, f"{task} {domain} {seed}", avoid)
            streams[domain] = _stream(recipe, drawer, realiser, seen)
        for made in islice(streams[domain], sizes.train if split == "train" else sizes.dev):
            yield split, made


def _stream(recipe: Recipe, drawer: Drawer, realiser: Realiser, seen: set[frozenset[str]]) -> Iterator[Made]:
    """Examples, endlessly: each label once in every block, in random order."""
    while True:
        for label in drawer.random.sample(recipe.labels, len(recipe.labels)):
            yield _example(recipe, label, drawer, realiser, seen)


def _example(
    recipe: Recipe, label: Label, drawer: Drawer, realiser: Realiser, seen: set[frozenset[str]]
) -> Made:
    """A new example, whose sentences differ."""
    while True:
        try:
            said = recipe.make(drawer, label)
        except Misfit:
            continue
        sentences = [
            realiser.sentence(clause, wording, drawer.domain, number=number)
            for number, (clause, wording) in enumerate(said, 1)
        ]
        texts = frozenset(sentence.text for sentence in sentences)
        if len(texts) == len(sentences) and texts not in seen:
            seen.add(texts)
            return Made(sentences, label)


def generate_tasks(input: Files, output: Files, sizes: TaskSizes, seed: int) -> None:
    """Writes the tasks beside their `summary` (csv, see `write_tasks`)."""
    table = write_tasks(output.summary.parent, sizes, seed)
    table.to_csv(output.summary, index=False, lineterminator="\n")


def write_tasks(folder: str | Path, sizes: TaskSizes, seed: int) -> pd.DataFrame:
    """Writes every task into a folder of its own under `folder`.

    Returns one row per task, split and label: ``task``, ``split``, ``domain``, ``label``, ``examples``, and ``words``,
    the mean number of words of an example.
    """
    counts = []
    for task in RECIPES:
        place = Path(folder) / task
        place.mkdir(parents=True, exist_ok=True)
        for split, group in groupby(make_task(task, sizes, seed), key=itemgetter(0)):
            counts += _write_split(place, task, split, (made for _, made in group))
    table = pd.DataFrame(counts, columns=["task", "split", "domain", "label", "words"])
    grouped = table.groupby(["task", "split", "domain", "label"], sort=False)["words"]
    return grouped.agg(examples="size", words="mean").reset_index()


def _write_split(place: Path, task: str, split: str, examples: Iterable[Made]) -> list[tuple]:
    """Writes the table of a split, and its trees if it is for development; returns what `write_tasks` counts."""
    recipe = RECIPES[task]
    text, trees, counts = io.StringIO(), [], []
    table = csv.writer(text, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
    table.writerow(recipe.head)
    for index, made in enumerate(examples):
        table.writerow(recipe.row(index, made))
        for sentence in made.sentences if split != "train" else ():
            sentence.paragraph = index
            trees.append(to_conllu(sentence) + "\n")
        words = sum(len(sentence.words) for sentence in made.sentences)
        counts.append((task, split, recipe.domains[split], made.label, words))
    _write(place / f"{split}.tsv", text.getvalue())
    if trees:
        _write(place / f"{split}.conllu", "".join(trees))
    return counts


def _write(path: Path, text: str) -> None:
    """The file gets its name when it is complete."""
    partial = path.with_name(path.name + ".part")
    try:
        partial.write_text(text, encoding="utf-8", newline="\n")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
