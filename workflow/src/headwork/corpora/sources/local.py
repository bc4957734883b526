"""The files of a `local` source: files, a folder of files, or stems and patterns of names."""

import logging
from collections.abc import Sequence
from pathlib import Path

from headwork.corpora.sources.readers import OPENERS, format_of
from headwork.errors import InputError, no_file
from headwork.settings.corpora import Sides

ENDINGS = ("", *OPENERS)
WILD = frozenset("*?[")


def below(folder: Path, path: str) -> Path:
    """The path in the data folder; `InputError` if it leads out of the folder. Links in the folder are followed."""
    if Path(path).is_absolute() or ".." in Path(path).parts or "\0" in path:
        raise InputError(f"the path {path!r} leads out of the data folder; give one below {folder}")
    return folder / path


def file_at(folder: Path, name: str) -> Path:
    """The file of that name in the folder, plain or with .gz, .xz or .bz2; `InputError` if there is none."""
    below(folder, name)
    for ending in ENDINGS:
        path = folder / (name + ending)
        if path.is_file():
            return path
    raise InputError.at(
        folder / name,
        no_file(
            path, f"the file does not exist, nor with {', '.join(OPENERS)}; check `path` and the data folder"
        ),
    )


def pairs_of_files(folder: Path, path: str | Sides, source: str, target: str) -> list[tuple[Path, Path]]:
    """The pairs of line-aligned files that `path` means, in the order of their names.

    `path` is, below `folder`: {source: file, target: file}; a folder, for all pairs in it; or a stem, which
    may be a pattern, for `stem.en` and `stem.ru` (each plain or compressed).
    """
    if isinstance(path, Sides):
        return [(file_at(folder, path.source), file_at(folder, path.target))]
    place = below(folder, path)
    if not place.is_dir() and not WILD & set(path):
        return [(file_at(folder, f"{path}.{source}"), file_at(folder, f"{path}.{target}"))]
    pattern = f"{path}/*" if place.is_dir() else path
    stems = sorted({stem for ending in ENDINGS for stem in _stems(folder, pattern, f".{source}{ending}")})
    found = []
    for stem in stems:
        try:
            found.append((file_at(folder, f"{stem}.{source}"), file_at(folder, f"{stem}.{target}")))
        except InputError:
            logging.warning("%s.%s has no .%s beside it; left out", folder / stem, source, target)
    if not found:
        raise InputError.at(
            place,
            f"the folder has no files ending in .{source} and .{target}; check `path` and the data folder",
        )
    return found


def _stems(folder: Path, pattern: str, ending: str) -> list[str]:
    return [str(file.relative_to(folder)).removesuffix(ending) for file in folder.glob(pattern + ending)]


def single_files(folder: Path, path: str, language: str) -> list[Path]:
    """The files of a monolingual source: a file, a folder of files, a pattern, or a stem of `stem.en`."""
    place = below(folder, path)
    if place.is_dir():
        found = sorted(file for file in place.iterdir() if file.is_file() and not file.name.startswith("."))
    elif WILD & set(path):
        found = sorted(file for file in folder.glob(path) if file.is_file())
    else:
        try:
            found = [file_at(folder, path)]
        except InputError:
            found = [file_at(folder, f"{path}.{language}")]
    if not found:
        raise InputError.at(place, "no file was found; check `path` and the data folder")
    return found


def files_of_text(folder: Path, paths: str | Sequence[str], language: str) -> list[Path]:
    """The files of several such sources, or of one."""
    each = [paths] if isinstance(paths, str) else paths
    return [file for path in each for file in single_files(folder, path, language)]


def holds_both_sides(folder: Path, path: str | Sides) -> Path | None:
    """The file, if `path` is one file that holds source and target (a table, a WMT set in XML)."""
    if isinstance(path, Sides):
        return None
    whole = below(folder, path)
    return whole if whole.is_file() and format_of(whole) in ("tsv", "xml") else None
