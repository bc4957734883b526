"""Does a neighbour in another sense pull a word's vector away from its own? (Coenen et al. 2019, section 4.3.)

Two sentences have the same word in two senses. Each word's vector has a cosine with the centroid of its own sense and
with that of the other; the *similarity ratio* is the mean of the first divided by that of the second (a mean of single
ratios would be ruled by the few words whose cosine with the other is nearly 0). Then the sentences are joined with
"and", and measured again: what is within a sentence's context no longer ends at its full stop. In the control the
other sentence is any without the word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from headwork.parses.conllu import Sentence, Word
from headwork.parses.scores import main_label
from headwork.representations.geometry.senses import Centroids, Occurrence, Vectors, closeness

JOINT = "and"
TRIES = 50  # draws a pair: two occurrences may be of one sense
Cosines = Float[np.ndarray, "word 2"]

KINDS = ("alone", "joined", "joined-at-random")


@dataclass(frozen=True, slots=True)
class Meeting:
    """A word, the sense that it is joined with, and where it stands alone, joined, and joined with any sentence."""

    word: Occurrence
    other: str
    joined: Occurrence
    at_random: Occurrence


def joined(first: Sentence, second: Sentence) -> tuple[Sentence, int]:
    """Both with "and" between them, the first without its final stops; and the place where the second begins."""
    kept = list(first.words)
    while len(kept) > 1 and (kept[-1].upos == "PUNCT" or main_label(kept[-1].deprel) == "punct"):
        kept.pop()
    words = [Word(word.form) for word in (*kept, Word(JOINT), *second.words)]
    return Sentence(words), len(kept) + 1


def meetings(
    found: Sequence[Occurrence], known: dict[str, Centroids], number: int, seed: int = 0
) -> list[Meeting]:
    """Both words of at most `number` pairs of occurrences of one lemma in two senses, of lemmas with known centroids.

    A lemma is drawn as often as it stands there, and of it two occurrences; a pair is taken once, in one order.
    """
    chance = np.random.default_rng(seed)
    rows: dict[str, list[Occurrence]] = {}
    for each in found:
        if each.lemma in known and each.sense in known[each.lemma].senses:
            rows.setdefault(each.lemma, []).append(each)
    sure = [own for own in rows.values() if len({each.sense for each in own}) > 1]
    shares = np.array([float(len(own)) for own in sure])
    drawn: list[Meeting] = []
    seen: set[frozenset[int]] = set()
    for _ in range(TRIES * number if sure else 0):
        own = sure[chance.choice(len(sure), p=shares / shares.sum())]
        one, other = (own[place] for place in chance.integers(len(own), size=2))
        pair = frozenset((id(one), id(other)))
        if set(one.senses) & set(other.senses) or one.sentence is other.sentence or pair in seen:
            continue
        seen.add(pair)
        strange = _without(one.lemma.rsplit("/", 1)[0], found, chance)
        if strange is None:
            continue
        both, second = joined(one.sentence, other.sentence)
        before, _ = joined(one.sentence, strange)
        after, begins = joined(strange, other.sentence)
        drawn.append(Meeting(one, other.sense, _at(one, both, one.place), _at(one, before, one.place)))
        drawn.append(
            Meeting(
                other,
                one.sense,
                _at(other, both, second + other.place),
                _at(other, after, begins + other.place),
            )
        )
        if len(drawn) == 2 * number:
            break
    return drawn


def _at(word: Occurrence, sentence: Sentence, place: int) -> Occurrence:
    return Occurrence(sentence, place, word.lemma, word.senses)


def _without(lemma: str, found: Sequence[Occurrence], chance: np.random.Generator) -> Sentence | None:
    """A sentence, drawn at random, in which the lemma does not stand; None if there is none among many."""
    for place in chance.integers(len(found), size=50):
        sentence = found[place].sentence
        if all((word.lemma or word.form).lower() != lemma for word in sentence.words):
            return sentence
    return None


def cosines(words: Sequence[Meeting], vectors: Vectors, known: dict[str, Centroids]) -> Cosines:
    """Of each word's vector, in the same order, with the centroid of its own sense and with that of the other."""
    found = np.zeros((len(words), 2))
    for row, (meeting, vector) in enumerate(zip(words, vectors, strict=True)):
        means = known[meeting.word.lemma]
        near = closeness(vector[None], means.means, "cosine")[0]
        found[row] = near[means.senses.index(meeting.word.sense)], near[means.senses.index(meeting.other)]
    return found


class Ratio(NamedTuple):
    """Mean cosine with the own and with the other centroid, their quotient, and how often the other is nearer.

    `lost`: the share of words that are nearer to their own centroid alone and to the other here, `won`: the reverse;
    `lost_beside_random`, `won_beside_random`: the same beside the words in sentences that were joined at random.
    """

    own: float
    other: float
    ratio: float
    misclassified: float
    lost: float
    won: float
    lost_beside_random: float
    won_beside_random: float
    n: int


def ratio(here: Cosines, alone: Cosines, at_random: Cosines) -> Ratio:
    """What the words' cosines amount to, beside those that the same words have elsewhere; NaN without words."""
    if not len(here):
        return Ratio(*[float("nan")] * 8, 0)
    own, other = here.mean(0)
    wrong, *elsewhere = (each[:, 1] > each[:, 0] for each in (here, alone, at_random))
    changes = [part for before in elsewhere for part in (wrong & ~before, before & ~wrong)]
    shares = (float(each.mean()) for each in (wrong, *changes))
    return Ratio(float(own), float(other), float(own / other), *shares, len(here))
