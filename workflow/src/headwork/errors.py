"""Errors that a user can mend: one readable sentence, with file and line where there is one."""

from pathlib import Path


class InputError(ValueError):
    """Something the user gave (a file, a setting, a model) cannot be used; the message says what to do.

    Jobs print the message alone, without a traceback, and end with exit code 1.
    """

    @classmethod
    def at(cls, path: str | Path, message: str, line: int | None = None) -> "InputError":
        """An error at a place: ``data/train.en:17: message``; `line` counts from 1."""
        place = f"{path}:{line}" if line is not None else str(path)
        return cls(f"{place}: {message}")


class Unavailable(InputError):
    """A source does not have what was asked for, or cannot be reached; another source may have it."""


class DamagedFile(InputError):
    """A file that a job has written and that is not what it wrote: broken off, or changed by somebody.

    A job that finds one sets it aside, so that the next run makes it anew.
    """

    path: Path

    @classmethod
    def at(cls, path: str | Path, message: str, line: int | None = None) -> "DamagedFile":
        """As of `InputError`; `path` is the file."""
        error = super().at(path, message, line)
        error.path = Path(path)
        return error

    def set_aside(self) -> str:
        """Rename the file, and say so, if it lies below results/; what is the user's own stays as it is."""
        if self.path.is_absolute() or self.path.parts[:1] != ("results",) or not self.path.is_file():
            return ""
        aside = self.path.with_name(f"{self.path.name}.damaged")
        self.path.rename(aside)
        return f"; it is {aside} now: run the same command again, and it is made anew"
