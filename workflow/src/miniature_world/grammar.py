"""The English grammar: ``grammar.yaml``, checked and compiled for `generate`.

Every symbol is compiled into a list of alternatives with cumulative weights per domain, every item into a tuple that
begins with its kind, so that generation does not parse the file's text.
"""

import re
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import yaml

from headwork.errors import InputError
from miniature_world.lexicon import Lexicon
from miniature_world.words.lexemes import Lexeme

DOMAINS = ("news", "subtitles")
HEAD, HEAD_PHRASE, PHRASE, LITERAL, PART = range(5)
NUMBERS = ("sg", "pl")
HEAD_KINDS = {
    "verb": "verb",
    "adjective": "adjective",
    "noun": "noun",
    "name": "name",
    "pronoun": "pronoun",
    "relative": "pronoun",
    "determiner": "determiner",
    "adverb": "adverb",
    "again": None,
}
FUNCTION_KINDS = ("particle", "auxiliary", "adverb", "determiner")
ITEM = re.compile(
    r"""(?: <(?P<part>\w+)>
        | HEAD=(?P<head_phrase>\w+)
        | (?P<head>HEAD) (?: :(?P<head_form>[\w-]+) )?
        | (?P<relation>[a-z:]+)= (?: (?P<phrase>\w+) (?: \((?P<argument>[\w-]+)(?:,(?P<use>[\w-]+))?\) )?
                                   | '(?P<literal>[^']+)' (?: :(?P<form>[\w|-]+) )? )
        ) (?: \?(?P<probability>\w+) )?$""",
    re.VERBOSE,
)


@dataclass(slots=True)
class Alternative:
    """One expansion of a phrase or part: its head's kind and group, the gap it fills, its items in English order."""

    symbol: str
    weights: list[float]
    items: list[tuple]
    head: str = ""
    group: str = ""
    gap: str = ""
    when: str = ""


@dataclass(slots=True)
class Chooser:
    """Alternatives with the running sums of their weights, one list per domain."""

    alternatives: list[Alternative]
    sums: list[list[float]] = field(init=False)

    def __post_init__(self):
        self.sums = [
            list(accumulate(way.weights[domain] for way in self.alternatives))
            for domain in range(len(DOMAINS))
        ]


