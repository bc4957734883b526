"""The peak of this process's memory."""

import resource
from contextlib import suppress
from pathlib import Path


def peak() -> float:
    """MiB, the most that this process has had in memory since it began or since `forget_peak`."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def forget_peak() -> float:
    """Let the peak begin anew from what is in memory now (Linux), and return it."""
    with suppress(OSError):  # elsewhere the peak stays that of the whole process
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak()
