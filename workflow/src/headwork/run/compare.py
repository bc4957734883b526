"""Comparison of two files that a job made, value by value, without what differs from run to run.

Tables are compared cell by cell, JSON key by key, models tensor by tensor, other files line by line. Values are equal
if they are the same to the last digit.
"""

import csv
import json
import math
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet

# Wall-clock times, commits and facts of the machine, found by making the smoke scale twice: by file below
# results/<scale>/, the columns of a table or the keys of JSON (with those below them); "" is the whole file.
NOT_COMPARED: dict[str, Sequence[str]] = {
    "*/run.json": (
        *("commit", "versions", "hardware"),
        *("training.seconds", "training.resumed_from", "training.milliseconds_per_product"),
    ),
    "pruning/*/speed.json": ("hardware", "seconds", "sentences_per_second", "ratio"),  # of decoding
    "pruning/*.runs.csv": ("sentences_per_second", "sentences_per_second_full"),
    "*/synthesis/figure1.csv": ("sentences_per_second", "sentences_per_second_full", "speed"),
    "*/synthesis/figure1.svg": ("",),  # the speed is drawn
    "*/synthesis/figure1.pdf": ("",),
}
MISSING = "nothing"


class Difference(NamedTuple):
    """The first place at which two files differ, and what stands there in the old and in the new one."""

    place: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{self.place}: {_short(self.old)} -> {_short(self.new)}"


def not_compared(path: str) -> tuple[str, ...]:
    """The columns or keys of a file below results/<scale>/ that may differ."""
    return tuple(name for pattern, names in NOT_COMPARED.items() if fnmatch(path, pattern) for name in names)


def difference(old: Path, new: Path, ignored: Sequence[str] = ()) -> Difference | None:
    """The first difference of two files, but for the `ignored` columns or keys; None if there is none."""
    if "" in ignored:
        return None
    if not old.is_file() or not new.is_file():
        states = ("there" if path.is_file() else MISSING for path in (old, new))
        return None if old.is_file() == new.is_file() else Difference("the file", *states)
    if old.read_bytes() == new.read_bytes():
        return None
    read = {".csv": _csv, ".parquet": _parquet, ".json": _json, ".safetensors": _tensors}
    found = read.get(new.suffix, _lines)
    pairs = zip_longest(found(old, ignored), found(new, ignored), fillvalue=("the end", MISSING))
    for (place, before), (where, after) in pairs:
        if place != where:
            return Difference("what stands there", place, where)
        if not _same(before, after):
            return _first(place, before, after)
    return None


def only_more_rows(old: Path, new: Path, ignored: Sequence[str] = ()) -> bool:
    """Whether the new file is a table of the old one's columns and rows, in their order, with further rows between."""
    read = {".csv": _csv_rows, ".parquet": _parquet_rows}.get(new.suffix)
    if read is None or old.suffix != new.suffix or not old.is_file() or not new.is_file():
        return False
    (before, *rows), (after, *more) = read(old, ignored), read(new, ignored)
    found = iter(more)
    return before == after and all(any(_same(row, other) for other in found) for row in rows)


def _first(place: str, old: Any, new: Any) -> Difference:
    """The difference of two values; of two tensors, that of their first values that differ."""
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray) and old.shape == new.shape:
        before, after = (array.view("u1").reshape(array.size, -1) for array in (old, new))
        number = int(np.argmax((before != after).any(axis=1)))
        return Difference(f"{place}, value {number}", old[number], new[number])
    return Difference(place, old, new)


def _csv(path: Path, ignored: Sequence[str]) -> Iterator[tuple[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        names, *rows = list(csv.reader(file)) or [[]]
    yield "columns", [name for name in names if name not in ignored]
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            yield f"row {number}", row
        for name, value in zip(names, row, strict=False):
            if name not in ignored:
                yield f"row {number}, {name}", value


def _csv_rows(path: Path, ignored: Sequence[str]) -> list[list[Any]]:
    """The names of the columns, and the rows."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file)) or [[]]
    kept = [place for place, name in enumerate(lines[0]) if name not in ignored]
    return [[line[place] for place in kept if place < len(line)] for line in lines]


def _parquet_rows(path: Path, ignored: Sequence[str]) -> list[list[Any]]:
    """The names of the columns, and the rows."""
    table = pyarrow.parquet.read_table(path)
    names = [name for name in table.column_names if name not in ignored]
    columns = (table.column(name).to_pylist() for name in names)
    return [names, *map(list, zip(*columns, strict=True))]


def _parquet(path: Path, ignored: Sequence[str]) -> Iterator[tuple[str, Any]]:
    table = pyarrow.parquet.read_table(path)
    yield (
        "columns",
        [(column.name, str(column.type)) for column in table.schema if column.name not in ignored],
    )
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name not in ignored:
            for number, value in enumerate(column.to_pylist(), 1):
                yield f"row {number}, {name}", value


def _json(path: Path, ignored: Sequence[str]) -> Iterator[tuple[str, Any]]:
    def walk(value: Any, place: str) -> Iterator[tuple[str, Any]]:
        if place in ignored:
            return
        if isinstance(value, dict):
            yield (
                f"{place}: keys",
                [key for key in sorted(value) if f"{place}.{key}".strip(".") not in ignored],
            )
            for key, inner in sorted(value.items()):
                yield from walk(inner, f"{place}.{key}".strip("."))
        elif isinstance(value, list):
            yield f"{place}: length", len(value)
            for number, inner in enumerate(value):
                yield from walk(inner, f"{place}[{number}]")
        else:
            yield place, value

    yield from walk(json.loads(path.read_text(encoding="utf-8")), "")


def _tensors(path: Path, _: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The tensors of a safetensors file; bfloat16, which numpy lacks, as bytes."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    kinds = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "BOOL": "?"}
    for name, tensor in sorted(header.items()):
        if name == "__metadata__":
            continue
        yield f"{name}: type and shape", (tensor["dtype"], tensor["shape"])
        first, last = tensor["data_offsets"]
        values = np.frombuffer(content[start + first : start + last], kinds.get(tensor["dtype"], "u1"))
        yield name, values


def _lines(path: Path, _: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(re.split(rb"(?<=\n)", path.read_bytes()), 1):
        yield f"line {number}", line


def _same(old: Any, new: Any) -> bool:
    """Whether two values are the same to the last bit, NaN and itself included."""
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        return old.dtype == new.dtype and old.tobytes() == new.tobytes()
    if type(old) is not type(new):
        return False
    if isinstance(old, list | tuple):
        return len(old) == len(new) and all(map(_same, old, new))
    if isinstance(old, dict):
        return list(old) == list(new) and all(map(_same, old.values(), new.values()))
    if isinstance(old, float):
        return (math.isnan(old) and math.isnan(new)) or (
            old == new and math.copysign(1, old) == math.copysign(1, new)
        )
    return old == new


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.size} values, {np.array2string(value[:3], separator=', ')} ..."
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    return text.strip()[:100] or "''"
