"""A target language: endings, word orders and links between words, from ``languages/<name>.yaml``."""

from pathlib import Path
from typing import NamedTuple

import yaml

from headwork.errors import InputError
from miniature_world.words.lexemes import Lexeme

NUMBERS = ("sg", "pl")
# Kinds of words whose ending depends on the rarest name of the sentence, each on another of its letters.
HEARERS = ("nouns", "verbs", "modifiers", "others")
PLACES = {"first": 0, "second": 1, "third": 2, "last": -1}

Endings = dict[tuple[str, str, int], str]


class Links(NamedTuple):
    """Endings of words that depend on letters of neighbouring words or of the rarest name.

    `letters` are the final letters that form one class for neighbouring words; `after` and `before` are the endings of
    words after, and before, a word of that class, `rarest` that of words if the rarest name of the sentence has one of
    their letters. `heard` has, per kind of word (`HEARERS`), the position in the name, from 0 (-1: the last), and the
    letters.
    """

    letters: frozenset[str]
    after: str
    before: str
    rarest: str
    heard: dict[str, tuple[int, frozenset[str]]]

    def hears(self, hearer: str, word: str) -> bool:
        """Whether `word` has one of the letters of that kind at its position; False if it is too short."""
        place, letters = self.heard[hearer]
        return word[place:][:1].lower() in letters


class Language:
    """The compiled tables of one language.

    `endings` are those of a part of speech by (number, gender, case index), `finite` those of verbs by (tense, number,
    gender, person); `orders` are pairs of a condition and the rank of every slot, in the order they are tried. Raises
    `InputError` for an ending that is no text, as YAML reads `no` without quotes.
    """

    def __init__(self, path: Path):
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        self.name: str = data["language"]
        self.genders: list[str] = data["genders"]
        self.cases: dict[str, int] = {case: index for index, case in enumerate(data["cases"])}
        self.endings: dict[str, Endings] = {}
        for part in ("noun", "adjective", "determiner", "pronoun"):
            table = data[part]
            self.endings[part] = self.endings[table] if isinstance(table, str) else self._endings(table)
        self.finite = {
            (tense, number, gender, person): row[person - 1] if isinstance(row, list) else row[gender]
            for tense in ("past", "present")
            for number, row in data[tense].items()
            for gender in self.genders
            for person in (1, 2, 3)
        }
        self.nonfinite: dict[str, str] = data["nonfinite"]
        tables = (self.finite, self.nonfinite, *self.endings.values())
        for ending in (ending for table in tables for ending in table.values()):
            if not isinstance(ending, str):
                raise InputError.at(path, f"the ending {ending!r} is not text in YAML; put it in quotes")
        self.participles_agree: str = data["participles agree"] or ""
        self.marks: dict[str, str] = data["marks"]
        self.silent_have_tense: str = data.get("tense of silent have", "")
        self.case_of = {relation: self.cases[case] for relation, case in data["cases of relations"].items()}
        self._objects = {
            lemma: self.cases[case]
            for case, lemmas in data.get("verbs govern", {}).items()
            for lemma in lemmas
        }
        self.agent_is_subject: bool = data["agent is subject"]
        self.orders = [(order["when"], _ranks(order["clause"])) for order in data["orders"]]
        self.nominal = _ranks(data["nominal"])
        near, rarest = data["links"]["neighbours"], data["links"]["rarest"]
        heard = {hearer: (PLACES[rarest[hearer][0]], frozenset(rarest[hearer][1])) for hearer in HEARERS}
        self.links = Links(frozenset(near["letters"]), near["after"], near["before"], rarest["ending"], heard)

    def _endings(self, table: dict) -> Endings:
        """The endings of a table; one that is the same in all cases stands there once."""
        found: Endings = {}
        for number in NUMBERS:
            for gender in self.genders:
                value = table[number][gender]
                endings = [value] * len(self.cases) if isinstance(value, str) else value
                for case, ending in zip(self.cases.values(), endings, strict=True):
                    found[number, gender, case] = ending
        return found

    def object_case(self, verb: Lexeme) -> int:
        """Index of the case in which that verb wants its object."""
        return self._objects.get(verb.lemma, self.case_of["obj"])

    def governed(self, preposition: Lexeme) -> int:
        """Index of the case that a preposition governs."""
        return self.cases[preposition.cases[self.name]]


def _ranks(slots: list[str]) -> dict[str, int]:
    return {slot: rank for rank, slot in enumerate(slots)}
