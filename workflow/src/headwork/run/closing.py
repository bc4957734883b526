"""The last lines of a run: what failed jobs, unknown targets and broken config files are answered with, after all that
Snakemake prints.

Snakemake finds `ClosingReport` as its logger plugin ``headwork``, which profiles/default names.
"""

import atexit
import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from headwork.errors import InputError
from headwork.run.directional import escaped
from headwork.settings.config import read_yaml
from headwork.settings.sentences import spelling

ERROR = re.compile(r"\d\d:\d\d:\d\d ERROR (.*)")  # as headwork.run.frame writes it to the log of a job
WARNING = re.compile(r"\d\d:\d\d:\d\d WARNING (.*)")
KILLED = "the job ended without an error message; it was killed, or memory ran out"
TOO_LATE = (
    "the file was not there when its job had ended; on a network file system it may come later: "
    "run the same command again with --latency-wait 60"
)
TOO_OLD = (
    "the file is older than {0}, which it was made of: the clock was moved back; "
    "touch {0} and run the same command again"
)


class ClosingReport(LogHandlerBase):
    """Collects failed jobs, outputs rejected after their job and unknown targets from Snakemake's log events.

    The Snakefile sets `asked`, which gives the targets of the command, and `names`, those that there are; without them
    it was not read, and config files are looked at. The event of an error has a field for the name of the exception
    alone: which of the targets, or of the running jobs' outputs, it is about is told by their names among the words of
    its message. A job that fails and is tried again is forgotten.
    """

    writes_to_stream = writes_to_file = needs_rulegraph = False
    has_filter = has_formatter = (
        True  # neither is needed: all events are of interest, and none is printed as it is
    )

    def __post_init__(self) -> None:
        self.names: Callable[[], Iterable[str]] | None = None
        self.asked: Callable[[], Iterable[str]] = tuple
        self.running: dict[int, tuple[Sequence[str], Sequence[str]]] = {}  # job -> inputs, outputs
        self.rejected: dict[int, list[str]] = {}  # job -> a sentence for each output
        self.logs: dict[int, list[str]] = {}  # failed job -> its logs
        self.begun: dict[int, list[str]] = {}  # job -> its logs
        self.unknown: list[str] = []
        self.unread = False  # the run ended before the Snakefile was read
        atexit.register(self.print)

    def emit(self, record: logging.LogRecord) -> None:
        match getattr(record, "event", None):
            case LogEvent.JOB_INFO:
                self._forget(
                    record.jobid
                )  # the end of a job is no event where Snakemake is quiet about progress
                self.running[record.jobid] = record.input, record.output
                self.begun[record.jobid] = list(record.log or ())
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
        self.unread |= self.names is None
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
        """One sentence for each unknown target, rejected output and failed job, then the paths of logs with errors; and
        of jobs that went well what they warn of.
        """
        unknown = [
            f"{target}: no item, rule or file of this name; {spelling(target, sorted(self.names()))}"
            for target in self.unknown
        ]
        rejected = [sentence for sentences in self.rejected.values() for sentence in sentences]
        failed = [line for logs in self.logs.values() for line in _of_job([Path(log) for log in logs])]
        broken = _broken_configs(sys.argv[1:]) if self.unread else []
        return broken + unknown + rejected + failed + self._warnings()

    def _warnings(self) -> list[str]:
        """What jobs warn of in their logs, such as a text that is shorter than a study's; a dry run starts none."""
        if self.common_settings is None or self.common_settings.dryrun:
            return []
        logs = [
            log
            for job, logs in self.begun.items()
            if job not in self.logs
            for log in logs
            if Path(log).is_file()
        ]
        said = [
            (log, WARNING.findall(Path(log).read_text(encoding="utf-8", errors="replace"))) for log in logs
        ]
        return [f"warning: {line} ({log})" for log, lines in said for line in dict.fromkeys(lines)]

    def print(self) -> None:
        for line in self.lines():
            print(escaped(line), file=sys.stderr)


def _broken_configs(command: Sequence[str]) -> list[str]:
    """What is wrong with the config files that a command of Snakemake names: it says neither file nor line."""
    from snakemake.cli import get_argument_parser

    said = []
    for path in get_argument_parser().parse_known_args(command)[0].configfile or ():
        try:
            read_yaml(path)
        except InputError as error:
            said.append(str(error))
    return said


def _time(path: str) -> float:
    """The modification time of a file; that of no file is before all others."""
    return os.path.getmtime(path) if os.path.exists(path) else 0.0


def _of_job(logs: list[Path]) -> list[str]:
    """The last error in each of a job's logs, and the log's path; without errors, the log written last."""
    there = sorted(filter(Path.is_file, logs), key=lambda log: log.stat().st_mtime)
    said = {log: ERROR.findall(log.read_text(encoding="utf-8", errors="replace")) for log in there}
    errors = {log: errors[-1] for log, errors in said.items() if errors} or {(there or logs)[-1]: KILLED}
    return [line for log, error in errors.items() for line in (error, f"log: {log}")]
