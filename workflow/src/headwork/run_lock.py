"""One run at a time in a folder, by an operating-system file lock that ends with the process; and the end of it.

Snakemake's own lock is a plain file that outlives a killed run and would have to be removed by hand.

    python -m headwork.run_lock     # ends the run that works in this folder: `make stop`
"""

import fcntl
import os
import sys
from pathlib import Path

from headwork.errors import InputError

LOCK = Path(".snakemake/run.lock")


def be_alone(path: str | Path) -> None:
    """Lock `path`, made if needed, until this process ends.

    Child processes do not inherit the lock. Raises `InputError` with the process id if another process holds it. On a
    file system without locks nothing is locked.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT)  # kept open, and so locked, until this process ends
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


def stop(path: str | Path) -> list[int]:
    """Send SIGTERM to the process that holds the lock `path`, then to its jobs, and return their ids.

    Snakemake then starts no other job, and a training first writes a checkpoint. Raises `InputError` if nothing runs.
    """
    import psutil

    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        run = psutil.Process(int(Path(path).read_text(encoding="ascii")))
        stopped = [run, *run.children()]
        for each in stopped:
            each.terminate()
        return [each.pid for each in stopped]
    except FileNotFoundError:
        pass
    raise InputError("no run works in this folder")


if __name__ == "__main__":
    try:
        run, *jobs = stop(LOCK)
    except InputError as error:
        sys.exit(str(error))
    print(f"process {run} and its {len(jobs)} jobs are ending; the same command goes on from here")
