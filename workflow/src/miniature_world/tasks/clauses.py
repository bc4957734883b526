"""Content of a sentence (clauses with their noun phrases), and its wording.

All classes are frozen, so that clauses with equal content are equal.
"""

from dataclasses import dataclass, replace

from miniature_world.words.lexemes import Lexeme


@dataclass(frozen=True)
class NounPhrase:
    """A noun or name with its determiner and adjectives."""

    noun: Lexeme
    number: str = "sg"
    determiner: Lexeme | None = None
    adjectives: tuple[Lexeme, ...] = ()


@dataclass(frozen=True)
class Adjunct:
    """Where, when or how: a preposition with its noun phrase, or an adverb. `role` is its semantic role."""

    role: str
    word: Lexeme
    phrase: NounPhrase | None = None


@dataclass(frozen=True)
class Clause:
    """Who does what to whom.

    The predicate is a verb, or an adjective said of the subject, which is that of the active clause; `tense` is
    ``past``, ``present``, ``have``, or a modal's key, `middle` an adverb before the verb, `control` a verb that governs
    the predicate, as in "refused to ...", and `degree` an adverb before the adjective.
    """

    predicate: Lexeme
    subject: NounPhrase
    object: NounPhrase | None = None
    adjuncts: tuple[Adjunct, ...] = ()
    tense: str = "past"
    negated: bool = False
    middle: Lexeme | None = None
    control: Lexeme | None = None
    degree: Lexeme | None = None

    def part(self, name: str) -> "NounPhrase | Adjunct | Lexeme | None":
        """The predicate, subject, object, or the adjunct of that role."""
        if name.startswith("AM-"):
            return next((adjunct for adjunct in self.adjuncts if adjunct.role == name), None)
        return getattr(self, name)

    def put(self, name: str, new: "NounPhrase | Adjunct | Lexeme | None") -> "Clause":
        """The clause with that part exchanged (an adjunct: added if it was not there, dropped for None)."""
        if not name.startswith("AM-"):
            return replace(self, **{name: new})
        if self.part(name) is None:
            return replace(self, adjuncts=(*self.adjuncts, new))
        kept = [new if adjunct.role == name else adjunct for adjunct in self.adjuncts]
        return replace(self, adjuncts=tuple(adjunct for adjunct in kept if adjunct is not None))


@dataclass(frozen=True)
class Wording:
    """Wording of a clause.

    `asks` is empty for a statement, ``?`` for a question of yes or no, else the role that is asked for; `front` is the
    role of the adjunct that stands at the beginning; a second clause, always active, is the `other`, with its
    conjunction, `link`; `opening` and `calling` are an interjection before, and somebody's name behind.
    """

    passive: bool = False
    asks: str = ""
    front: str = ""
    link: str = ""
    other: Clause | None = None
    other_first: bool = False
    opening: str = ""
    calling: Lexeme | None = None


Said = tuple[Clause, Wording]
