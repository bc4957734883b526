"""The English grammar: ``grammar.yaml``, compiled for `generate`.

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

DOMAINS = ("news", "subtitles")
HEAD, HEAD_PHRASE, PHRASE, LITERAL, PART = range(5)
NUMBERS = ("sg", "pl")
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

    Raises `InputError` for an item that cannot be read, and `KeyError` for a symbol, word, form or probability that
    there is not.
    """

    def __init__(self, path: Path, lexicon: Lexicon):
        self.path, self.lexicon = path, lexicon
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        self.probabilities: dict[str, list[float]] = data["probabilities"]
        self.adverb_roles: dict[str, str] = data["adverb roles"]
        self._symbols = {"parts": data["parts"], "phrases": data["phrases"]}
        self._words = {
            name: lexeme
            for kind in reversed(FUNCTION_KINDS)
            for lexeme in reversed(lexicon.of(kind))
            for name in ((lexeme.group,) if kind == "auxiliary" else (lexeme.lemma, lexeme.group))
        }
        compiled = {
            kind: {symbol: [self._alternative(symbol, way) for way in ways] for symbol, ways in table.items()}
            for kind, table in self._symbols.items()
        }
        self.phrases = {symbol: Chooser(ways) for symbol, ways in compiled["phrases"].items()}
        self.parts = {
            symbol: {number: Chooser([way for way in ways if way.when in ("", number)]) for number in NUMBERS}
            for symbol, ways in compiled["parts"].items()
        }

    def _alternative(self, symbol: str, way: dict) -> Alternative:
        head, _, group = str(way.get("head", "")).partition(" ")
        items = [self._item(symbol, text) for text in str(way["is"]).split()]
        return Alternative(symbol, way["weight"], items, head, group, way.get("gap", ""), way.get("when", ""))

    def _item(self, symbol: str, text: str) -> tuple:
        match = ITEM.match(text)
        if match is None:
            raise InputError.at(self.path, f"{symbol}: cannot read the item {text!r}")
        found = match.groupdict()
        chance = self.probabilities[found["probability"]] if found["probability"] else None
        for kind, name in (("parts", "part"), ("phrases", "head_phrase"), ("phrases", "phrase")):
            if found[name] and found[name] not in self._symbols[kind]:
                raise KeyError(f"{symbol}: {kind} has no {found[name]}")
        if found["part"]:
            return PART, found["part"], chance
        if found["head_phrase"]:
            return HEAD_PHRASE, found["head_phrase"], chance
        if found["head"]:
            return HEAD, found["head_form"] or "", chance
        if found["phrase"]:
            argument, use = found["argument"] or "", found["use"] or ""
            if argument not in ("", "A0", "A1", "A2"):
                argument, use = "", argument
            return PHRASE, found["relation"], found["phrase"], argument, use, chance
        words = [self._words[lemma] for lemma in found["literal"].split("|")]
        forms = (found["form"] or "base").split("|")
        if missing := [form for word in words for form in forms if form not in word.forms]:
            raise KeyError(f"{symbol}: {found['literal']} has no form {missing[0]}")
        return LITERAL, found["relation"], words, forms, chance
