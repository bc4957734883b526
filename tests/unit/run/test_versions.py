"""A rule carries its version while its code is the one in the lock, and the hash of the code where it is not."""

import json
from pathlib import Path

import pytest

from headwork.errors import InputError
from headwork.run.versions import Locked, Versions, read_lock, write_lock

JOBS = {"train": Locked(12, "b" * 16), "heads": Locked(1, "a" * 16)}


def test_a_lock_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_lock(lock := tmp_path / "jobs.lock", JOBS)
    comment, *lines = lock.read_text().splitlines()
    assert comment.startswith("#")
    assert "make verify" in comment
    assert lines == [f"heads   1  {'a' * 16}", f"train  12  {'b' * 16}"]
    assert read_lock(lock) == JOBS
    write_lock(lock, {})
    assert read_lock(lock) == {}
    assert read_lock(tmp_path / "none") == {}


@pytest.mark.parametrize("line", ["<<<<<<< ours", "heads 1", "heads one abc", "train 3 abc"])
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    write_lock(lock := tmp_path / "jobs.lock", JOBS)
    lock.write_text(lock.read_text() + line + "\n")
    with pytest.raises(InputError, match=r"jobs\.lock:4: "):
        read_lock(lock)


def test_edited_code_carries_its_hash(tmp_path: Path) -> None:
    write_lock(lock := tmp_path / "jobs.lock", JOBS)
    code = {"same.py": "a" * 16, "edited.py": "c" * 16, "new.py": "d" * 16}
    versions = Versions(lock, code.__getitem__)
    assert versions("heads", "same.py") == "version 1"
    assert versions("train", "edited.py") == "c" * 16
    assert versions("probes", "new.py") == "d" * 16
    assert versions.by_job() == {
        "heads": Locked(1, "a" * 16),
        "train": Locked(0, "c" * 16),
        "probes": Locked(0, "d" * 16),
    }
    with pytest.raises(ValueError, match="two rules"):
        versions("heads", "new.py")
    versions.keep(kept := tmp_path / ".snakemake/jobs.json")
    assert json.loads(kept.read_text()) == versions.hashes
    versions.keep(tmp_path / "jobs.lock/jobs.json")  # which cannot be written
