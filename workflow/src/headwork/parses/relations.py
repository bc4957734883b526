"""Dependency relations of trees, and offsets of dependents from their heads.

Voita et al. (2019), section 5.2.1, figure 3 and table 1: the share of the most common offset between a dependent and
its head is the positional baseline that a head must beat to count as syntactic. Footnote: persons of the subjects.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pandas as pd

from headwork.parses.conllu import Sentence, Word, read_trees
from headwork.run.frame import Files
from headwork.settings.parses import Relations

log = logging.getLogger(__name__)

# English pronouns, for trees without the feature Person; every other subject is of the third person.
_PERSONS = {"i": "1", "we": "1", "you": "2"}


class Instance(NamedTuple):
    """One relation between two words of a sentence, counted from 0."""

    relation: str
    dependent: int
    head: int

    @property
    def offset(self) -> int:
        """The offset of the dependent from its head in words: -1 is directly before it."""
        return self.dependent - self.head


def instances(sentence: Sentence, relations: Relations) -> Iterator[Instance]:
    """The relations of interest in a sentence, in the order of the dependents."""
    for place, word in enumerate(sentence.words):
        relation = relations.label(word.deprel)
        if relation is not None and word.head:
            yield Instance(relation, place, word.head - 1)


def count_offsets(sentences: Iterable[Sentence], relations: Relations) -> pd.DataFrame:
    """Count the offsets of dependents from their heads, in words: columns relation, offset, count.

    Rows are in the order of the relations' names, then of the offsets; the log names relations that never occur.
    """
    counts = Counter(
        (each.relation, each.offset) for sentence in sentences for each in instances(sentence, relations)
    )
    names = list(dict.fromkeys(relations.aliases.get(name, name) for name in relations.names))
    seen = {relation for relation, _ in counts}
    for name in names:
        if name not in seen and relations.label(name):  # excluded relations are expected not to occur
            log.warning("relation '%s' does not occur in the trees", name)
    order = {name: place for place, name in enumerate(names)}
    rows = sorted(counts.items(), key=lambda item: (order[item[0][0]], item[0][1]))
    return pd.DataFrame(
        [(relation, offset, count) for (relation, offset), count in rows],
        columns=["relation", "offset", "count"],
    )


def baselines(offsets: pd.DataFrame) -> pd.DataFrame:
    """The most common offset of each relation and its share, the positional baseline; count is of all instances.

    `offsets` is what `count_offsets` gives, perhaps with a column `seen`: offsets that are not seen are no baseline.
    Columns relation, offset, share, count. Of equally common offsets the nearest is named, then the one before the
    head.
    """
    rows = []
    for relation, own in offsets.groupby("relation", sort=False):
        total, counts = int(own["count"].sum()), own["count"] * own.get("seen", 1)
        best = min(zip(own["offset"], counts, strict=True), key=lambda row: (-row[1], abs(row[0]), row[0]))
        rows.append((relation, int(best[0]), best[1] / total, total))
    return pd.DataFrame(rows, columns=["relation", "offset", "share", "count"])


def person_of(word: Word) -> str:
    """The grammatical person of a subject, ``1``, ``2`` or ``3``: its feature Person, or what pronoun it is."""
    return word.feats.get("Person", "").split(",")[0] or _PERSONS.get(word.form.lower(), "3")


def count_persons(sentences: Iterable[Sentence], relations: Relations) -> pd.DataFrame:
    """Count subjects by grammatical person: columns person ("1", "2", "3") and count."""
    counts = Counter(
        person_of(sentence.words[each.dependent])
        for sentence in sentences
        for each in instances(sentence, relations)
        if each.relation == "nsubj"
    )
    return pd.DataFrame([(person, counts[person]) for person in "123"], columns=["person", "count"])


def count_relations(input: Files, output: Files, relations: Relations) -> None:
    """Count in `trees` (CoNLL-U) where dependents stand from their heads, and the persons of the subjects.

    Writes `relations` (csv, see `count_offsets`) and `persons` (csv, see `count_persons`).
    """
    for count, path in ((count_offsets, output.relations), (count_persons, output.persons)):
        count(read_trees(input.trees), relations).to_csv(path, index=False, lineterminator="\n")
