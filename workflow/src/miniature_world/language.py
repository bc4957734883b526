"""A target language: endings, word orders and links between words, from ``languages/<name>.yaml``, checked."""

from pathlib import Path
from typing import NamedTuple

import yaml

from headwork.errors import InputError
from miniature_world.words.lexemes import Lexeme

NUMBERS = ("sg", "pl")
CLAUSE = (
    "mark cc opening front question subject negation frequency auxiliary head degree manner agent recipient object "
    "place company time complement reason second"
)
CLAUSE_SLOTS = frozenset(CLAUSE.split())
OPTIONAL_SLOTS = frozenset(("clitic", "prefix"))
NOMINAL = "cc case determiner numeral possessor adjective compound head flat modifier relative second"
NOMINAL_SLOTS = frozenset(NOMINAL.split())
CONDITIONS = ("agent", "known object", "main", "any")
NONFINITE = frozenset(("infinitive", "participle", "gerund", "imperative"))
KEYS = frozenset(
    (
        *(
            "language",
            "genders",
            "cases",
            "noun",
            "adjective",
            "determiner",
            "pronoun",
            "past",
            "present",
            "nonfinite",
        ),
        *(
            "participles agree",
            "marks",
            "tense of silent have",
            "cases of relations",
            "verbs govern",
            "agent is subject",
            "orders",
        ),
        *("nominal", "links"),
    )
)
Endings = dict[tuple[str, str, int], str]

# Kinds of words whose ending depends on the rarest name of the sentence, each on another of its letters.
HEARERS = ("nouns", "verbs", "modifiers", "others")
PLACES = {"first": 0, "second": 1, "third": 2, "last": -1}


class Links(NamedTuple):
    """Endings of words that depend on letters of neighbouring words or of the rarest name.

    Attributes:
        letters: final letters that form one class for neighbouring words; all others form the second class.
        after, before: endings of words after, and before, a word of the first class.
        rarest: ending of words if the rarest name of the sentence has one of their letters.
        heard: per kind of word (`HEARERS`), the position in the name, from 0 (-1: the last), and the letters.
    """

    letters: frozenset[str]
    after: str
    before: str
    rarest: str
    heard: dict[str, tuple[int, frozenset[str]]]

    def hears(self, hearer: str, word: str) -> bool:
        """Returns whether `word` has one of the letters of that kind at its position; False if it is too short."""
        place, letters = self.heard[hearer]
        return word[place:][:1].lower() in letters


