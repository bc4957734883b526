"""SHA-256 of files, for downloads and for the provenance in run.json."""

import hashlib
from pathlib import Path

from headwork.errors import InputError


def sha256(path: str | Path) -> str:
    """The file's SHA-256 as 64 hexadecimal digits; the file is streamed. `InputError` if it is not there."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError.at(path, f"the file cannot be read ({error.strerror}); check the path") from error
