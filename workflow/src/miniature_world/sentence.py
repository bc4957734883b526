"""Sentences of the miniature world with their gold annotation, as CoNLL-U.

The ten columns follow Universal Dependencies v2; MISC holds further annotation:

======== ==========================================================================================
Chunk    base phrase, CoNLL-2000 style (``B-NP``, ``I-NP``, ``B-VP``, ``B-PP``, ...; absent: outside)
Entity   named entity, CoNLL-2003 style (``B-PER``, ``I-PER``, ``B-LOC``, ``B-ORG``; absent: none)
Role     PropBank-style roles with the predicate's index, ``A1:4`` (several with commas)
Sense    sense of a noun, verb or adjective, ``bank%2``
CCG      the word's category in Combinatory Categorial Grammar
Coref    entity of the paragraph that the phrase headed by this word refers to
======== ==========================================================================================
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from miniature_world.words.lexemes import Form, Lexeme


@dataclass(slots=True)
class Entity:
    """An entity of a paragraph: its first noun or name, number, natural gender (m, f or -) and class."""

    number_in_paragraph: int
    lexeme: Lexeme
    number: str
    natural: str
    group: str

    @property
    def pronoun(self) -> str:
        """The third-person pronoun that refers to it: the `refers` column of pronouns.tsv."""
        if self.number == "pl":
            return "any"
        return {"m": "male", "f": "female"}.get(self.natural, "thing") if self.group == "human" else "thing"


class WorldWord:
    """A word of a sentence: its form, its head, and its annotation.

    `head` is the word it depends on (None for the root), `index` counts from 1; `dependents` are in sentence order.
    `antecedent` is set for pronouns with an antecedent in the sentence (and for relative pronouns).
    """

    __slots__ = (
        *(
            "antecedent",
            "category",
            "chunk",
            "dependents",
            "entity",
            "form",
            "head",
            "index",
            "name",
            "number",
        ),
        *("relation", "roles", "subject", "use"),
    )

    def __init__(self, form: Form | None, relation: str, head: "WorldWord | None"):
        self.form, self.relation, self.head = form, relation, head
        self.dependents: list[WorldWord] = []
        self.roles: list[tuple[str, WorldWord]] = []
        self.index = 0
        self.number = "sg"
        self.use = ""
        self.chunk = self.name = self.category = ""
        self.entity = self.antecedent = self.subject = None

    @property
    def lexeme(self) -> Lexeme:
        """The lexeme this word is a form of."""
        return self.form.lexeme

    def __repr__(self) -> str:
        return f"{self.index}:{self.form.text if self.form else '?'}/{self.relation}"


@dataclass(slots=True)
class WorldSentence:
    """A sentence with its domain, paragraph (counted from 1) and number in the paragraph."""

    domain: str
    paragraph: int
    number: int
    words: list[WorldWord] = field(repr=False)
    root: WorldWord = field(repr=False)

    @property
    def tokens(self) -> list[str]:
        """The words as they are written (true-cased: only names and ``I`` begin with a capital letter)."""
        return [word.form.text for word in self.words]

    @property
    def text(self) -> str:
        """The tokens, one space between them."""
        return " ".join([word.form.text for word in self.words])

    @property
    def identifier(self) -> str:
        """``news-12-3``: third sentence of paragraph 12."""
        return f"{self.domain}-{self.paragraph}-{self.number}"


def _misc(words: list[WorldWord]) -> Iterator[str]:
    for word in words:
        parts = []
        if word.chunk:
            parts.append("Chunk=" + word.chunk)
        if word.name:
            parts.append("Entity=" + word.name)
        if word.roles:
            parts.append("Role=" + ",".join([f"{role}:{predicate.index}" for role, predicate in word.roles]))
        lexeme = word.form.lexeme
        if lexeme.kind in ("noun", "verb", "adjective"):
            parts.append("Sense=" + lexeme.sense_key)
        if word.category:
            parts.append("CCG=" + word.category)
        if word.entity is not None:
            parts.append(f"Coref={word.entity.number_in_paragraph}")
        yield "|".join(parts) or "_"


def to_conllu(sentence: WorldSentence) -> str:
    """One block of CoNLL-U, comments first, without the empty line that ends it.

    A paragraph is a document of its own (``newdoc id``, ``newpar``), so entity numbers hold within it.
    """
    lines = []
    if sentence.number == 1:
        lines += [f"# newdoc id = {sentence.domain}-{sentence.paragraph}", "# newpar"]
    lines += [
        f"# sent_id = {sentence.identifier}",
        f"# text = {sentence.text}",
        f"# domain = {sentence.domain}",
    ]
    for word, misc in zip(sentence.words, _misc(sentence.words), strict=True):
        head = word.head.index if word.head is not None else 0
        lines.append(f"{word.index}\t{word.form.columns}\t{head}\t{word.relation}\t_\t{misc}")
    return "\n".join(lines) + "\n"
