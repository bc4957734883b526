"""Mentions of entities, candidate antecedents, and baseline rules (Clark et al. 2019, table 2).

An *anaphor* is a mention that an earlier one of the same entity precedes. A choice among candidates is right if it is
the head word of such an earlier mention. Rules choose a mention:

    nearest      the nearest other mention, the one before if two are equally near
    head-match   the nearest with the same head word; none if there is none
    sieves       the nearest of those with the same words, else with the same head word, else that agree in number,
                 gender and person, else of all (the first sieves of Lee et al. 2011)
    random       any candidate word: the expected share, not a draw
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from headwork.corpora.annotated.coreference import Document, Mention
from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word

MENTION_KINDS = ("pronoun", "proper", "nominal")
CANDIDATES = ("any-word", "other-mentions", "preceding-mentions")
RULES = ("nearest", "head-match", "sieves", "random")

# Number, gender and person of English pronouns, for words without these features; "" agrees with all values.
_PRONOUNS = {
    form: traits
    for forms, *traits in (
        ("i me my mine myself", "Sing", "", "1"),
        ("we us our ours ourselves", "Plur", "", "1"),
        ("you your yours yourself yourselves", "", "", "2"),
        ("he him his himself", "Sing", "Masc", "3"),
        ("she her hers herself", "Sing", "Fem", "3"),
        ("it its itself", "Sing", "Neut", "3"),
        ("they them their theirs themselves", "Plur", "", "3"),
    )
    for form in forms.split()
}
_TRAITS = ("Number", "Gender", "Person")


@dataclass(slots=True)
class MentionText(Sentence):
    """The words of a `Document` as those of one sentence, so that a batch can carry them, and its mentions in order."""

    mentions: tuple[Mention, ...] = ()

    @classmethod
    def of(cls, document: Document) -> "MentionText":
        """The whole document.

        Raises InputError for a mention that is not within the words, has its head outside, or is of no known kind.
        """
        count = len(document.words)
        for each in document.mentions:
            if not 0 <= each.start <= each.head < each.end <= count:
                raise InputError(
                    f"{document.name}: {each} must lie within the {count} words and contain its head; "
                    "correct the annotation"
                )
            if each.kind not in MENTION_KINDS:
                raise InputError(f"{document.name}: {each}: its kind must be {', '.join(MENTION_KINDS)}")
        pairs = zip(document.words, document.features, strict=True)
        words = [Word(form, feats=features) for form, features in pairs]
        return cls(words, mentions=tuple(sorted(document.mentions, key=lambda each: (each.head, each.start))))

    def first(self, words: int) -> "MentionText":
        """Return the first `words` words, with the mentions inside them."""
        return MentionText(
            self.words[:words], mentions=tuple(each for each in self.mentions if each.end <= words)
        )


class Anaphor(NamedTuple):
    """A mention to resolve, and the head words of the earlier mentions of its entity."""

    mention: Mention
    antecedents: frozenset[int]


def anaphors(text: MentionText) -> Iterator[Anaphor]:
    """Yield the mentions that are preceded, by head word, by another mention of the same entity."""
    for each in text.mentions:
        earlier = frozenset(
            other.head for other in text.mentions if other.entity == each.entity and other.head < each.head
        )
        if earlier:
            yield Anaphor(each, earlier)


def candidates(text: MentionText, anaphor: Anaphor, setting: str) -> list[int]:
    """Return the candidate words under one of CANDIDATES, in order, without the mention's own head."""
    own = anaphor.mention.head
    if setting == "any-word":
        return [word for word in range(len(text)) if word != own]
    return list(dict.fromkeys(other.head for other in _mentions(text, anaphor, setting)))


def _mentions(text: MentionText, anaphor: Anaphor, setting: str) -> list[Mention]:
    own = anaphor.mention.head
    if setting == "preceding-mentions":
        return [other for other in text.mentions if other.head < own]
    return [other for other in text.mentions if other.head != own]


def rules(texts: Iterable[MentionText]) -> pd.DataFrame:
    """rule, candidates, kind, accuracy, count: each rule on the anaphors of each kind, and of all.

    Rules that choose a mention have no rows for any-word candidates. The accuracy of a rule that chooses no mention in
    any text is NaN: in texts with two names and a pronoun (GAP), no other mention has the same head word.
    """
    right: dict[tuple[str, str, str], list[float]] = {}
    applied = set()
    for text in texts:
        for anaphor in anaphors(text):
            for setting in CANDIDATES:
                for rule, value in _answers(text, anaphor, setting):
                    if value is not None:
                        applied.add((rule, setting))
                    for kind in ("all", anaphor.mention.kind):
                        right.setdefault((rule, setting, kind), []).append(value or 0.0)
    rows = [
        (
            rule,
            setting,
            kind,
            sum(values) / len(values) if (rule, setting) in applied else math.nan,
            len(values),
        )
        for rule in RULES
        for setting in CANDIDATES
        for kind in ("all", *MENTION_KINDS)
        if (values := right.get((rule, setting, kind)))
    ]
    return pd.DataFrame(rows, columns=["rule", "candidates", "kind", "accuracy", "count"])


def _answers(text: MentionText, anaphor: Anaphor, setting: str) -> Iterator[tuple[str, float | None]]:
    """Yield each rule's score: 1, 0, None if it chooses no mention; for `random` the share of correct candidates."""
    words = candidates(text, anaphor, setting)
    yield "random", len(anaphor.antecedents.intersection(words)) / len(words)
    if setting == "any-word":
        return
    others, own = _mentions(text, anaphor, setting), anaphor.mention
    sieves: list[Callable[[Mention], bool]] = [
        lambda other: _string(text, other) == _string(text, own),
        lambda other: _head(text, other) == _head(text, own),
        lambda other: _agree(text.words[other.head], text.words[own.head]),
        lambda other: True,
    ]
    passed = [list(filter(sieve, others)) for sieve in sieves]
    chosen = {"nearest": others, "head-match": passed[1], "sieves": next(filter(None, passed))}
    for rule, mentions in chosen.items():
        nearest = min(mentions, key=lambda other: (abs(other.head - own.head), other.head), default=None)
        yield rule, None if nearest is None else float(nearest.head in anaphor.antecedents)


def _string(text: MentionText, mention: Mention) -> list[str]:
    return [form.lower() for form in text.forms[mention.start : mention.end]]


def _head(text: MentionText, mention: Mention) -> str:
    return text.words[mention.head].form.lower()


def _agree(one: Word, other: Word) -> bool:
    """Return whether number, gender and person agree wherever both are known."""
    return all(
        not first or not second or first & second
        for first, second in zip(_traits(one), _traits(other), strict=True)
    )


def _traits(word: Word) -> list[set[str]]:
    """Return number, gender and person, from features or as a pronoun; other words are third person."""
    default = _PRONOUNS.get(word.form.lower(), ["", "", "3"])
    values = (word.feats.get(name, known) for name, known in zip(_TRAITS, default, strict=True))
    return [set(filter(None, value.split(","))) for value in values]
