"""A file is by the code of the last run that began before its job did."""

import os
from pathlib import Path

import pytest

from headwork.run.made_by import made_by, note_run, runs_of
from headwork.run.metadata import record_file, records
from headwork.run.versions import Locked


@pytest.fixture
def runs(tmp_path: Path) -> list[dict]:
    """A run at 10 s with version 1, one at 20 s by edited code, and one at 40 s that only touched files."""
    file = tmp_path / ".snakemake/runs.jsonl"
    for jobs, code in (
        ({"heads": Locked(1, "a")}, "first"),
        ({"heads": Locked(0, "b")}, "second+"),
        ({}, "third"),
    ):
        note_run(jobs, code, file)
    with file.open("a") as lines:
        lines.write('{"began": 1')
    found = runs_of(file)
    assert [run["commit"] for run in found] == ["first", "second+", "third"]
    assert all(abs(run["began"] - os.stat(file).st_mtime) < 10 for run in found)
    return [run | {"began": began} for run, began in zip(found, (10, 20, 40), strict=True)]


@pytest.mark.parametrize(
    ("started", "version", "code", "commit"),
    [(10, 1, "a", "first"), (19, 1, "a", "first"), (39, 0, "b", "second+")],
)
def test_the_last_run_before_a_job_made_its_files(runs, started, version, code, commit) -> None:
    record = {"rule": "heads", "starttime": started}
    expected = {"job": "heads", "version": version, "hash": code, "commit": commit}
    assert made_by(record, runs) == expected


@pytest.mark.parametrize(("rule", "started"), [("heads", 9), ("heads", 41), ("unknown", 15)])
def test_what_no_run_made_is_by_none(runs, rule, started) -> None:
    assert made_by({"rule": rule, "starttime": started}, runs) is None


def test_long_paths_have_records_too(tmp_path: Path) -> None:
    for path in (paths := ["results/a.csv", f"results/{'b' * 300}/{'c' * 200}.csv"]):
        file = record_file(path, tmp_path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path)
        assert all(len(part) < 256 for part in file.parts)
    (tmp_path / "no base64").write_text("")
    assert [(path, file.read_text()) for path, file in records(tmp_path)] == [(path, path) for path in paths]
