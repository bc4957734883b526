"""Text files to segments: plain or compressed text, CoNLL-U, tab-separated tables.

Every reader streams, and its errors give file, line and remedy for a missing, empty, truncated or non-UTF-8 file. Lines
end at a line feed only: U+2028, a form feed or a lone carriage return inside a sentence must not shift one side of a
parallel text against the other.
"""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from headwork.errors import DamagedFile, InputError

LONGEST = 10_000_000  # bytes of a line
OPENERS = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
FORMATS = {".conllu": "conllu", ".tsv": "tsv", ".sgm": "sgm", ".sgml": "sgm", ".xml": "xml"}


class Segment(NamedTuple):
    """A sentence, or whatever stands on one line, and the line it begins on (from 1)."""

    line: int
    text: str


def format_of(path: Path) -> str:
    """conllu, tsv, sgm, xml or text, by the file's ending below .gz, .xz and .bz2."""
    inner = path.with_suffix("") if path.suffix in OPENERS else path
    return FORMATS.get(inner.suffix.lower(), "text")


def lines(path: Path) -> Iterator[Segment]:
    """The lines of a UTF-8 file, plain or compressed, without their ends and without a byte order mark.

    Raises `InputError` for a file that is missing, empty, truncated, damaged or not UTF-8, and for a line of more than
    `LONGEST` bytes, so that memory is bounded whatever the file holds.
    """
    number = 0
    try:
        with OPENERS.get(path.suffix, open)(path, "rb") as stream, io.BufferedReader(stream) as file:
            for number, raw in enumerate(iter(partial(file.readline, LONGEST + 1), b""), 1):
                if len(raw) > LONGEST:
                    message = (
                        f"the line is longer than {LONGEST:,} bytes; give each paragraph a line of its own"
                    )
                    raise InputError.at(path, message, number)
                try:
                    text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    message = f"byte {error.start + 1} of the line is not UTF-8; convert the file with iconv"
                    raise DamagedFile.at(path, message, number) from error
                yield Segment(number, text.rstrip("\r\n"))
    except (EOFError, zlib.error, lzma.LZMAError) as error:
        raise InputError.at(path, _damage(error), number + 1) from error
    except OSError as error:
        # decompression errors are OSErrors without errno
        reason = error.strerror or _damage(error)
        raise InputError.at(
            path, f"the file cannot be read ({reason}); check the path and the file"
        ) from error
    if number == 0:
        raise InputError.at(path, "the file is empty; fetch it again, or leave it out of the config")


def _damage(error: Exception) -> str:
    return f"the compressed file is truncated or damaged ({error}); fetch it again"


def conllu(path: Path) -> Iterator[Segment]:
    """The sentences of a CoNLL-U file: syntactic words (FORM) with one space between them.

    Ranges of multi-word tokens (1-2) and empty nodes (1.1) are left out; a space inside a word ("10 000") is too, so
    that splitting at spaces gives the tree's words again. Only the FORM column is read: trees are read by
    `headwork.parses`, and this is ten times faster for a treebank of millions of words.
    """
    words: list[str] = []
    first = number = 0
    for number, text in lines(path):
        if not text.strip():
            if words:
                yield Segment(first, " ".join(words))
            words = []
        elif not text.startswith("#"):
            columns = text.split("\t")
            if len(columns) != 10:
                message = f"{len(columns)} columns where CoNLL-U has 10, separated by tabs; fix the line"
                raise InputError.at(path, message, number)
            if columns[0].isdigit():
                first = first if words else number
                words.append("".join(columns[1].split()))
    if words:
        yield Segment(first, " ".join(words))


def table(path: Path, columns: Mapping[str, str | int]) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a tab-separated file (no quoting, as in Tatoeba and GLUE): line and the named cells.

    `columns` maps a name (source, target) to a column: a number from 1, or a name of the header line. Raises
    `InputError` for a column that there is not, in the header or in a row.
    """
    rows = lines(path)
    places = {name: column - 1 for name, column in columns.items() if isinstance(column, int)}
    if min(places.values(), default=0) < 0:
        message = f"there is no column {min(places.values()) + 1}; `columns` counts them from 1"
        raise InputError.at(path, message)
    if len(places) < len(columns):
        header = next(rows).text.split("\t")
        for name, column in columns.items():
            if name not in places and column not in header:
                raise InputError.at(path, f"no column '{column}'; the header has {', '.join(header)}", 1)
            places.setdefault(name, header.index(column) if name not in places else 0)
    for number, text in rows:
        cells = text.split("\t")
        if max(places.values()) >= len(cells):
            message = (
                f"{len(cells)} columns, but column {max(places.values()) + 1} is asked for; fix the line"
            )
            raise InputError.at(path, message, number)
        yield number, {name: cells[place] for name, place in places.items()}
