"""Streams of pairs from the sources in a corpus's description.

Four types of source: `embedded` (the miniature world), `local` (files on this machine, below a data
folder), `download` (one of the config's `downloads` and, of an archive, its members, fetched and unpacked by jobs of
their own), `distilled` (a split of one of the config's `distilled`: a model's translations). All files are found before
the first line is read.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from headwork.corpora.parallel.cleaning import Cleaning
from headwork.corpora.parallel.splits import SPLITS
from headwork.corpora.sources import local, pairs, readers
from headwork.corpora.sources import subtitle_overlap as overlap
from headwork.corpora.sources.locations import Fetched, Places
from headwork.corpora.sources.pairs import Pair
from headwork.errors import InputError
from headwork.settings.options import options

Stream = Callable[[], Iterator[Pair]]
Description = Mapping[str, Any]


@dataclass(frozen=True)
class Source:
    """One source: its name in cleaning.csv, its split (None: by hash), its rules (None: every line is kept)."""

    name: str
    split: str | None
    cleaning: Cleaning | None
    tokenised: bool
    streams: tuple[Stream, ...]

    def pairs(self) -> Iterator[Pair]:
        """All its pairs, file by file."""
        for stream in self.streams:
            yield from stream()


def open_sources(corpus: Description, places: Places) -> list[Source]:
    """The sources of a corpus (`source`, `target`, `sources`, `cleaning` of its description), ready to read.

    Standard test sets, that is sources with `split: dev` or `test`, are not cleaned unless they have
    `cleaning` of their own, since scores are comparable only on all of their lines.
    """
    return [_open(corpus, description, places) for description in corpus["sources"]]


def _open(corpus: Description, description: Description, places: Places) -> Source:
    kind, split = description.get("type"), description.get("split")
    openers = {"embedded": _embedded, "local": _local, "download": _download, "distilled": _distilled}
    if kind not in openers:
        raise InputError(f"sources: no type '{kind}'; it is one of {', '.join(openers)}")
    if split is not None and split not in SPLITS:
        raise InputError(
            f"sources: no split '{split}'; it is one of {', '.join(SPLITS)}, or none for a choice by hash"
        )
    name, streams = openers[kind](corpus, description, places)
    if description.get("overlap"):
        wanted = options(overlap.Overlap, description["overlap"], f"overlap of {name}")
        streams = [overlap.of_streams(streams, wanted, places.fetched)]
    own = description.get("cleaning", split not in ("dev", "test"))
    rules = {**(corpus.get("cleaning") or {}), **(own if isinstance(own, Mapping) else {})}
    cleaning = None if own is False else options(Cleaning, rules, f"cleaning of {name}")
    tokenised = bool(description.get("tokenised", kind == "embedded"))
    return Source(description.get("name", name), split, cleaning, tokenised, tuple(streams))


def _embedded(corpus: Description, description: Description, places: Places) -> tuple[str, list[Stream]]:
    world, domain = places.folder("world", "the miniature world"), _need(description, "domain", "embedded")

    def file(language: str) -> Path:
        annotated = world / f"{domain}.conllu"
        return annotated if language == "en" else world / f"{domain}.{language}.txt"

    files = [file(corpus[side]) for side in ("source", "target") if corpus.get(side)]
    for path in files:
        if not path.is_file():
            raise InputError.at(path, "the miniature world lacks this file; check `domain` and the languages")
    return f"world {domain}", [partial(pairs.aligned if len(files) == 2 else pairs.alone, *files)]


def _local(corpus: Description, description: Description, places: Places) -> tuple[str, list[Stream]]:
    name = ", ".join(path if isinstance(path, str) else path["source"] for path in _paths(description))
    folder = places.folder("data", f"local source '{name}'")
    found = _local_files(corpus, description, folder)
    return name, [
        partial(pairs.aligned, *files) if len(files) == 2 else _single(files[0], corpus, description)
        for files in found
    ]


def _paths(description: Description) -> list[str | Mapping[str, str]]:
    paths = _need(description, "path", "local")
    return paths if isinstance(paths, list) else [paths]


def _local_files(corpus: Description, description: Description, folder: Path) -> list[tuple[Path, ...]]:
    """The files of a local source, in order: two that are aligned, or one that holds all there is."""
    found: list[tuple[Path, ...]] = []
    for path in _paths(description):
        if not corpus.get("target"):
            found += [(file,) for file in local.single_files(folder, path, corpus["source"])]
        elif whole := local.holds_both_sides(folder, path):
            found.append((whole,))
        else:
            found += local.pairs_of_files(folder, path, corpus["source"], corpus["target"])
    return found


def local_files(corpus: Description, data: str | Path | None) -> list[Path]:
    """All files that a corpus's local sources are read from; `InputError` for one that is not there."""
    files: list[Path] = []
    for description in corpus["sources"]:
        if description.get("type") == "local":
            folder = Places(data=data and Path(data)).folder("data", "a local source")
            files += [file for group in _local_files(corpus, description, folder) for file in group]
    return files


