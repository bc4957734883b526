"""Tokenised text: one sentence a line, tokens with one space between them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError


def read_tokens(path: str | Path) -> Iterator[list[str]]:
    """The tokens of each line; joined by spaces they are the line again.

    Raises InputError for an empty line or token, and if the file is absent, empty, damaged or not UTF-8.
    """
    for number, text in lines(Path(path)):
        tokens = text.split(" ")
        if not all(tokens):
            problem = "two spaces in a row, or one at an end" if text else "an empty line"
            raise InputError.at(
                path, f"{problem}; tokenised text has tokens with one space between them", number
            )
        yield tokens


def line_of(words: Sequence[str]) -> str:
    """The words as a line of tokenised text; spaces inside a word ("10 000") are removed."""
    return " ".join("".join(word.split()) for word in words)
