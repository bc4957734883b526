"""Streams of pairs from the sources in a corpus's description.

Four types of source: `embedded` (the miniature world), `local` (files on this machine, below a data
folder), `download` (one of the config's `downloads` and, of an archive, its members, fetched and unpacked by jobs of
their own), `distilled` (a split of one of the config's `distilled`: a model's translations). All files are found before
the first line is read.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from headwork.corpora.sources import local, pairs, readers
from headwork.corpora.sources import subtitle_overlap as overlap
from headwork.corpora.sources.locations import Fetched, Places
from headwork.corpora.sources.pairs import Pair
from headwork.errors import InputError
from headwork.settings.corpora import Cleaning, ParallelSource, ParallelText, Sides, Text

SIDES = ("source", "target")
Stream = Callable[[], Iterator[Pair]]


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


def open_sources(corpus: ParallelText, places: Places) -> list[Source]:
    """The sources of a corpus, ready to read. `InputError` for a file that is not there."""
    return [_open(corpus, source, places) for source in corpus.sources]


def _open(corpus: ParallelText, source: ParallelSource, places: Places) -> Source:
    openers = {"embedded": _embedded, "local": _local, "download": _download, "distilled": _distilled}
    name, streams = openers[source.type](corpus, source, places)
    if source.overlap:
        streams = [overlap.of_streams(streams, source.overlap, places.fetched)]
    return Source(
        source.name or name, source.split, corpus.cleaning_of(source), source.is_tokenised, tuple(streams)
    )


def _embedded(corpus: ParallelText, source: ParallelSource, places: Places) -> tuple[str, list[Stream]]:
    world = places.folder("world", "the miniature world")

    def file(language: str) -> Path:
        annotated = world / f"{source.domain}.conllu"
        return annotated if language == "en" else world / f"{source.domain}.{language}.txt"

    files = [file(language) for language in (corpus.source, corpus.target)]
    for path in files:
        if not path.is_file():
            raise InputError.at(path, "the miniature world lacks this file; check `domain` and the languages")
    return f"world {source.domain}", [partial(pairs.aligned, *files)]


def _local(corpus: ParallelText, source: ParallelSource, places: Places) -> tuple[str, list[Stream]]:
    name = ", ".join(_of_side("source", path) for path in _paths(source))
    found = _local_files(corpus, source, places.folder("data", f"local source '{name}'"))
    return name, [
        partial(pairs.aligned, *files) if len(files) == 2 else _single(files[0], corpus, source)
        for files in found
    ]


def _paths(source: ParallelSource) -> tuple[str | Sides, ...]:
    return source.path if isinstance(source.path, tuple) else (source.path,)


def _local_files(corpus: ParallelText, source: ParallelSource, folder: Path) -> list[tuple[Path, ...]]:
    """The files of a local source, in order: two that are aligned, or one that holds both sides."""
    found: list[tuple[Path, ...]] = []
    for path in _paths(source):
        if whole := local.holds_both_sides(folder, path):
            found.append((whole,))
        else:
            found += local.pairs_of_files(folder, path, corpus.source, corpus.target)
    return found


def local_files(text: ParallelText | Text, data: str | Path | None) -> list[Path]:
    """All files that the local sources of a corpus or a text are read from; `InputError` for one that is not there."""
    files: list[Path] = []
    for source in text.sources:
        if source.type == "local":
            folder = Places(data=data and Path(data)).folder("data", "a local source")
            if isinstance(text, Text):
                files += local.files_of_text(folder, source.path, text.source)
            else:
                files += [file for group in _local_files(text, source, folder) for file in group]
    return files


def _download(corpus: ParallelText, source: ParallelSource, places: Places) -> tuple[str, list[Stream]]:
    files = _fetched(source, places.fetched)
    name = PurePosixPath(_of_side("source", source.member or source.download)).name
    if len(files) == 1:
        return name, [_single(files[0], corpus, source)]
    return name, [partial(pairs.aligned, *files)]


def _fetched(source: ParallelSource, fetched: Fetched) -> list[Path]:
    """The files of a download: one for each side, or one that holds both."""
    by_side = isinstance(source.download, Sides) or isinstance(source.member, Sides)
    return [
        fetched.file(_of_side(side, source.download), _of_side(side, source.member))
        for side in (SIDES if by_side else SIDES[:1])
    ]


def _distilled(corpus: ParallelText, source: ParallelSource, places: Places) -> tuple[str, list[Stream]]:
    files = _of_split(source, places.folder("distilled", "a distilled source"))
    return f"distilled {source.text} {source.split}", [partial(pairs.aligned, *files)]


def _of_split(source: ParallelSource, folder: Path) -> list[Path]:
    return [folder / source.text / f"{source.split}.{side}.txt" for side in SIDES]


def distilled_files(corpus: ParallelText, folder: Path) -> list[Path]:
    """All files that a corpus's distilled sources are read from, in that folder of all distilled text."""
    found = (source for source in corpus.sources if source.type == "distilled")
    return [file for source in found for file in _of_split(source, folder)]


def _of_side(side: str, setting: str | Sides | None) -> str | None:
    return getattr(setting, side) if isinstance(setting, Sides) else setting


def fetched_files(text: ParallelText | Text, fetched: Fetched) -> list[Path]:
    """All files that the downloads of a corpus or a text are read from; `InputError` for an unknown download."""
    files: list[Path] = []
    for source in text.sources:
        if source.type == "download":
            files += _fetched(source, fetched)
        if isinstance(text, ParallelText) and source.overlap:
            files += overlap.files_of(source.overlap, fetched)
    return files


def _single(path: Path, corpus: ParallelText, source: ParallelSource) -> Stream:
    """A file that holds both sides."""
    match readers.format_of(path):
        case "tsv":
            return partial(pairs.from_table, path, source.columns.model_dump())
        case "xml":
            return partial(pairs.from_devset, path, corpus.source, corpus.target)
    message = (
        f"one file of {corpus.source} text, but a translation into {corpus.target} is needed; name both files"
    )
    raise InputError.at(path, message)
