"""Cleaning by the rules of the settings, and a report of removed pairs."""

import csv
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import regex

from headwork.errors import InputError
from headwork.settings.corpora import Cleaning

# What is left of these after white space has been normalised is a sign of damage: control characters,
# characters that replaced undecodable bytes, private use.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ufffd-\uffff\ue000-\uf8ff]")

EMPTY = "empty side"
REASONS = (
    EMPTY,
    "control characters",
    "too short",
    "too long",
    "length ratio",
    "wrong script",
    "duplicate",
    "sentence is in test",
    "sentence is in dev or test",
    "beyond the limit",
)

# reason -> the rule of `Cleaning` that drops for it
RULES = {
    "control characters": "control",
    "too short": "min_words",
    "too long": "max_words",
    "length ratio": "length_ratio",
    "wrong script": "scripts",
    "duplicate": "duplicates",
}


def normalised(text: str) -> str:
    """Replace every run of Unicode white space by one space, and strip the ends."""
    return " ".join(text.split())


def without_control(text: str) -> str:
    """Control characters become white space: for standard test sets, of which no line may be dropped."""
    return normalised(CONTROL.sub(" ", text))


def raw_fault(source: str, target: str, rules: Cleaning) -> str | None:
    """Why the raw text is rejected before tokenisation, or None."""
    damaged = rules.control and (CONTROL.search(source) or CONTROL.search(target))
    return "control characters" if damaged else None


def fault(source: str, target: str, languages: tuple[str, str], rules: Cleaning) -> str | None:
    """Why the tokenised sides, in those `languages`, are rejected, or None."""
    words, opposite = source.count(" ") + 1, target.count(" ") + 1
    fewer, more = (words, opposite) if words < opposite else (opposite, words)
    if fewer < rules.min_words:
        return "too short"
    if more > rules.max_words:
        return "too long"
    if rules.length_ratio and more > rules.length_ratio * fewer:
        return "length ratio"
    if rules.scripts:
        for text, language in zip((source, target), languages, strict=True):
            script = rules.scripts.get(language)
            if script and not written_in(text, script, rules.script_share):
                return "wrong script"
    return None


def written_in(text: str, script: str, share: float | int) -> bool:
    """Whether at least `share` of the letters are of the script (Latin, Cyrillic, ...), or there are none."""
    if script == "Latin" and text.isascii():
        return True
    foreign = len(_foreign(script).findall(text))
    return not foreign or foreign <= (1 - share) * len(LETTER.findall(text))


LETTER = regex.compile(r"\p{L}")


@cache
def _foreign(script: str) -> regex.Pattern[str]:
    """Letters of other scripts; those that scripts share (Common, Inherited) are not foreign."""
    try:
        return regex.compile(
            rf"[\p{{L}}--\p{{Script={script}}}--\p{{Script=Common}}--\p{{Script=Inherited}}]", regex.V1
        )
    except regex.error as error:
        message = f"no script '{script}'; Unicode's names are Latin, Cyrillic, Greek, Arabic, Han, ..."
        raise InputError(message) from error


class Row(NamedTuple):
    """One line of cleaning.csv: number and share of a source's `pairs` with `reason`."""

    source: str
    reason: str
    pairs: int
    share: float
    example_line: str


class Report:
    """Counts the kept and removed pairs of each source, with the first example of each reason."""

    def __init__(self, sources: Iterable[str]) -> None:
        self.sources = list(sources)
        self.counts: dict[tuple[int, str], int] = {}
        self.examples: dict[tuple[int, str], str] = {}

    def dropped(self, source: int, reason: str, file: Path, line: int, text: str) -> None:
        """Count one removed pair of the source with that number; `text` is the example."""
        key = (source, reason)
        self.counts[key] = self.counts.get(key, 0) + 1
        if key not in self.examples:
            visible = CONTROL.sub("\N{REPLACEMENT CHARACTER}", normalised(text))
            self.examples[key] = f"{file.name}:{line}: {visible[:120]}"

    def kept(self, source: int, split: str, pairs: int) -> None:
        """Count `pairs` of the source in the split."""
        if pairs:
            key = (source, f"kept in {split}")
            self.counts[key] = self.counts.get(key, 0) + pairs

    def most_dropped(self) -> str:
        """The reason for which most pairs were dropped, with their number of all, and the rule; "" for none."""
        dropped = Counter[str]()
        for (_, reason), count in self.counts.items():
            if reason in REASONS:
                dropped[reason] += count
        if not dropped:
            return ""
        (reason, count), total = dropped.most_common(1)[0], sum(self.counts.values())
        rule = f", the rule `{RULES[reason]}`" if reason in RULES else ""
        return f"; {count} of {total} were dropped for {reason}{rule}"

    def rows(self) -> list[Row]:
        """For each source the kept pairs, then the removed ones in the order of the rules."""
        order = (*(f"kept in {split}" for split in ("train", "dev", "test")), *REASONS)
        rows = []
        for number, name in enumerate(self.sources):
            total = sum(count for (source, _), count in self.counts.items() if source == number)
            for reason in order:
                if count := self.counts.get((number, reason), 0):
                    example = self.examples.get((number, reason), "")
                    rows.append(Row(name, reason, count, round(count / total, 6), example))
        return rows

    def write(self, path: Path) -> None:
        """Write cleaning.csv."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(Row._fields)
            writer.writerows(self.rows())
