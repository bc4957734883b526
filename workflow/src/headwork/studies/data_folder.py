"""What a data folder lacks for a scale, and which items can be made all the same: ``headwork data``."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from headwork.corpora.annotated.glue import TASKS, task_file
from headwork.corpora.sources.local import file_at
from headwork.corpora.sources.locations import Places
from headwork.corpora.sources.streams import local_files
from headwork.errors import InputError
from headwork.settings.corpora import Corpus, Text
from headwork.settings.run_sheets import mask_run
from headwork.settings.studies import Study
from headwork.studies.runs import can_be_made, item_runs

Config = Mapping[str, Any]
TAGS = "tags"  # the table that probing tasks are read for


def missing(config: Config, data: str | Path | None) -> dict[str, list[str]]:
    """Corpus, text or task -> one sentence for each of its files that the data folder lacks; only those that lack any.

    A corpus includes all that the config names for it: sources, alignments, coreference, senses, and its treebank. The
    files of probing tasks (`representations.tags`) are under `TAGS`.
    """
    found = {}
    places = Places(data=data and Path(data))
    for section, checks in (("corpora", _of_text), ("texts", _of_text), ("tasks", _of_task)):
        for name, entry in config[section].items():
            found[name] = list(dict.fromkeys(checks(entry, config, places)))
    tasks = [entry for entry in config["representations"]["tags"]["tasks"].values() if entry]
    files = [entry[part] for entry in tasks for part in ("train", "test") if part in entry]
    found[TAGS] = [sentence for path in files for sentence in _failures(_file, places, path)]
    return {name: sentences for name, sentences in found.items() if sentences}


def _of_text(entry: Config, config: Config, places: Places) -> Iterator[str]:
    text = (Corpus if "target" in entry else Text).read(entry, "config")
    for source in text.sources:
        yield from _failures(local_files, text.model_copy(update={"sources": (source,)}), places.data)
    annotated = [entry.get("alignments"), *(entry.get("mentions") or []), *(entry.get("senses") or [])]
    for parser in {entry.get("parser"), entry.get("treebank")} & set(config["parsers"]):
        annotated.append(config["parsers"][parser].get("treebank"))
    for source in annotated:
        if source and source.get("type") == "local":
            for key in ("path", "text", "links", "keys", "train", "dev"):
                if key in source:
                    yield from _failures(_file, places, source[key])


def _of_task(entry: Config, config: Config, places: Places) -> Iterator[str]:
    if entry.get("path"):
        for split in ("train", *(entry.get("dev") or TASKS[entry["task"]].dev)):
            yield from _failures(_task, places, entry, split)


def _file(places: Places, path: str | Config) -> None:
    if isinstance(path, str):
        file_at(places.folder("data", path), path)


def _task(places: Places, entry: Config, split: str) -> None:
    task_file(places.folder("data", entry["path"]) / entry["path"], entry["task"], split)


def _failures(find: Any, *arguments: Any) -> Iterator[str]:
    try:
        find(*arguments)
    except InputError as error:
        yield str(error)


def corpora_of(run: str, rows: Mapping[str, Config]) -> set[str]:
    """The corpora, texts and tasks that a run and the runs it starts from are trained on."""
    row, found = rows[run], set()
    for start in (row["init_run"], mask_run(row["gates"])):
        if start:
            found |= corpora_of(start, rows)
    return found | {row["corpus"]}


def still_made(
    studies: Sequence[Study], config: Config, sheet: Sequence[Config], lacking: Mapping[str, Any]
) -> tuple[list[str], list[str]]:
    """The items of this scale that need no corpus in `lacking`, and those that do, by the names of their rules."""
    rows = {row["run"]: row for row in sheet}
    made, not_made = [], []
    for study in studies:
        settings = config["studies"][study.key]
        for item in study.items:
            if can_be_made(item, settings, sheet):
                needed = [corpora_of(run["run"], rows) for run in item_runs(item, settings, sheet)]
                wanted = set().union(*needed, {TAGS} & set(item.tables))
                (not_made if wanted & set(lacking) else made).append(item.rule)
    return made, not_made


def report(
    studies: Mapping[str, Study], config: Config, sheet: Sequence[Config], data: str | Path | None
) -> tuple[list[str], bool]:
    """Lines on the files that a data folder lacks for a scale, and on its items; and whether it has all files."""
    used = {row["corpus"] for row in sheet} | {TAGS}
    lacking = {name: sentences for name, sentences in missing(config, data).items() if name in used}
    made, not_made = still_made(list(studies.values()), config, sheet, lacking)
    lines = [
        line for name, found in lacking.items() for line in (f"{name}:", *(f"  {each}" for each in found))
    ]
    items = "all of this scale" if not lacking else " ".join(made) or "none"
    return [*lines, f"{len(made)} of {len(made) + len(not_made)} items can be made: {items}"], not lacking
