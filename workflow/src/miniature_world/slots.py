"""Selectional restrictions: weighted choice of lexemes that fit a slot and disambiguate senses.

A *slot* is one argument of one lexeme (A1 of ``open``, the object of ``in``). A noun fits if its class is among those
required. An ambiguous noun fits only if exactly one of its senses does, given all senses of the governing word, and
never if it disambiguates that word. Thus every English sentence has one reading.
"""

from bisect import bisect
from collections.abc import Iterable
from itertools import accumulate

from miniature_world.lexicon import Lexicon
from miniature_world.words.lexemes import Lexeme


class Urn:
    """Lexemes for sampling by frequency."""

    __slots__ = ("lexemes", "sums", "total")

    def __init__(self, lexemes: Iterable[Lexeme]):
        self.lexemes = list(lexemes)
        self.sums = list(accumulate(lexeme.frequency for lexeme in self.lexemes))
        self.total = self.sums[-1] if self.sums else 0.0

    def draw(self, random: float) -> Lexeme:
        """The lexeme at that share (0 <= random < 1) of the total frequency."""
        return self.lexemes[bisect(self.sums, random * self.total)]


class Slot:
    """An argument to be filled: the noun classes `allowed`, the nouns that fit, whether a pronoun or a name may stand
    there. A pronoun may not where the noun decides the sense of the governing word.
    """

    __slots__ = ("_by_group", "allowed", "human", "names", "nouns", "place", "pronouns")

    def __init__(self, allowed: frozenset[str], nouns: Urn, pronouns: bool):
        self.allowed, self.nouns, self.pronouns = allowed, nouns, pronouns
        self.human, self.place = "human" in allowed, "place" in allowed
        self.names = self.human or self.place
        self._by_group: dict[str, Urn] = {}

    def nouns_of(self, group: str) -> Urn:
        """The nouns of one class among those that fit."""
        if group not in self._by_group:
            self._by_group[group] = Urn(noun for noun in self.nouns.lexemes if noun.group == group)
        return self._by_group[group]


class Slots:
    """All slots of a lexicon, made on first use, and the predicates that accept a given noun."""

    def __init__(self, lexicon: Lexicon):
        self.lexicon = lexicon
        self._nouns = lexicon.of("noun")
        self._senses: dict[str, list[Lexeme]] = {}
        for noun in self._nouns:
            self._senses.setdefault(noun.lemma, []).append(noun)
        self._rivals: dict[tuple[str, str, str], list[Lexeme]] = {}
        for kind in ("verb", "adjective", "preposition"):
            for lexeme in lexicon.of(kind):
                group = "" if kind == "preposition" else lexeme.group
                self._rivals.setdefault((kind, lexeme.lemma, group), []).append(lexeme)
        self._slots: dict[tuple[int, str], Slot] = {}
        self._accepting: dict[tuple, Urn] = {}

    def slot(self, asking: Lexeme, role: str) -> Slot:
        """The slot of that role (``object`` for a preposition) of the lexeme that asks."""
        key = (id(asking), role)
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = self._make(asking, role)
        return slot

    def _make(self, asking: Lexeme, role: str) -> Slot:
        group = "" if asking.kind == "preposition" else asking.group
        rivals = self._rivals[asking.kind, asking.lemma, group]
        competing = frozenset().union(*(rival.asks.get(role, frozenset()) for rival in rivals))
        deciding = asking.decided_by == role
        nouns = [
            noun
            for noun in self._nouns
            if noun.group in asking.asks[role]
            and (
                not noun.ambiguous
                or (not deciding and sum(sense.group in competing for sense in self._senses[noun.lemma]) == 1)
            )
        ]
        return Slot(asking.asks[role], Urn(nouns), pronouns=not deciding)

    def accepting(self, kind: str, group: str, role: str, noun: Lexeme) -> Urn:
        """Verbs of a frame (or adjectives) that accept that noun or name in that role.

        Ambiguous nouns get only predicates of one sense, since the two could otherwise not disambiguate each other.
        """
        noun_group = "human" if noun.kind == "name" and noun.group != "place" else noun.group
        key = (kind, group, role, noun_group, noun.ambiguous)
        urn = self._accepting.get(key)
        if urn is None:
            urn = self._accepting[key] = Urn(
                lexeme
                for lexeme in self.lexicon.of(kind, group)
                if noun_group in lexeme.asks.get(role, ()) and not (noun.ambiguous and lexeme.ambiguous)
            )
        return urn
