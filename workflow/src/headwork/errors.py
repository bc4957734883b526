"""Errors that a user can correct, each with a one-sentence message and, if known, file and line."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


class InputError(ValueError):
    """Invalid user input (a file, a setting, a model); the message says what to do, in one line.

    Jobs print the message without a traceback and exit with code 1.
    """

    def __init__(self, message: object = "") -> None:
        # what it quotes may hold ends of lines, and other characters that are not seen
        seen = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(message))
        super().__init__("".join(seen))

    @classmethod
    def at(cls, path: str | Path, message: str, line: int | None = None) -> "InputError":
        """An error with its location, ``data/train.en:17: message``; `line` counts from 1."""
        place = f"{path}:{line}" if line is not None else str(path)
        return cls(f"{place}: {message}")


def no_file(path: str | Path, absent: str) -> str:
    """Why no file can be read at a path: it is a folder, or a link that leads nowhere; else what is `absent`."""
    path = Path(path)
    if path.is_dir():
        return "this is a folder; name a file"
    return "this is a link that leads to no file; correct it" if path.is_symlink() else absent


class SettingError(InputError):
    """An invalid value in the settings called `name`, at the end of `steps`: the keys and list indices that lead to it.

    An unknown key is the last of the steps, but the message shows the mapping that holds it (`shown` steps).
    """

    def __init__(self, name: str, steps: Iterable[str | int], problem: str, shown: int | None = None) -> None:
        self.name, self.steps, self.problem, self.shown = name, tuple(steps), problem, shown
        where = ".".join(map(str, self.steps[:shown]))
        self.sentence = f"`{where}`: {problem}" if where else problem
        super().__init__(f"{name}: {self.sentence}")


class Unavailable(InputError):
    """A source lacks the requested file or cannot be reached; another source may have it."""


class DamagedFile(InputError):
    """A job's output file that is truncated or was changed after it was written.

    The job that reads it renames it, so that the next run makes it again.
    """

    path: Path

    @classmethod
    def at(cls, path: str | Path, message: str, line: int | None = None) -> "DamagedFile":
        """An error with its location, as `InputError.at`; `path` is the damaged file."""
        error = super().at(path, message, line)
        error.path = Path(path)
        return error

    def set_aside(self) -> str:
        """Rename the file if it lies below results/, and return a sentence that says so."""
        if self.path.is_absolute() or self.path.parts[:1] != ("results",) or not self.path.is_file():
            return ""
        aside = self.path.with_name(f"{self.path.name}.damaged")
        self.path.rename(aside)
        return f"; it was renamed to {aside}: run the same command again, which makes it again"


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Name the extra to install, in an `InputError`, where a package that the body imports is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("headwork", "miniature_world"):
            raise
        message = f"{error.name} is not installed; in a clone of headwork, run pip install '.[{name}]'"
        raise InputError(message) from error
