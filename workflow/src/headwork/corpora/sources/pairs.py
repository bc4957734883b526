"""Pairs of segments from line-aligned files, tables and WMT sets, each with its file and line."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from headwork.corpora.sources import devsets, readers
from headwork.errors import InputError


class Pair(NamedTuple):
    """A segment and its translation, and where the segment stands."""

    source: str
    target: str
    file: Path
    line: int


def segments(path: Path) -> Iterator[readers.Segment]:
    """The segments of a file that holds one language: text, CoNLL-U or SGML, by its ending."""
    return {"conllu": readers.conllu, "sgm": devsets.one_side}.get(readers.format_of(path), readers.lines)(
        path
    )


def aligned(source: Path, target: Path) -> Iterator[Pair]:
    """Two files, segment by segment. `InputError` with both counts if one has more segments."""
    both = zip_longest(segments(source), segments(target))
    for number, (ours, theirs) in enumerate(both, 1):
        if ours is None or theirs is None:
            longer = number + sum(1 for _ in both)
            counts = (number - 1, longer) if ours is None else (longer, number - 1)
            place = source if theirs is None else target
            line = (ours or theirs).line
            message = (
                f"nothing stands opposite: {source.name} has {counts[0]} segments, {target.name} has {counts[1]}; "
                "the two must be aligned line by line"
            )
            raise InputError.at(place, message, line)
        yield Pair(ours.text, theirs.text, source, ours.line)


def from_table(path: Path, columns: Mapping[str, str | int]) -> Iterator[Pair]:
    """A tab-separated file; `columns` says which column is `source` and which is `target`."""
    for line, cells in readers.table(path, columns):
        yield Pair(cells["source"], cells["target"], path, line)


def from_devset(path: Path, source: str, target: str) -> Iterator[Pair]:
    """A WMT set in XML, with the languages' codes as they stand in it."""
    for line, ours, theirs in devsets.both_sides(path, source, target):
        yield Pair(ours, theirs, path, line)
