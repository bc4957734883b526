"""Random clauses: every word that fits by the lexicon is equally likely.

Sampling by frequency would reveal labels, since the replacement of a frequent word would mostly be rarer.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from miniature_world.generate import English
from miniature_world.grammar import DOMAINS
from miniature_world.slots import Slot
from miniature_world.tasks.clauses import Adjunct, Clause, NounPhrase, Wording
from miniature_world.tasks.relations import Relations
from miniature_world.words.lexemes import Lexeme

NAME, ADJECTIVE, CALLING, OPENING = 0.15, 0.4, 0.6, 0.15  # probabilities
TENSES = ("past", "past", "past", "present", "present", "have", "will")
OPENINGS = ("well", "oh")
TRIES = 60
# determiners whose meaning depends on other parts of the sentence
UNCLEAR = frozenset(("quantifier", "reflexive"))


class Misfit(Exception):
    """The sampled words do not fit together; the example is sampled again."""


class Drawer:
    """Draws phrases and clauses in the style of a domain; words to `avoid` never."""

    def __init__(
        self, world: English, relations: Relations, domain: str, seed: str, avoid: Iterable[Lexeme] = ()
    ):
        self.relations, self.random = relations, random.Random(seed)
        self.lexicon, self.slots = world.lexicon, world.slots
        self.domain, self._column = domain, DOMAINS.index(domain)
        self._plural = world.grammar.probabilities["plural"][self._column]
        self._avoid = frozenset(avoid)
        self._verbs = {
            frame: [verb for verb in self.lexicon.of("verb", frame) if verb not in self._avoid]
            for frame in ("transitive", "intransitive")
        }
        self._both_ways = [
            verb for verb in self._verbs["transitive"] if "human" in verb.asks["A0"] & verb.asks["A1"]
        ]
        known = [word for word in self.lexicon.of("determiner") if word.group not in UNCLEAR]
        self._determiners = {
            number: [word for word in known if word.forms["base"].number in (number, "any")]
            for number in ("sg", "pl")
        }
        self._shares = {
            number: list(accumulate(word.weights[self._column] for word in words))
            for number, words in self._determiners.items()
        }
        self._a = next(word for word in self.lexicon.of("determiner") if word.lemma == "a")
        self._nouns: dict[int, frozenset[Lexeme]] = {}
        self._groups: dict[tuple[str, str], list[Lexeme]] = {}

    # -- chance --------------------------------------------------------------------------------------------------

    def chance(self, probability: float = 0.5) -> bool:
        """True with that probability."""
        return self.random.random() < probability

    def one_of(self, things: Sequence, fits: Callable[..., bool] | None = None):
        """One of them (of those that fit), each as likely; Misfit if there is none, or it is not found."""
        for _ in range(TRIES if things else 0):
            thing = things[int(self.random.random() * len(things))]
            if fits is None or fits(thing):
                return thing
        raise Misfit

    def word(self, kind: str, group: str) -> Lexeme:
        """A word of that group of the lexicon."""
        return self.one_of(self.words(kind, group))

    def words(self, kind: str, group: str) -> list[Lexeme]:
        """The words of that group of the lexicon."""
        if (kind, group) not in self._groups:
            self._groups[kind, group] = self.lexicon.of(kind, group)
        return self._groups[kind, group]

    # -- phrases -------------------------------------------------------------------------------------------------

    def phrase(self, slot: Slot, names: bool = True, indefinite: bool = False) -> NounPhrase:
        """A noun phrase for a slot; an indefinite one has `a` or, in the plural, no determiner."""
        if names and slot.human and self.chance(NAME):
            return NounPhrase(self.word("name", self.one_of(("given", "surname"))))
        return self.around(self.one_of(slot.nouns.lexemes), indefinite)

    def around(self, noun: Lexeme, indefinite: bool = False) -> NounPhrase:
        """A noun phrase with that noun."""
        number = "pl" if self.chance(self._plural) else "sg"
        if indefinite:
            determiner = self._a if number == "sg" else None
        else:
            shares = self._shares[number]
            determiner = self.random.choices(self._determiners[number], cum_weights=shares)[0]
        phrase = NounPhrase(noun, number, determiner)
        return self.with_adjective(phrase) if self.chance(ADJECTIVE) else phrase

    def with_adjective(self, phrase: NounPhrase) -> NounPhrase:
        """The phrase with one more adjective before the others; Misfit where none fits."""
        if phrase.noun.kind == "name":
            raise Misfit
        taken = {word.lemma for word in phrase.adjectives}
        fitting = self.slots.accepting("adjective", "adjective", "A1", phrase.noun).lexemes
        adjective = self.one_of(fitting, lambda word: word not in self._avoid and word.lemma not in taken)
        return replace(phrase, adjectives=(adjective, *phrase.adjectives))

    def adjunct(self, role: str, indefinite: bool = False) -> Adjunct:
        """A place, a time or a manner."""
        if role == "AM-MNR" or (role == "AM-TMP" and self.chance()):
            return Adjunct(role, self.word("adverb", {"AM-MNR": "manner", "AM-TMP": "time"}[role]))
        preposition = self.word("preposition", role)
        slot = self.slots.slot(preposition, "object")
        if slot.place and self.chance(NAME):
            return Adjunct(role, preposition, NounPhrase(self.word("name", "place")))
        return Adjunct(role, preposition, self.phrase(slot, names=False, indefinite=indefinite))

    # -- clauses -------------------------------------------------------------------------------------------------

    def transitive(self, verb: Lexeme | None = None, indefinite: bool = False) -> Clause:
        """A clause with a subject and an object; `indefinite` is said of its object."""
        verb = verb or self.one_of(self._verbs["transitive"])
        subject = self.phrase(self.slots.slot(verb, "A0"))
        thing = self.phrase(self.slots.slot(verb, "A1"), names=not indefinite, indefinite=indefinite)
        return self._checked(Clause(verb, subject, thing, tense=self.one_of(TENSES)))

    def intransitive(self) -> Clause:
        """A clause with a subject alone."""
        verb = self.one_of(self._verbs["intransitive"])
        return Clause(verb, self.phrase(self.slots.slot(verb, "A0")), tense=self.one_of(TENSES))

    def both_ways(self, names: bool = True, indefinite: bool = False) -> Clause:
        """A transitive clause of two people, either of whom could have done it to the other."""
        verb = self.one_of(self._both_ways)
        slots = [self.slots.slot(verb, role) for role in ("A0", "A1")]
        people = [self.person(slots, names), self.person(slots, names and not indefinite, indefinite)]
        return self._checked(Clause(verb, *people, tense=self.one_of(TENSES)))

    def person(self, slots: Sequence[Slot], names: bool = True, indefinite: bool = False) -> NounPhrase:
        """Somebody who fits all of those slots."""
        if names and self.chance(NAME):
            return NounPhrase(self.word("name", self.one_of(("given", "surname"))))
        nouns = slots[0].nouns_of("human").lexemes
        noun = self.one_of(nouns, lambda noun: all(self.fits(noun, slot) for slot in slots[1:]))
        return self.around(noun, indefinite)

    def _checked(self, clause: Clause) -> Clause:
        """The clause; Misfit if subject and object are the same or related."""
        if clause.object is not None and self.relations.related(clause.subject.noun, clause.object.noun):
            raise Misfit
        return clause

    def wording(self, passive: bool = False, asks: str = "", front: str = "") -> Wording:
        """A wording in the style of the domain: subtitles call people and begin with interjections."""
        talk = self.domain == "subtitles"
        return Wording(
            passive,
            asks,
            front,
            opening=self.one_of(OPENINGS) if talk and self.chance(OPENING) else "",
            calling=self.word("name", "surname") if talk and self.chance(CALLING) else None,
        )

    # -- other words ---------------------------------------------------------------------------------------------

    def fits(self, noun: Lexeme, slot: Slot) -> bool:
        """Whether a noun or name may stand in that slot."""
        if noun.kind == "name":
            return slot.place if noun.group == "place" else slot.human
        if noun in self.relations.general:
            return noun.group in slot.allowed
        if id(slot) not in self._nouns:
            self._nouns[id(slot)] = frozenset(slot.nouns.lexemes)
        return noun in self._nouns[id(slot)]

    def slot_of(self, clause: Clause, name: str) -> Slot:
        """The slot of the subject, the object, or the noun behind the preposition of an adjunct."""
        if name.startswith("AM-"):
            return self.slots.slot(clause.part(name).word, "object")
        return self.slots.slot(clause.predicate, {"subject": "A0", "object": "A1"}[name])

    def accepts(self, verb: Lexeme, clause: Clause) -> bool:
        """Whether that transitive verb could stand in the clause instead of its own."""
        nouns = {"A0": clause.subject.noun, "A1": clause.object.noun}
        return all(self.fits(noun, self.slots.slot(verb, role)) for role, noun in nouns.items())

    def exchanged(self, clause: Clause, name: str, among: Sequence[Lexeme] = ()) -> Clause:
        """The clause with another, unrelated word in that part (one `among` those, if given); Misfit if none fits."""
        old = clause.part(name)
        if name == "predicate":
            verb = self.one_of(
                among or self._verbs["transitive"],
                lambda verb: not self.relations.related(old, verb) and self.accepts(verb, clause),
            )
            return clause.put(name, verb)
        if isinstance(old, NounPhrase):
            return self._checked(clause.put(name, self._other(old, self.slot_of(clause, name), among)))
        if old.phrase is not None:
            phrase = self._other(old.phrase, self.slot_of(clause, name), among)
            return clause.put(name, replace(old, phrase=phrase))
        adverbs = self.words("adverb", old.word.group)
        return clause.put(name, replace(old, word=self.one_of(adverbs, lambda word: word is not old.word)))

    def _other(self, phrase: NounPhrase, slot: Slot, among: Sequence[Lexeme]) -> NounPhrase:
        """The phrase with a noun of the same class, or a name, that has nothing to do with its own."""
        noun = phrase.noun
        strict = any(adjective.ambiguous for adjective in phrase.adjectives)
        known = self.words("name", noun.group) if noun.kind == "name" else among or slot.nouns.lexemes
        other = self.one_of(
            known,
            lambda other: (
                other.group == noun.group
                and self.fits(other, slot)
                and not (strict and other.ambiguous)
                and not self.relations.related(noun, other)
            ),
        )
        return replace(phrase, noun=other)
