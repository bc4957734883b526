"""One run at a time in a folder: the system's lock on a file, which goes with the process however that ends.

Snakemake's own lock is a file, and outlives a run that was killed: somebody would have to remove it by hand.
"""

import fcntl
import os
from pathlib import Path

from headwork.errors import InputError


def be_alone(path: str | Path) -> None:
    """Lock `path`, which is made where it is not there, until this process ends.

    The lock is not handed on to programs that this process starts. Raises `InputError` if another process has it, with
    the number of that process. On a file system without locks nothing is locked.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT)  # open, and so locked, as long as this process lives
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        other = os.read(file, 20).decode().strip() or "unknown"
        os.close(file)
        raise InputError(
            f"another run (process {other}) works in this folder; wait for its end, or stop it"
        ) from None
    except OSError:
        os.close(file)
        return
    os.truncate(file, 0)
    os.write(file, f"{os.getpid()}\n".encode())
