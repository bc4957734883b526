"""What an item was made of: files, models, config keys, and how long its jobs ran.

Files and durations come from Snakemake's records (`headwork.run.metadata`). Without a record the tables are those
that the config names, and no duration is known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwork.run.metadata import Record, read_record
from headwork.settings.studies import Item

# Sections of the config that the row of a run names a part of.
COLUMNS = {"architecture": "architectures", "recipe": "recipes"}
TEXTS = ("corpora", "texts", "tasks")


@dataclass(frozen=True)
class Provenance:
    """How an item was made at one scale.

    inputs    path -> first digits of its SHA-256, "" if unknown; empty without a record
    tables    the tables that the config says it reads (`headwork.studies.tables`)
    runs      the models, as rows of the run sheet
    keys      config keys that its models and data depend on
    seconds   duration of its own job; None without a record
    chain     rules of all jobs before it -> how many of them have a record
    total     duration of its own job and all of `chain`, in seconds; None without a record
    """

    inputs: Mapping[str, str]
    tables: Sequence[str]
    runs: Sequence[Mapping[str, Any]]
    keys: Sequence[str]
    seconds: float | None
    chain: Mapping[str, int]
    total: float | None


def of_item(
    item: Item,
    file: Path,
    settings: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    metadata: Path | None,
) -> Provenance:
    """The provenance of an item: `file` is one of its files, relative to the working folder, `rows` its runs' rows."""
    record = read_record(file, metadata)
    before = _before(record, metadata)
    chain: dict[str, int] = {}
    for one in before:
        chain[one.rule] = chain.get(one.rule, 0) + 1
    return Provenance(
        inputs={path: digest[:12] for path, digest in record.inputs.items()} if record else {},
        tables=item.tables,
        runs=rows,
        keys=_keys(item, settings, rows),
        seconds=record.seconds if record else None,
        chain=dict(sorted(chain.items())),
        total=record.seconds + sum(one.seconds for one in before) if record else None,
    )


def duration(seconds: float | int) -> str:
    """A duration as people write it: ``42 s``, ``12 min``, ``3.1 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _before(record: Record | None, metadata: Path | None) -> list[Record]:
    """The records of all jobs that the inputs of this one go back to, each job once."""
    jobs: dict[tuple[str, float], Record] = {}  # a job has several files, and each of them a record
    waiting, seen = list(record.inputs) if record else [], set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        known = read_record(path, metadata)
        if known is not None:
            jobs[known.rule, known.began] = known
            waiting.extend(known.inputs)
    return list(jobs.values())


def _keys(item: Item, settings: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Config keys that say which models the item is made of, and how models and data are made."""
    found = [f"studies.{item.study}.runs"] if item.roles else []
    for row in rows:
        found += [f"{section}.{row[column]}" for column, section in COLUMNS.items() if row.get(column)]
        found += [f"{section}.{row['corpus']}" for section in TEXTS if row["corpus"] in settings[section]]
    return list(dict.fromkeys(found))
