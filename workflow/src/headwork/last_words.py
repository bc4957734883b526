"""The last lines of a run: what failed jobs and unknown targets are answered with, after all that Snakemake prints."""

import logging
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from headwork.options import spelling

ERROR = re.compile(r"\d\d:\d\d:\d\d ERROR (.*)")
MISSING = re.compile(r"No rule to produce (\S+)")
# Snakemake's words on outputs that are absent after their job: the job's number, and a file a line.
LATE = re.compile(r"Job (\d+) +completed successfully, but some output files are missing")
LATE_FILE = re.compile(r"^(\S+) \(missing locally", re.MULTILINE)
KILLED = "the job ended without an error message; it was killed, or memory ran out"
TOO_LATE = (
    "the file was not there when its job had ended; on a network file system it may come later: "
    "run the same command again with --latency-wait 60"
)


class LastWords(logging.Handler):
    """Collects failed jobs, outputs that came too late and targets that nothing makes from Snakemake's log records.

    A job that fails and succeeds in a later attempt is forgotten. `names` gives the targets that there are.
    """

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        super().__init__()
        self.names = names
        self.logs: dict[int, list[str]] = {}
        self.late: dict[int, list[str]] = {}
        self.missing: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Note a failed job, a finished one, or a target without a rule."""
        event = getattr(getattr(record, "event", None), "value", None)
        if event == "job_error":
            self.logs[record.jobid] = list(record.log)
        elif event == "job_finished":
            self.logs.pop(record.job_id, None)
            self.late.pop(record.job_id, None)
        elif record.levelno >= logging.ERROR:
            said = record.getMessage()
            self.missing += MISSING.findall(said)
            if late := LATE.search(said):
                self.late[int(late[1])] = LATE_FILE.findall(said)

    def lines(self) -> list[str]:
        """One sentence for each unknown target, late file and failed job, the last followed by the path of its log."""
        said = []
        for target in self.missing:
            said.append(
                f"{target}: no item, rule or file of this name; {spelling(target, sorted(self.names()))}"
            )
        said += [f"{path}: {TOO_LATE}" for files in self.late.values() for path in files]
        for logs in self.logs.values():
            for path in map(Path, logs):
                said += [_sentence(path), f"log: {path}"]
        return said

    def print(self) -> None:
        """Print these lines to the standard error."""
        for line in self.lines():
            print(line, file=sys.stderr)


def _sentence(log: Path) -> str:
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    said = ERROR.findall(text)
    return said[-1] if said else KILLED