class Grammar:
    """The compiled grammar: `phrases[symbol]` and `parts[symbol][number]` are choosers.

    Raises:
        InputError: with the file and the key, for an unknown symbol, word, form, probability, class or key.
    """

    def __init__(self, path: Path, lexicon: Lexicon):
        self.path, self.lexicon = path, lexicon
        try:
            data = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError) as error:
            raise InputError.at(path, f"the grammar cannot be read: {error}") from error
        if tuple(data.get("domains", ())) != DOMAINS:
            raise InputError.at(path, f"domains: must be {list(DOMAINS)}")
        self.probabilities = {
            key: self._pair(f"probabilities: {key}", value) for key, value in data["probabilities"].items()
        }
        self.adverb_roles: dict[str, str] = data["adverb roles"]
        self._symbols = {"parts": data["parts"], "phrases": data["phrases"]}
        self._uses = {lexeme.group for lexeme in lexicon.of("preposition")}
        for name in ("plural",):
            self._probability(name, "probabilities")
        compiled = {
            kind: {
                symbol: [self._alternative(kind, symbol, n, way) for n, way in enumerate(ways, 1)]
                for symbol, ways in table.items()
            }
            for kind, table in self._symbols.items()
        }
        self.phrases = {symbol: Chooser(ways) for symbol, ways in compiled["phrases"].items()}
        self.parts = {
            symbol: {number: Chooser([way for way in ways if way.when in ("", number)]) for number in NUMBERS}
            for symbol, ways in compiled["parts"].items()
        }
        for symbol in ("Sentence",):
            if symbol not in self.parts:
                raise InputError.at(path, f"parts: {symbol} is missing; every sentence begins with it")

    def _error(self, where: str, message: str) -> InputError:
        return InputError.at(self.path, f"{where}: {message}")

    def _pair(self, where: str, value) -> list[float]:
        if not (
            isinstance(value, list)
            and len(value) == len(DOMAINS)
            and all(isinstance(x, int | float) and x >= 0 for x in value)
        ):
            raise self._error(where, f"needs one number per domain, such as [3, 1], not {value!r}")
        return [float(x) for x in value]

    def _probability(self, name: str, where: str) -> list[float]:
        if name not in self.probabilities:
            raise self._error(
                where, f"unknown probability {name!r}; known are {', '.join(self.probabilities)}"
            )
        return self.probabilities[name]

    def _alternative(self, kind: str, symbol: str, number: int, way: dict) -> Alternative:
        where = f"{kind}: {symbol}, alternative {number}"
        if unknown := set(way) - {"weight", "is", "head", "gap", "when"}:
            raise self._error(where, f"unknown key {min(unknown)!r}; known are weight, is, head, gap, when")
        if "weight" not in way or "is" not in way:
            raise self._error(where, "needs the keys weight and is")
        head, _, group = str(way.get("head", "")).partition(" ")
        if head and head not in HEAD_KINDS:
            raise self._error(where, f"unknown head {head!r}; known are {', '.join(HEAD_KINDS)}")
        groups = {lexeme.group for lexeme in self.lexicon.of(HEAD_KINDS.get(head) or "")} | {
            "subject",
            "object",
        }
        if group and group not in groups:
            raise self._error(
                where, f"the lexicon has no {head} of the group {group!r}; it has {', '.join(sorted(groups))}"
            )
        if (gap := way.get("gap", "")) not in ("", "A0", "A1", "A2"):
            raise self._error(where, f"gap {gap!r} is none of A0, A1, A2")
        if (when := way.get("when", "")) and when not in NUMBERS and when not in self.lexicon.classes:
            raise self._error(where, f"when: {when!r} is neither sg nor pl nor a class of nouns.tsv")
        items = [self._item(where, text, kind) for text in str(way["is"]).split()]
        heads = sum(item[0] in (HEAD, HEAD_PHRASE) for item in items)
        if kind == "phrases" and (heads > 1 or (heads == 0 and not any(item[0] == PART for item in items))):
            raise self._error(where, "a phrase has exactly one HEAD")
        return Alternative(symbol, self._pair(where, way["weight"]), items, head, group, gap, when)

    def _item(self, where: str, text: str, kind: str) -> tuple:
        match = ITEM.match(text)
        if match is None:
            raise self._error(where, f"cannot read the item {text!r}")
        found = match.groupdict()
        chance = self._probability(found["probability"], where) if found["probability"] else None
        if found["part"]:
            self._known("parts", found["part"], where)
            return PART, found["part"], chance
        if found["head_phrase"]:
            self._known("phrases", found["head_phrase"], where)
            return HEAD_PHRASE, found["head_phrase"], chance
        if found["head"]:
            return HEAD, found["head_form"] or "", chance
        if found["phrase"]:
            self._known("phrases", found["phrase"], where)
            argument, use = found["argument"] or "", found["use"] or ""
            if argument not in ("", "A0", "A1", "A2"):
                argument, use = "", argument
            if use and use not in self._uses:
                raise self._error(
                    where,
                    f"prepositions.tsv has no preposition for {use!r}; it has {', '.join(sorted(self._uses))}",
                )
            return PHRASE, found["relation"], found["phrase"], argument, use, chance
        words = [self._word(where, lemma) for lemma in found["literal"].split("|")]
        forms = (found["form"] or "base").split("|")
        for word in words:
            for form in forms:
                if form not in word.forms:
                    raise self._error(
                        where, f"{word.lemma!r} has no form {form!r}; it has {', '.join(word.forms)}"
                    )
        return LITERAL, found["relation"], words, forms, chance

    def _known(self, kind: str, symbol: str, where: str) -> None:
        if symbol not in self._symbols[kind]:
            raise self._error(
                where, f"unknown symbol {symbol!r}; {kind} has {', '.join(self._symbols[kind])}"
            )

    def _word(self, where: str, text: str) -> Lexeme:
        for kind in FUNCTION_KINDS:
            for lexeme in self.lexicon.of(kind):
                if text in (lexeme.lemma, lexeme.group) and (kind != "auxiliary" or text == lexeme.group):
                    return lexeme
        raise self._error(where, f"no particle, auxiliary, adverb or determiner {text!r} in the lexicon")
