"""Labelled spans of sentences: the tasks of edge probing (Tenney et al. 2019), from annotated text.

    pos           a word: its part of speech
    chunks        a phrase of one level: its type
    constituents  a phrase: its type. In a dependency tree a subtree of two words or more without gaps
    dependencies  a word and its head: the relation; the root has no head and is left out
    entities      a name: its type
    roles         a predicate and an argument: the semantic role
    coreference   two mentions: whether they corefer
    senses        a word: its sense

All are read from CoNLL-U with annotation in MISC (``Chunk``, ``Entity``, ``Role``, ``Coref``, ``Sense``); some also
from column files, bracketed trees, GAP and sense-annotated text. Spans are given: nothing has to be detected.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from headwork.corpora.annotated.coreference import read_gap
from headwork.errors import InputError
from headwork.parses.brackets import read_brackets
from headwork.parses.conllu import Sentence, Word, read_conllu
from headwork.parses.senses import read_senses, senses_of
from headwork.parses.tagged import OUTSIDE, read_columns
from headwork.settings.base import require

Span = tuple[int, int]
"""Words from the first up to and without the last, counted from 0."""

COREFERENT = "coreferent"
NOT_IN_MENTION = frozenset(("case", "punct", "cc", "mark", "discourse", "vocative"))
PHRASES = {"ADJ": "ADJP", "ADV": "ADVP", "VERB": "S", "AUX": "S"}


class Edge(NamedTuple):
    """One or two spans (`other` is None for a task of one) and their labels; no label means a negative example."""

    span: Span
    other: Span | None
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Labelled:
    """The words of a sentence or passage, its labelled spans, and the line it begins on."""

    words: list[str]
    edges: list[Edge]
    line: int | None = None


def read_edges(
    path: str | Path,
    task: str,
    form: str = "treebank",
    column: int = 2,
    scheme: str = "iob2",
    most: int | None = None,
) -> Iterator[Labelled]:
    """The sentences of a file, `most` at most, with their labelled spans for one task.

    `form` is ``treebank`` (CoNLL-U), ``columns`` (IOB tags in that column), ``brackets``, ``gap`` or ``senses``. Raises
    InputError as the readers of these formats do, for a span outside its sentence, and for a file without labels.
    """
    require((form, task) in SOURCES, f"edge probes: no reader of {task} from the format {form!r}")
    found = False
    for labelled in islice(SOURCES[form, task](Path(path), column, scheme), most):
        for edge in labelled.edges:
            found = found or bool(edge.labels)
            for start, end in filter(None, (edge.span, edge.other)):
                if not 0 <= start < end <= len(labelled.words):
                    message = (
                        f"{task}: a span has words {start + 1} to {end}, "
                        f"but the sentence that begins here has {len(labelled.words)}; correct its annotation"
                    )
                    raise InputError.at(path, message, labelled.line)
        yield labelled
    if not found:
        raise InputError.at(
            path, f"no span has a label of the task {task}; give another file, or leave it out"
        )


def phrases(tags: Sequence[str]) -> list[Edge]:
    """The phrases that IOB2 tags delimit."""
    found: list[Edge] = []
    for place, tag in enumerate(tags):
        kind = tag[2:]
        if tag.startswith("I-") and found and found[-1].span[1] == place and found[-1].labels == (kind,):
            found[-1] = Edge((found[-1].span[0], place + 1), None, (kind,))
        elif tag != OUTSIDE:
            found.append(Edge((place, place + 1), None, (kind,)))
    return found


def subtree(sentence: Sentence, place: int, without: frozenset[str] = frozenset()) -> Span | None:
    """The span of a word and all that depends on it, None if it has gaps.

    Direct dependents with a relation of `without` are left out with all that depends on them.
    """
    inside, waiting = {place}, [place]
    while waiting:
        head = waiting.pop()
        for other, word in enumerate(sentence.words):
            if word.head == head + 1 and other not in inside:
                if head == place and word.deprel in without:
                    continue
                inside.add(other)
                waiting.append(other)
    start, end = min(inside), max(inside) + 1
    return (start, end) if end - start == len(inside) else None


def _words(label: Callable[[Word], str | None]) -> Callable[[Sentence], list[Edge]]:
    """A label for each word that has one."""

    def edges(sentence: Sentence) -> list[Edge]:
        labels = [(place, label(word)) for place, word in enumerate(sentence.words)]
        return [Edge((place, place + 1), None, (each,)) for place, each in labels if each]

    return edges


def _tags(name: str) -> Callable[[Sentence], list[Edge]]:
    return lambda sentence: phrases([word.misc.get(name, OUTSIDE) for word in sentence.words])


def dependencies(sentence: Sentence) -> list[Edge]:
    """Each word with its head."""
    return [
        Edge((place, place + 1), (word.head - 1, word.head), (word.deprel,))
        for place, word in enumerate(sentence.words)
        if word.head and word.deprel
    ]


def constituents(sentence: Sentence) -> list[Edge]:
    """Subtrees without gaps, by the part of speech of their head, and for nouns by whether they have a preposition."""
    found = []
    for place, word in enumerate(sentence.words):
        span = subtree(sentence, place)
        if span is None or span[1] - span[0] < 2 or word.upos == "PUNCT":
            continue
        below = {other.deprel for other in sentence.words if other.head == place + 1}
        kind = PHRASES.get(word.upos, "PP" if "case" in below else "NP")
        found.append(Edge(span, None, ("S" if {"nsubj", "cop"} & below else kind,)))
    return found


def roles(sentence: Sentence) -> list[Edge]:
    """Each predicate with its arguments; continuations and references (C-, R-) are left out, as published."""
    found = []
    for place, word in enumerate(sentence.words):
        for role in filter(None, word.misc.get("Role", "").split(",")):
            name, _, predicate = role.partition(":")
            if name.startswith(("C-", "R-")):
                continue
            start = int(predicate) - 1 if predicate.isdecimal() else -1
            argument = subtree(sentence, place) or (place, place + 1)
            found.append(Edge((start, start + 1), argument, (name,)))
    return found


def coreference(sentence: Sentence) -> list[Edge]:
    """All coreferent pairs of mentions of a sentence, and as many others, drawn by its words.

    A mention is the subtree of its head word without prepositions and conjunctions; relative pronouns are none.
    """
    mentions = []
    for place, word in enumerate(sentence.words):
        if "Coref" in word.misc and word.feats.get("PronType") != "Rel":
            span = subtree(sentence, place, NOT_IN_MENTION) or (place, place + 1)
            mentions.append((span, word.misc["Coref"]))
    same, other = [], []
    for number, (later, entity) in enumerate(mentions):
        for earlier, before in mentions[:number]:
            (same if before == entity else other).append((later, earlier))
    chance = np.random.default_rng(len(sentence.words))
    drawn = [other[place] for place in sorted(chance.permutation(len(other))[: len(same)].tolist())]
    return [
        *(Edge(later, earlier, (COREFERENT,)) for later, earlier in same),
        *(Edge(later, earlier, ()) for later, earlier in drawn),
    ]


OF_TREES: dict[str, Callable[[Sentence], list[Edge]]] = {
    "pos": _words(lambda word: word.xpos or word.upos),
    "chunks": _tags("Chunk"),
    "constituents": constituents,
    "dependencies": dependencies,
    "entities": _tags("Entity"),
    "roles": roles,
    "coreference": coreference,
    "senses": _words(lambda word: word.misc.get("Sense")),
}
TASKS = tuple(OF_TREES)


def _of_trees(task: str) -> Callable[[Path, int, str], Iterator[Labelled]]:
    def read(path: Path, column: int, scheme: str) -> Iterator[Labelled]:
        for sentence in read_conllu(path):
            yield Labelled(sentence.forms, OF_TREES[task](sentence), sentence.line)

    return read


def _of_columns(path: Path, column: int, scheme: str) -> Iterator[Labelled]:
    for sentence in read_columns(path, column, scheme):
        yield Labelled(sentence.words, phrases(sentence.tags), sentence.line)


def _of_brackets(path: Path, column: int, scheme: str) -> Iterator[Labelled]:
    for tree in read_brackets(path):
        edges = [Edge((start, end), None, (label,)) for start, end, label in tree.constituents]
        yield Labelled(tree.words, edges, tree.line)


def _of_gap(path: Path, column: int, scheme: str) -> Iterator[Labelled]:
    for document in read_gap(path):
        pronoun = next(each for each in document.mentions if each.kind == "pronoun")
        edges = [
            Edge((pronoun.start, pronoun.end), (name.start, name.end), (COREFERENT,) * (name.entity == 0))
            for name in document.mentions
            if name.kind != "pronoun"
        ]
        yield Labelled(document.words, edges)


def _of_senses(path: Path, column: int, scheme: str) -> Iterator[Labelled]:
    for sentence in read_senses(path):
        edges = [
            Edge((place, place + 1), None, tuple(senses_of(word)))
            for place, word in enumerate(sentence.words)
            if senses_of(word)
        ]
        yield Labelled(sentence.forms, edges, sentence.line)


SOURCES: dict[tuple[str, str], Callable[[Path, int, str], Iterator[Labelled]]] = {
    **{("treebank", task): _of_trees(task) for task in TASKS},
    **{("columns", task): _of_columns for task in ("chunks", "entities")},
    ("brackets", "constituents"): _of_brackets,
    ("gap", "coreference"): _of_gap,
    ("senses", "senses"): _of_senses,
}
