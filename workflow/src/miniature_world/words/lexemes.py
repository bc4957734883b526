"""A word of the lexicon: a lexeme (one lemma in one sense) and its inflected English forms."""

from dataclasses import dataclass, field


class Form:
    """One inflected English form of a lexeme; `columns` are its columns 2 to 6 of CoNLL-U, ready to be written."""

    __slots__ = ("columns", "feats", "lemma", "lexeme", "number", "person", "text", "upos", "xpos")

    def __init__(self, text: str, upos: str, xpos: str, feats: str, lexeme: "Lexeme", number="sg", person=3):
        self.text, self.lemma, self.upos, self.xpos = text, lexeme.lemma, upos, xpos
        self.feats, self.lexeme, self.number, self.person = feats or "_", lexeme, number, person
        self.columns = "\t".join((text, self.lemma, upos, xpos, self.feats))


@dataclass(eq=False, slots=True)
class Lexeme:
    """A lemma in one sense.

    `kind` is its part of the lexicon (noun, verb, name), `group` the frame of a verb, class of a noun or name, kind
    of an adverb or determiner, use of a preposition. `asks` has, per role (A0, A1, A2), the classes of nouns that may
    fill it; `forms` the English forms by name (``sg``, ``past``, ...); `stems` the invented stem per target language,
    if it has a word; `genders` and `cases` the gender of a noun, and the case a preposition governs. It is `ambiguous`
    if another lexeme has the same lemma and part of speech.
    """

    lemma: str
    kind: str
    group: str
    sense: int = 1
    natural: str = "-"
    frequency: float = 1.0
    definite: bool = False
    asks: dict[str, frozenset[str]] = field(default_factory=dict)
    forms: dict[str, Form] = field(default_factory=dict)
    stems: dict[str, str] = field(default_factory=dict)
    genders: dict[str, str] = field(default_factory=dict)
    cases: dict[str, str] = field(default_factory=dict)
    weights: tuple[float, ...] = ()
    ambiguous: bool = False
    decided_by: str = ""
    place: str = ""

    @property
    def sense_key(self) -> str:
        """The name of the sense, such as ``bank%2``."""
        return f"{self.lemma}%{self.sense}"