class Language:
    """The compiled tables of one language.

    Attributes:
        endings: per part of speech, (number, gender, case index) to an ending.
        finite: (tense, number, gender, person) to an ending.
        orders: pairs of a condition and the rank of every slot, in the order they are tried.
        links: endings that depend on other words (`Links`).

    Raises:
        InputError: with the file and the key, for whatever is missing, unknown or of the wrong shape.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            data = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError) as error:
            raise InputError.at(path, f"the language cannot be read: {error}") from error
        if unknown := set(data) - KEYS:
            raise self._error(min(unknown), f"unknown key; known are {', '.join(sorted(KEYS))}")
        if missing := KEYS - set(data) - {"tense of silent have", "verbs govern"}:
            raise self._error(min(missing), "this key is missing")
        self.name: str = data["language"]
        self.genders: list[str] = data["genders"]
        self.cases: dict[str, int] = {case: index for index, case in enumerate(data["cases"])}
        self.endings: dict[str, Endings] = {}
        for part in ("noun", "adjective", "determiner", "pronoun"):
            table = data[part]
            self.endings[part] = self.endings[table] if isinstance(table, str) else self._endings(part, table)
        self.finite = {
            (tense, number, gender, person): ending
            for tense in ("past", "present")
            for (number, gender, person), ending in self._finite(tense, data[tense]).items()
        }
        self.nonfinite: dict[str, str] = data["nonfinite"]
        if set(self.nonfinite) != NONFINITE:
            raise self._error("nonfinite", f"must give exactly {', '.join(sorted(NONFINITE))}")
        self.participles_agree: str = data["participles agree"] or ""
        self.marks: dict[str, str] = data["marks"]
        self.silent_have_tense: str = data.get("tense of silent have", "")
        self.case_of = {
            relation: self._case(f"cases of relations: {relation}", case)
            for relation, case in data["cases of relations"].items()
        }
        self._objects = {
            lemma: self._case(f"verbs govern: {case}", case)
            for case, lemmas in data.get("verbs govern", {}).items()
            for lemma in lemmas
        }
        self.agent_is_subject: bool = data["agent is subject"]
        self.orders = [self._order(order) for order in data["orders"]]
        if self.orders[-1][0] != "any":
            raise self._error("orders", "the last order must hold for `any` clause")
        self.nominal = self._ranks("nominal", data["nominal"], NOMINAL_SLOTS, frozenset())
        self.links = self._links(data["links"])
        self._governed: dict[Lexeme, int] = {}

    def _error(self, key: str, message: str) -> InputError:
        return InputError.at(self.path, f"{key}: {message}")

    def _endings(self, part: str, table: dict) -> Endings:
        found: Endings = {}
        for number in NUMBERS:
            for gender in self.genders:
                try:
                    value = table[number][gender]
                except (KeyError, TypeError):
                    raise self._error(part, f"no endings for {number} {gender}") from None
                endings = [value] * len(self.cases) if isinstance(value, str) else value
                if len(endings) != len(self.cases):
                    raise self._error(
                        part, f"{number} {gender} has {len(endings)} endings for {len(self.cases)} cases"
                    )
                for case, ending in enumerate(endings):
                    if not isinstance(ending, str):
                        raise self._error(
                            part, f"the ending {ending!r} is not text in YAML; put it in quotes"
                        )
                    found[number, gender, case] = ending
        return found

    def _finite(self, tense: str, table: dict) -> dict[tuple[str, str, int], str]:
        found = {}
        for number in NUMBERS:
            row = table.get(number)
            for gender in self.genders:
                for person in (1, 2, 3):
                    try:
                        found[number, gender, person] = (
                            row[person - 1] if isinstance(row, list) else row[gender]
                        )
                    except (KeyError, IndexError, TypeError):
                        raise self._error(
                            tense, f"no ending for {number} {gender}, person {person}"
                        ) from None
        return found

    def _case(self, key: str, case: str) -> int:
        if case not in self.cases:
            raise self._error(key, f"unknown case {case!r}; known are {', '.join(self.cases)}")
        return self.cases[case]

    def _order(self, order: dict) -> tuple[str, dict[str, int]]:
        if (when := order.get("when")) not in CONDITIONS:
            raise self._error("orders", f"unknown condition {when!r}; known are {', '.join(CONDITIONS)}")
        return when, self._ranks(f"orders: {when}", order.get("clause", []), CLAUSE_SLOTS, OPTIONAL_SLOTS)

    def _ranks(
        self, key: str, slots: list[str], needed: frozenset[str], optional: frozenset[str]
    ) -> dict[str, int]:
        if unknown := set(slots) - needed - optional:
            raise self._error(
                key, f"unknown slot {min(unknown)!r}; known are {', '.join(sorted(needed | optional))}"
            )
        if missing := needed - set(slots):
            raise self._error(key, f"the slot {min(missing)!r} is missing")
        return {slot: rank for rank, slot in enumerate(slots)}

    def _links(self, table: dict) -> Links:
        wanted = {"neighbours": {"letters", "after", "before"}, "rarest": {"ending", *HEARERS}}
        for part, keys in wanted.items():
            if set(table.get(part, ())) != keys:
                raise self._error("links", f"{part} must give exactly {', '.join(sorted(keys))}")
        near, rarest = table["neighbours"], table["rarest"]
        heard = {}
        for hearer in HEARERS:
            place, letters = rarest[hearer]
            if place not in PLACES:
                raise self._error("links", f"{hearer}: no {place!r} letter; known are {', '.join(PLACES)}")
            heard[hearer] = PLACES[place], frozenset(letters)
        return Links(frozenset(near["letters"]), near["after"], near["before"], rarest["ending"], heard)

    def mark(self, auxiliary: str) -> str:
        """Returns the letters on the verb for an unexpressed auxiliary; InputError if the file lacks them."""
        if auxiliary not in self.marks:
            raise self._error(
                "marks", f"auxiliaries.tsv has no word for {auxiliary!r}, so its letters must be given here"
            )
        return self.marks[auxiliary]

    def object_case(self, verb: Lexeme) -> int:
        """Index of the case in which that verb wants its object."""
        return self._objects.get(verb.lemma, self.case_of["obj"])

    def governed(self, preposition: Lexeme) -> int:
        """Returns the index of the case a preposition governs; InputError if the language lacks the case in the
        lexicon.
        """
        case = self._governed.get(preposition)
        if case is None:
            name = preposition.cases[self.name]
            if name not in self.cases:
                raise InputError(
                    f"{preposition.place}: {self.name} has no case {name!r}; it has {', '.join(self.cases)}"
                )
            case = self._governed[preposition] = self.cases[name]
        return case
