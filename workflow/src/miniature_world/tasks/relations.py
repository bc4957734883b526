"""Lexical relations (synonyms, hypernyms) and sentiment, from TSV files.

A word is written as its lemma, or as ``lemma%sense`` where the lexicon has several senses.
"""

from functools import cache
from pathlib import Path

from miniature_world import english
from miniature_world.generate import english as read_english
from miniature_world.lexicon import Lexicon, Row, read_rows
from miniature_world.words.lexemes import Form, Lexeme

FILES = Path(__file__).parent
POLARITIES = {"+": 1, "-": -1, "reverses": 0}


class Relations:
    """The relations of a lexicon's words; `InputError`, with file and line, for a word that the lexicon does not have.

    `polarity` is +1 or -1 of a word with sentiment, `reversing` are words that reverse the sentiment of what they
    govern, `general` the nouns that others fall under, and `asking` the question words by what they ask for (a role,
    ``human``, ``human-object`` or ``other``).
    """

    def __init__(self, lexicon: Lexicon, folder: Path = FILES):
        self._lexicon = lexicon
        self.polarity: dict[Lexeme, int] = {}
        self.reversing: set[Lexeme] = set()
        for row in read_rows(folder / "sentiment.tsv"):
            sign = POLARITIES[row.one_of("polarity", frozenset(POLARITIES))]
            if sign:
                self.polarity[self._word(row, "word")] = sign
            else:
                self.reversing.add(self._word(row, "word"))
        self._synonym: dict[Lexeme, Lexeme] = {}
        for row in read_rows(folder / "synonyms.tsv"):
            pair = self._word(row, "word"), self._word(row, "synonym")
            for word, other in (pair, pair[::-1]):
                if self._synonym.setdefault(word, other) is not other:
                    raise row.error(f"{word.sense_key} has a synonym already; give each word one row")
        self.general = [self._general(row) for row in read_rows(folder / "hypernyms.tsv")]
        self.asking: dict[str, Lexeme] = {}
        for row in read_rows(folder / "question_words.tsv"):
            lexeme = Lexeme(row["lemma"], "pronoun", "question")
            lexeme.forms["base"] = Form(row["form"], row["upos"], row["xpos"], row["feats"], lexeme)
            self.asking[row["asks"]] = lexeme

    def _word(self, row: Row, column: str) -> Lexeme:
        lemma, _, sense = row[column].partition("%")
        found = [
            word
            for word in self._lexicon.of(row["kind"])
            if word.lemma == lemma and sense in ("", str(word.sense))
        ]
        if len(found) != 1:
            senses = ", ".join(word.sense_key for word in found) or "none"
            raise row.error(f"{row[column]!r} is not one {row['kind']} of the lexicon; it has {senses}")
        return found[0]

    def _general(self, row: Row) -> Lexeme:
        """The lexicon's own noun where it has one."""
        row.one_of("class", self._lexicon.classes)
        own = [noun for noun in self._lexicon.of("noun", row["class"]) if noun.lemma == row["word"]]
        if own:
            return own[0]
        lexeme = Lexeme(row["word"], "noun", row["class"], natural=row["natural"])
        lexeme.forms = english.noun(lexeme, row["plural"])
        return lexeme

    def synonym(self, word: Lexeme) -> Lexeme | None:
        """The word that says the same, if there is one."""
        return self._synonym.get(word)

    def with_synonyms(self, kind: str) -> list[Lexeme]:
        """All words of a kind that have a synonym."""
        return [word for word in self._synonym if word.kind == kind]

    def falls_under(self, noun: Lexeme, other: Lexeme) -> bool:
        """Whether whatever is a `noun` is an `other` too (a princess is a woman, a woman is a person)."""
        return (
            other in self.general
            and noun is not other
            and noun.group == other.group
            and noun.natural != "any"
            and other.natural in ("any", noun.natural)
        )

    def hypernyms(self, noun: Lexeme) -> list[Lexeme]:
        """The general nouns that a noun falls under."""
        return [other for other in self.general if self.falls_under(noun, other)]

    def related(self, word: Lexeme, other: Lexeme) -> bool:
        """Whether two words are the same, synonyms, or one falls under the other."""
        return (
            word is other
            or word.lemma == other.lemma
            or self.synonym(word) is other
            or self.falls_under(word, other)
            or self.falls_under(other, word)
        )


@cache
def relations() -> Relations:
    """The relations between the words of the world, read once."""
    return Relations(read_english().lexicon)
