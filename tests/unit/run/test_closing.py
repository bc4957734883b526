"""The last lines of a run: a sentence for what went wrong, and none for what went well in a later attempt."""

import atexit
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from headwork.run.closing import KILLED, TOO_LATE, TOO_OLD, ClosingReport

SNAKEFILE = """
rule all:
    input: "results/late.csv", "results/old.csv", "results/failed.csv", "results/second.csv"

rule late:
    output: "results/late.csv", "results/made.csv"
    shell: "touch results/made.csv"

rule old:
    input: "source.txt", "older.txt"
    output: "results/old.csv"
    shell: "touch {output}"

rule failed:
    output: "results/failed.csv"
    log: "logs/failed.log"
    shell: "echo '12:00:01 ERROR a.txt:3: is empty' > {log}; false"

rule second:
    output: "results/second.csv"
    log: "logs/second.log"
    retries: 1
    shell: "test -e tried && touch {output} || {{ touch tried; false; }}"

for handler in workflow.logger_manager.get_log_handlers():
    handler.names, handler.asked = lambda: ["all", "late"], lambda: workflow.dag_settings.targets
"""


@pytest.fixture
def snakemake(root, tmp_path, monkeypatch):
    """Snakemake on these rules: the lines that it ends with."""
    monkeypatch.setenv("PYTHONPATH", str(root / "workflow/src"))
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    for days, name in enumerate(("older.txt", "source.txt")):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() + 86400 * days,) * 2)

    def run(*arguments):
        command = [
            sys.executable,
            "-m",
            "snakemake",
            "--cores",
            "1",
            "--nocolor",
            "--logger",
            "headwork",
            *arguments,
        ]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 1, done.stderr
        return done.stderr.splitlines()

    return run


@pytest.mark.slow
def test_jobs_that_fail_and_outputs_that_are_late_or_old(snakemake):
    lines = snakemake("--keep-going", "--latency-wait", "0", "--quiet", "progress")
    report = lines[-4:]
    assert sorted(report[:2]) == [
        f"results/late.csv: {TOO_LATE}",
        f"results/old.csv: {TOO_OLD.format('source.txt')}",
    ]
    assert report[2:] == ["a.txt:3: is empty", "log: logs/failed.log"]
    assert not any(KILLED in line for line in lines), "the second attempt was successful"


@pytest.mark.slow
@pytest.mark.parametrize("target", ["lat", "./results/late.csw"])
def test_an_unknown_target(snakemake, target):
    line = snakemake("--", "late", target)[-1]
    assert line.startswith(f"{target}: no item, rule or file of this name; ")
    assert ("did you mean 'late'?" in line) == (target == "lat")


@pytest.fixture
def report() -> Iterator[ClosingReport]:
    made = ClosingReport(SimpleNamespace(dryrun=False), None)
    made.names = made.asked = list
    yield made
    atexit.unregister(made.print)


def record(event: LogEvent, **fields) -> logging.LogRecord:
    made = logging.LogRecord("snakemake", logging.INFO, "", 0, "", (), None)
    vars(made).update(fields, event=event)
    return made


def test_a_job_of_several_logs_names_the_one_it_stopped_at(report, tmp_path):
    logs = [str(tmp_path / name) for name in ("a.log", "b.log", "c.log")]
    for moment, log in enumerate(logs[:2]):
        with open(log, "w") as file:
            file.write("12:00:00 INFO begun\n")
        os.utime(log, (moment, moment))
    report.emit(record(LogEvent.JOB_ERROR, jobid=1, log=logs))
    assert report.lines() == [KILLED, f"log: {logs[1]}"]
    with open(logs[0], "a") as file:
        file.write("12:00:01 ERROR a.txt:3: is empty\n")
    assert report.lines() == ["a.txt:3: is empty", f"log: {logs[0]}"]
    report.emit(record(LogEvent.JOB_FINISHED, job_id=1))
    assert report.lines() == []


def test_what_a_job_warns_of_is_said_once(report, tmp_path):
    log = str(tmp_path / "heads.log")
    with open(log, "w") as file:
        file.write("12:00:00 WARNING my.txt has 6 segments, not 500\n" * 2 + "12:00:01 LIBRARY WARNING old\n")
    report.emit(record(LogEvent.JOB_INFO, jobid=1, input=[], output=[], log=[log]))
    assert report.lines() == [f"warning: my.txt has 6 segments, not 500 ({log})"]
    report.emit(record(LogEvent.JOB_ERROR, jobid=1, log=[log]))
    assert report.lines() == [KILLED, f"log: {log}"]
    report.emit(record(LogEvent.JOB_INFO, jobid=1, input=[], output=[], log=[log]))
    report.common_settings.dryrun = True
    assert report.lines() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a: [1\nb: 2\n", "broken.yaml:2: the file is not valid YAML"),
        ("a:\n\tb: 2\n", "broken.yaml:2: the file is not valid YAML"),
        ("- a\n", "broken.yaml: the file has no keys at its top level"),
        (None, "broken.yaml: no such config file"),
    ],
)
def test_a_config_file_that_snakemake_cannot_read(snakemake, tmp_path, content, said):
    if content is not None:
        (tmp_path / "broken.yaml").write_text(content)
    assert snakemake("--configfile", "broken.yaml")[-1].startswith(said)