def _download(corpus: Description, description: Description, places: Places) -> tuple[str, list[Stream]]:
    files = _fetched(corpus, description, places.fetched)
    members = description.get("member")
    name = _of_side("source", members) if members else _of_side("source", description["download"])
    if len(files) == 1:
        return PurePosixPath(name).name, [_single(files[0], corpus, description)]
    return PurePosixPath(name).name, [partial(pairs.aligned, *files)]


def _fetched(corpus: Description, description: Description, fetched: Fetched) -> list[Path]:
    """The files of a download: one for each side, or one that holds all there is."""
    download, member = _need(description, "download", "download"), description.get("member")
    sides = [side for side in ("source", "target") if corpus.get(side)]
    if not any(isinstance(setting, Mapping) for setting in (download, member)):
        sides = ["source"]
    return [fetched.file(_of_side(side, download), _of_side(side, member)) for side in sides]


def _distilled(corpus: Description, description: Description, places: Places) -> tuple[str, list[Stream]]:
    files = _sides(description, places.folder("distilled", "a distilled source"))
    return f"distilled {description['text']} {description['split']}", [partial(pairs.aligned, *files)]


def _sides(description: Description, folder: Path) -> list[Path]:
    text, split = (_need(description, key, "distilled") for key in ("text", "split"))
    return [folder / text / f"{split}.{side}.txt" for side in ("source", "target")]


def distilled_files(corpus: Description, folder: Path) -> list[Path]:
    """All files that a corpus's distilled sources are read from, in that folder of all distilled text."""
    found = (source for source in corpus["sources"] if source.get("type") == "distilled")
    return [file for description in found for file in _sides(description, folder)]


def _of_side(side: str, setting: Any) -> Any:
    return setting.get(side) if isinstance(setting, Mapping) else setting


def fetched_files(corpus: Description, fetched: Fetched) -> list[Path]:
    """All files that a corpus's or a text's downloads are read from; `InputError` for an unknown download."""
    files: list[Path] = []
    for description in corpus["sources"]:
        if description.get("type") == "download":
            files += _fetched(corpus, description, fetched)
        if description.get("overlap"):
            files += options(overlap.Overlap, description["overlap"], "overlap").files(fetched)
    return files


def _single(path: Path, corpus: Description, description: Description) -> Stream:
    """A file that holds all there is: both sides of a corpus with a target, one side of one without."""
    kind, source, target = readers.format_of(path), corpus["source"], corpus.get("target")
    if kind == "tsv":
        columns = description.get("columns") or ({"source": 1, "target": 2} if target else {"source": 1})
        return partial(pairs.from_table, path, columns)
    if not target:
        return partial(pairs.alone, path)
    if kind == "xml":
        return partial(pairs.from_devset, path, source, target)
    raise InputError.at(
        path, f"one file of {source} text, but a translation into {target} is needed; name both files"
    )


def _need(description: Description, key: str, kind: str) -> Any:
    if not description.get(key):
        raise InputError(f"sources: a source of type {kind} needs '{key}'")
    return description[key]
