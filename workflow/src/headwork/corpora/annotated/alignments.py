"""Gold word alignments between a sentence and its translation.

Annotators mark links as sure or, where opinions differ, as possible (Och & Ney 2003); every sure link is possible too.
They are written in two ways:

    pharaoh    a line for each pair of sentences, links between spaces: ``0-0 1-2`` sure, ``3p1`` or ``3?1`` possible
    naacl      a line for each link: number of the sentence, source word, target word, S or P (nothing: S); words from
               1, word 0 is none (the shared tasks of HLT-NAACL 2003 and ACL 2005; Hansards, Europarl, Romanian)
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from headwork.corpora.sources import pairs
from headwork.corpora.sources.readers import lines
from headwork.errors import InputError

_LINK = re.compile(r"(\d+)([-p?])(\d+)")
_NAACL = re.compile(r"(\d+)\s+(\d+)\s+(\d+)(?:\s+([SP]))?(?:\s+[\d.]+)?")  # the fourth field is a confidence

Link = tuple[int, int]
"""A source word and a target word, both counted from 0."""


class Links(NamedTuple):
    """The links of one pair of sentences; the possible ones include the sure ones."""

    sure: frozenset[Link]
    possible: frozenset[Link]


class AlignedPair(NamedTuple):
    """A sentence, its translation, and their links."""

    source: list[str]
    target: list[str]
    links: Links


def aligned_pairs(
    text: Iterable[tuple[str, str]], links: str | Path, layout: str = "pharaoh", first: int = 0
) -> list[AlignedPair]:
    """Pairs of sentences (words between spaces) with the links of a file; `first` is the number of a first word.

    Raises InputError, with file and line, for links that are not of this layout, that name words the sentences do not
    have, or that are for more or fewer sentences.
    """
    sentences = [(source.split(), target.split()) for source, target in text]
    read = _pharaoh(links, first) if layout == "pharaoh" else _naacl(links, len(sentences))
    found = []
    for number, (words, marked) in enumerate(zip_longest(sentences, read), start=1):
        if words is None or marked is None:
            has = "more" if words is None else "fewer"
            raise InputError.at(links, f"{has} lines than the {len(sentences)} pairs of sentences", number)
        found.append(AlignedPair(*words, _checked(marked, words, links)))
    return found


class _Mark(NamedTuple):
    """One link of a file, with its line number."""

    link: Link
    sure: bool
    line: int


def _pharaoh(path: str | Path, first: int) -> Iterator[list[_Mark]]:
    return (_marks(text, first, path, number) for number, text in lines(Path(path)))


def _marks(text: str, first: int, path: str | Path, number: int) -> list[_Mark]:
    marks = []
    for link in text.split():
        match = _LINK.fullmatch(link)
        if match is None:
            raise InputError.at(path, f"{link!r} is not a link; write 0-1, or 0p1 for a possible one", number)
        marks.append(_Mark((int(match[1]) - first, int(match[3]) - first), match[2] == "-", number))
    return marks


def _naacl(path: str | Path, sentences: int) -> Iterator[list[_Mark]]:
    marked: dict[int, list[_Mark]] = defaultdict(list)
    for number, text in lines(Path(path)):
        match = _NAACL.fullmatch(text.strip())
        if match is None:
            message = f"{text!r} is not a link; write sentence, source word, target word, and S or P"
            raise InputError.at(path, message, number)
        sentence, source, target = map(int, match.group(1, 2, 3))
        if not 1 <= sentence <= sentences:
            raise InputError.at(path, f"sentence {sentence}, of {sentences} pairs of sentences", number)
        if source and target:
            marked[sentence].append(_Mark((source - 1, target - 1), match[4] != "P", number))
    return (marked[sentence] for sentence in range(1, sentences + 1))


def _checked(marks: list[_Mark], words: tuple[list[str], list[str]], path: str | Path) -> Links:
    """The links of a pair of sentences; InputError for one of a word that they do not have."""
    source, target = map(len, words)
    for (i, j), _, line in marks:
        if not (0 <= i < source and 0 <= j < target):
            raise InputError.at(
                path,
                f"a link beyond its sentences of {source} and {target} words (counted from 0, it is of words {i} and "
                f"{j}); check that the file belongs to this text and counts words from 0 or 1 as configured",
                line,
            )
    return Links(frozenset(mark.link for mark in marks if mark.sure), frozenset(mark.link for mark in marks))


def both_sides(path: str | Path) -> Iterator[tuple[str, str]]:
    """The pairs of a file that has a sentence, ``|||`` and its translation on each line."""
    for number, text in lines(Path(path)):
        sides = text.split("|||")
        if len(sides) != 2:
            raise InputError.at(path, "a line is a sentence, ||| and its translation", number)
        yield sides[0], sides[1]


def known_pairs(
    source: str | Path, target: str | Path, annotated: Sequence[tuple[str | Path, str | Path, str | Path]]
) -> Iterator[AlignedPair]:
    """The line pairs of a corpus with the links of the text it was made of, found by their words.

    `annotated` are files of source sentences, their translations, and links (pharaoh, from 0), line by line. Case does
    not matter: corpora are true-cased, their annotation is not. Raises InputError for a pair that is in none of them.
    """
    wanted = {_key(pair) for pair in pairs.aligned(Path(source), Path(target))}
    found: dict[tuple[str, str], Links] = {}
    for sources, targets, links in annotated:
        for pair, line in zip_longest(pairs.aligned(Path(sources), Path(targets)), lines(Path(links))):
            if pair is None or line is None:
                raise InputError.at(links, f"not as many lines as {sources} has sentences")
            if _key(pair) in wanted:
                words = pair.source.split(), pair.target.split()
                found.setdefault(_key(pair), _checked(_marks(line.text, 0, links, line.line), words, links))
    for pair in pairs.aligned(Path(source), Path(target)):
        links = found.get(_key(pair))
        if links is None:
            files = ", ".join(str(links) for _, _, links in annotated) or "no file"
            raise InputError.at(
                source, f"no gold alignment has this line and its translation; looked in {files}", pair.line
            )
        yield AlignedPair(pair.source.split(), pair.target.split(), links)


def _key(pair: pairs.Pair) -> tuple[str, str]:
    return pair.source.casefold(), pair.target.casefold()


def gold_pairs(files: Mapping[str, Any], gold: Mapping[str, Any]) -> list[AlignedPair]:
    """The pairs of a test set with their gold links, as the config's `alignments` of a corpus says.

    `files` has links and their text: source and target, line by line, or both in one file, `text` (see `both_sides`).
    Links of the miniature world are for world_source and world_target, in which source and target are looked up. Raises
    InputError as `aligned_pairs` and `known_pairs` do.
    """
    if gold["type"] == "embedded":
        annotated = [(files["world_source"], files["world_target"], files["links"])]
        return list(known_pairs(files["source"], files["target"], annotated))
    text = (
        both_sides(files["text"])
        if gold.get("text")
        else (tuple(pair[:2]) for pair in pairs.aligned(Path(files["source"]), Path(files["target"])))
    )
    return aligned_pairs(text, files["links"], gold.get("layout", "pharaoh"), gold.get("first", 0))
