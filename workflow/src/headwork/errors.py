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
