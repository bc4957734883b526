"""Words in context and their senses: nearest centroids, and how often they are right (Coenen et al. 2019, section 4.1).

For each lemma the mean vector of each of its senses in the training text; a word gets the sense whose mean is nearest.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.spatial.distance import cdist

from headwork.parses.conllu import Sentence
from headwork.parses.senses import senses_of
from headwork.settings.representations import Metric

Vectors = Float[np.ndarray, "occurrence size"]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A word with a sense: its sentence, its place there from 0, its lemma with its part of speech, and its senses."""

    sentence: Sentence
    place: int
    lemma: str
    senses: tuple[str, ...]

    @property
    def sense(self) -> str:
        """The one that it is taken to have in training, the first."""
        return self.senses[0]


def occurrences(sentences: Sequence[Sentence]) -> list[Occurrence]:
    """All annotated words of these sentences; lemmas of another part of speech are other lemmas: ``cover/VERB``."""
    return [
        Occurrence(sentence, place, f"{(word.lemma or word.form).lower()}/{word.upos}", tuple(senses))
        for sentence in sentences
        for place, word in enumerate(sentence.words)
        if (senses := senses_of(word))
    ]


def ambiguous(found: Sequence[Occurrence], at_least: int = 2) -> set[str]:
    """The lemmas with two senses or more that stand there at least so often each."""
    counts = Counter((each.lemma, each.sense) for each in found)
    senses = Counter(lemma for (lemma, _), count in counts.items() if count >= at_least)
    return {lemma for lemma, count in senses.items() if count > 1}


def most_frequent(found: Sequence[Occurrence]) -> dict[str, str]:
    """Each lemma's most frequent sense; of equally frequent ones the first by name."""
    counts = Counter((each.lemma, each.sense) for each in found)
    ordered = sorted(counts, key=lambda key: (key[0], -counts[key], key[1]))
    best: dict[str, str] = {}
    for lemma, sense in ordered:
        best.setdefault(lemma, sense)
    return best


class Centroids(NamedTuple):
    """Of one lemma: its senses, and the mean vector of each."""

    senses: list[str]
    means: Float[np.ndarray, "sense size"]


def centroids(found: Sequence[Occurrence], vectors: Vectors) -> dict[str, Centroids]:
    """Those of every lemma; `vectors` are of the occurrences, in their order."""
    means = {}
    for lemma, rows in rows_of(each.lemma for each in found).items():
        own, places = vectors[rows], rows_of(found[row].sense for row in rows)
        names = sorted(places)
        means[lemma] = Centroids(names, np.stack([own[places[name]].mean(0) for name in names]))
    return means


def rows_of(names: Iterable[str]) -> dict[str, list[int]]:
    """The places at which each name stands, in order."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    return rows


def closeness(
    vectors: Vectors, means: Float[np.ndarray, "sense size"], metric: Metric
) -> Float[np.ndarray, "occurrence sense"]:
    """How close each vector is to each mean: its cosine, or minus its distance."""
    if metric == "l2":
        return -cdist(vectors, means)
    lengths = np.linalg.norm(vectors, axis=1)[:, None] * np.linalg.norm(means, axis=1)
    return vectors @ means.T / np.maximum(lengths, np.finfo(means.dtype).tiny)


def nearest(
    found: Sequence[Occurrence], vectors: Vectors, means: dict[str, Centroids], metric: Metric = "cosine"
) -> list[str | None]:
    """The sense of the nearest centroid for each occurrence; None if no centroid of its lemma is known."""
    answers: list[str | None] = [None] * len(found)
    for lemma, rows in rows_of(each.lemma for each in found).items():
        if (known := means.get(lemma)) is not None:
            for row, best in zip(rows, closeness(vectors[rows], known.means, metric).argmax(1), strict=True):
                answers[row] = known.senses[best]
    return answers


class Score(NamedTuple):
    """Of all occurrences, n: how many were given a sense rightly, precision and recall, and their harmonic mean."""

    precision: float
    recall: float
    f1: float
    right: int
    n: int


def score(found: Sequence[Occurrence], answers: Sequence[str | None]) -> Score:
    """As in Raganato et al. (2017): any of the gold senses is right; a word without an answer costs recall alone."""
    given = sum(answer is not None for answer in answers)
    right = sum(answer in each.senses for each, answer in zip(found, answers, strict=True))
    precision, recall = right / given if given else 0.0, right / len(found) if found else 0.0
    both = precision + recall
    return Score(precision, recall, 2 * precision * recall / both if both else 0.0, right, len(found))
