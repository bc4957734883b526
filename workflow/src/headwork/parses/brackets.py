"""Constituents of sentences in the bracketed format of the Penn Treebank.

    ((S (NP-SBJ (NNP Mr.) (NNP Vinken)) (VP (VBZ is) ...) (. .)))

A tree may span several lines. Traces (``-NONE-``) are no words; functional tags and indices are cut off a label.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError

TRACE = "-NONE-"
TOKEN = re.compile(r"\(|\)|[^\s()]+")


class Constituent(NamedTuple):
    """The words from `start` up to and without `end`, counted from 0, and their phrase label."""

    start: int
    end: int
    label: str


class Bracketed(NamedTuple):
    """The words of a tree, its constituents of one word or more, inner ones first, and the line it begins on."""

    words: list[str]
    constituents: list[Constituent]
    line: int


def read_brackets(path: str | Path) -> Iterator[Bracketed]:
    """The trees of a file; raises InputError with file and line for brackets that do not match."""
    path = Path(path)
    tokens: list[str] = []
    depth = begun = number = 0
    for number, text in lines(path):
        for token in TOKEN.findall(text):
            begun = begun if tokens else number
            depth += (token == "(") - (token == ")")
            if depth < 0 or (depth == 0 and token != ")"):
                raise InputError.at(path, "a bracket is closed that was not opened; correct the tree", number)
            tokens.append(token)
            if depth == 0:
                yield _tree(tokens, path, begun)
                tokens = []
    if tokens:
        raise InputError.at(path, "the tree that begins here is not closed; fetch the file again", begun)


def _tree(tokens: list[str], path: Path, line: int) -> Bracketed:
    words: list[str] = []
    found: list[Constituent] = []
    open_: list[tuple[int, list[str]]] = []
    for token in tokens:
        if token == "(":
            open_.append((len(words), []))
        elif token != ")":
            open_[-1][1].append(token)
        else:
            start, own = open_.pop()
            if len(own) == 2 and own[0] != TRACE:
                words.append(own[1])
            elif len(own) == 1 and len(words) > start:
                found.append(Constituent(start, len(words), _label(own[0])))
            elif len(own) > 2:
                raise InputError.at(
                    path, f"the bracket ({' '.join(own)}) has more than a tag and a word", line
                )
    return Bracketed(words, found, line)


def _label(tag: str) -> str:
    """``NP`` of ``NP-SBJ=2``."""
    return re.split(r"[-=]", tag, maxsplit=1)[0] or tag
