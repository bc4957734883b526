"""One run at a time in a folder, by an operating-system file lock that ends with the process.

Snakemake's own lock is a plain file that outlives a killed run and would have to be removed by hand.
"""

import os
from pathlib import Path

from filelock import lock_descriptor

from headwork.errors import InputError


def lock_folder(path: str | Path) -> None:
    """Lock the file `path`, made if needed, until this process ends.

    Child processes do not inherit the lock. Raises `InputError` with the process id if another process holds it. On a
    file system without locks nothing is locked.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT)  # kept open, and so locked, until this process ends
    try:
        locked = lock_descriptor(file, blocking=False)
    except OSError:
        os.close(file)
        return
    if not locked:
        other = os.read(file, 20).decode().strip() or "unknown"
        os.close(file)
        raise InputError(f"another run (process {other}) works in this folder; wait for its end, or stop it")
    os.truncate(file, 0)
    os.write(file, f"{os.getpid()}\n".encode())
