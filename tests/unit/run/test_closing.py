"""The last lines of a run: a sentence for what went wrong, and none for what went well in a later attempt."""

import logging
import os
from enum import Enum

import pytest

from headwork.run.closing import KILLED, TOO_LATE, TOO_OLD, LastWords


class Event(Enum):
    """The two of Snakemake's log events that matter."""

    ERROR = "job_error"
    FINISHED = "job_finished"


# as snakemake.exceptions and snakemake.io word it
LATE = """MissingOutputException in rule world in file "corpora.smk", line 3:
Job 7  completed successfully, but some output files are missing. Missing files after 3 seconds. This might be due to \
filesystem latency. If that is the case, consider to increase the wait time with --latency-wait:
results/a.csv (missing locally, parent dir contents: b.csv)"""


@pytest.fixture
def words() -> LastWords:
    return LastWords(lambda: ["voita2019_figure7", "gallery"])


def record(message: str, level: int = logging.ERROR, **more) -> logging.LogRecord:
    made = logging.LogRecord("snakemake", level, "", 0, message, (), None)
    vars(made).update(more)
    return made


def finished(job: int) -> logging.LogRecord:
    return record("Finished", logging.INFO, event=Event.FINISHED, job_id=job)


def test_a_file_that_comes_late(words):
    words.emit(record(LATE))
    assert words.lines() == [f"results/a.csv: {TOO_LATE}"]
    words.emit(finished(7))
    assert words.lines() == []


def test_a_clock_that_was_moved_back(words):
    words.emit(
        record("Output results/a.csv has older modification time (11:00) than input results/b.csv (12:00).")
    )
    assert words.lines() == [f"results/a.csv: {TOO_OLD.format('results/b.csv')}"]


def test_a_job_of_several_logs_names_the_one_it_stopped_at(words, tmp_path):
    logs = [str(tmp_path / name) for name in ("a.log", "b.log", "c.log")]
    for moment, log in enumerate(logs[:2]):
        with open(log, "w") as file:
            file.write("12:00:00 INFO begun\n")
        os.utime(log, (moment, moment))
    words.emit(record("Error in rule", event=Event.ERROR, jobid=1, log=logs))
    assert words.lines() == [KILLED, f"log: {logs[1]}"]
    with open(logs[0], "a") as file:
        file.write("12:00:01 ERROR a.txt:3: is empty\n")
    assert words.lines() == ["a.txt:3: is empty", f"log: {logs[0]}"]


def test_a_failed_job(words, tmp_path):
    logs = tmp_path / "a.log", tmp_path / "killed.log"
    logs[0].write_text("12:00:00 INFO begun\n12:00:01 ERROR a.txt:3: is empty\n")
    for job, log in enumerate(logs):
        words.emit(record("Error in rule", event=Event.ERROR, jobid=job, log=[str(log)]))
    assert words.lines() == ["a.txt:3: is empty", f"log: {logs[0]}", KILLED, f"log: {logs[1]}"]
    words.emit(finished(0))
    assert words.lines() == [KILLED, f"log: {logs[1]}"]


def test_an_unknown_target(words):
    words.emit(record("No rule to produce voita2019_figure77 (if you use input functions ...)"))
    (line,) = words.lines()
    assert line.startswith(
        "voita2019_figure77: no item, rule or file of this name; did you mean 'voita2019_figure7'"
    )
