"""The last lines of a run: what failed jobs and unknown targets are answered with, after all that Snakemake prints."""

import logging
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from headwork.run.directional import escaped
from headwork.settings.options import spelling

ERROR = re.compile(r"\d\d:\d\d:\d\d ERROR (.*)")
MISSING = re.compile(r"No rule to produce (\S+)")
# Snakemake's words on outputs that are absent after their job: the job's number, and a file a line.
LATE = re.compile(r"Job (\d+) +completed successfully, but some output files are missing")
LATE_FILE = re.compile(r"^(\S+) \(missing locally", re.MULTILINE)
OLD = re.compile(r"Output (\S+) has older modification time \(.*?\) than input (\S+) ")
KILLED = "the job ended without an error message; it was killed, or memory ran out"
TOO_LATE = (
    "the file was not there when its job had ended; on a network file system it may come later: "
    "run the same command again with --latency-wait 60"
)
TOO_OLD = (
    "the file is older than {0}, which it was made of: the clock was moved back; "
    "touch {0} and run the same command again"
)


class LastWords(logging.Handler):
    """Collects failed jobs, outputs rejected after their job and unknown targets from Snakemake's log records.

    A job that fails and succeeds in a later attempt is forgotten. `names` gives the targets that there are.
    """

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        super().__init__()
        self.names = names
        self.logs: dict[int, list[str]] = {}
        self.late: dict[int, list[str]] = {}
        self.old: list[tuple[str, str]] = []
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
            self.old += OLD.findall(said)
            if late := LATE.search(said):
                self.late[int(late[1])] = LATE_FILE.findall(said)

    def lines(self) -> list[str]:
        """One sentence for each unknown target, rejected output and failed job, then the paths of logs with errors."""
        said = []
        for target in self.missing:
            said.append(
                f"{target}: no item, rule or file of this name; {spelling(target, sorted(self.names()))}"
            )
        said += [f"{path}: {TOO_LATE}" for files in self.late.values() for path in files]
        said += [f"{path}: {TOO_OLD.format(source)}" for path, source in self.old]
        return said + [line for logs in self.logs.values() for line in _of_job([Path(log) for log in logs])]

    def print(self) -> None:
        """Print these lines to the standard error."""
        for line in self.lines():
            print(escaped(line), file=sys.stderr)


def _of_job(logs: list[Path]) -> list[str]:
    """The last error in each of a job's logs, and the log's path; without errors, the log written last."""
    there = sorted(filter(Path.is_file, logs), key=lambda log: log.stat().st_mtime)
    said = {log: ERROR.findall(log.read_text(encoding="utf-8", errors="replace")) for log in there}
    errors = {log: errors[-1] for log, errors in said.items() if errors} or {(there or logs)[-1]: KILLED}
    return [line for log, error in errors.items() for line in (error, f"log: {log}")]
