"""The last lines of a run: what failed jobs and unknown targets are answered with, after all that Snakemake prints."""

import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from snakemake_interface_logger_plugins.common import LogEvent

from headwork.run.directional import escaped
from headwork.settings.base import spelling

ERROR = re.compile(r"\d\d:\d\d:\d\d ERROR (.*)")  # as headwork.run.frame writes it to the log of a job
KILLED = "the job ended without an error message; it was killed, or memory ran out"
TOO_LATE = (
    "the file was not there when its job had ended; on a network file system it may come later: "
    "run the same command again with --latency-wait 60"
)
TOO_OLD = (
    "the file is older than {0}, which it was made of: the clock was moved back; "
    "touch {0} and run the same command again"
)


class ClosingReport(logging.Handler):
    """Collects failed jobs, outputs rejected after their job and unknown targets from Snakemake's log events.

    `asked` gives the targets of the command, `names` those that there are. The event of an error has a field for the
    name of the exception alone: which of the targets, or of the running jobs' outputs, it is about is told by their
    names among the words of its message. A job that fails and is tried again is forgotten.
    """

    def __init__(self, names: Callable[[], Iterable[str]], asked: Callable[[], Iterable[str]]) -> None:
        super().__init__()
        self.names, self.asked = names, asked
        self.running: dict[int, tuple[Sequence[str], Sequence[str]]] = {}  # job -> inputs, outputs
        self.rejected: dict[int, list[str]] = {}  # job -> a sentence for each output
        self.logs: dict[int, list[str]] = {}  # failed job -> its logs
        self.unknown: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        match getattr(record, "event", None):
            case LogEvent.JOB_INFO:
                self._forget(
                    record.jobid
                )  # the end of a job is no event where Snakemake is quiet about progress
                self.running[record.jobid] = record.input, record.output
            case LogEvent.JOB_ERROR:
                self._forget(record.jobid)
                self.logs[record.jobid] = list(record.log)
            case LogEvent.JOB_FINISHED:
                self._forget(record.job_id)
            case LogEvent.ERROR:
                self._note(record.exception, set(record.getMessage().split()))

    def _forget(self, job: int) -> None:
        for by_job in (self.running, self.rejected, self.logs):
            by_job.pop(job, None)

    def _note(self, exception: str, words: set[str]) -> None:
        if exception == "MissingRuleException":
            self.unknown += [target for target in self.asked() if os.path.relpath(target) in words]
        for job, (inputs, outputs) in self.running.items():
            named = [output for output in outputs if output in words]
            if named and exception == "MissingOutputException":
                self.rejected[job] = [f"{output}: {TOO_LATE}" for output in named]
            elif named and exception == "WorkflowError":
                newest = max(inputs, key=_time, default="")
                self.rejected[job] = [
                    f"{output}: {TOO_OLD.format(newest)}" for output in named if _time(output) < _time(newest)
                ]

    def lines(self) -> list[str]:
        """One sentence for each unknown target, rejected output and failed job, then the paths of logs with errors."""
        unknown = [
            f"{target}: no item, rule or file of this name; {spelling(target, sorted(self.names()))}"
            for target in self.unknown
        ]
        rejected = [sentence for sentences in self.rejected.values() for sentence in sentences]
        failed = [line for logs in self.logs.values() for line in _of_job([Path(log) for log in logs])]
        return unknown + rejected + failed

    def print(self) -> None:
        for line in self.lines():
            print(escaped(line), file=sys.stderr)


def _time(path: str) -> float:
    """The modification time of a file; that of no file is before all others."""
    return os.path.getmtime(path) if os.path.exists(path) else 0.0


def _of_job(logs: list[Path]) -> list[str]:
    """The last error in each of a job's logs, and the log's path; without errors, the log written last."""
    there = sorted(filter(Path.is_file, logs), key=lambda log: log.stat().st_mtime)
    said = {log: ERROR.findall(log.read_text(encoding="utf-8", errors="replace")) for log in there}
    errors = {log: errors[-1] for log, errors in said.items() if errors} or {(there or logs)[-1]: KILLED}
    return [line for log, error in errors.items() for line in (error, f"log: {log}")]
