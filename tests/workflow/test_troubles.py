"""A full disk, a folder that may only be read, a damaged file: what is said and kept, and that a rerun mends it."""

import os
import re
import subprocess
from collections.abc import Iterator

import pytest
from clones import Clone

pytestmark = [pytest.mark.workflow, pytest.mark.long]

WEIGHTS = "results/miniature/models/news-karvan-s1/model.safetensors"
SCORES = "results/miniature/models/news-karvan-s1/scores.json"


@pytest.fixture
def small_disk(smoke_clone) -> Iterator[Clone]:
    """A clone whose results are on a disk of their own."""
    clone = smoke_clone("disk")
    results = clone / "results"
    results.mkdir(exist_ok=True)
    if mount("-t", "tmpfs", "-o", "size=200m", "headwork-test", str(results)):
        pytest.skip("no file system can be mounted here")
    yield clone
    subprocess.run(["umount", "--lazy", results], check=True)


def mount(*words: str) -> int:
    return subprocess.run(["mount", *words], capture_output=True, check=False).returncode


def resized(clone: Clone, options: str) -> None:
    assert not mount("-o", f"remount,{options}", str(clone / "results"))


def said(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout + done.stderr


def test_a_full_disk(small_disk) -> None:
    clone = small_disk
    clone.snakemake("results/miniature/corpora/news-karvan/tokenizer.json")
    before = {
        path: path.read_bytes() for path in (clone / "results/miniature/corpora").rglob("*") if path.is_file()
    }
    used = os.statvfs(clone / "results")
    full = (used.f_blocks - used.f_bavail) * used.f_frsize
    resized(clone, f"size={full + 4096}")
    done = clone.snakemake(SCORES, check=False)
    assert done.returncode != 0
    assert re.search(r"ERROR .*No space left on device.*run the same command again", said(done))
    assert not (clone / WEIGHTS).exists()
    for path, content in before.items():
        assert path.read_bytes() == content, path
    resized(clone, "size=200m")
    clone.snakemake(SCORES)
    assert (clone / SCORES).stat().st_size > 0


def test_results_that_may_only_be_read(small_disk) -> None:
    clone = small_disk
    resized(clone, "ro")
    done = clone.snakemake("results/miniature/corpora/world/summary.csv", check=False)
    assert done.returncode != 0
    assert re.search(r"results: this folder cannot be written to; mount it for writing", said(done))
    assert "Traceback" not in said(done)
    resized(clone, "rw")
    clone.snakemake("results/miniature/corpora/world/summary.csv")


def test_a_damaged_file(smoke_clone) -> None:
    clone = smoke_clone("damaged")
    heads = "results/miniature/heads/news-karvan-s1.parquet"
    targets = (SCORES, heads)
    clone.snakemake(*targets)
    whole = {path: (clone / path).read_bytes() for path in (*targets, WEIGHTS)}
    (clone / WEIGHTS).write_bytes(whole[WEIGHTS][:1000])
    done = clone.snakemake(*targets, check=False)
    assert done.returncode != 0
    assert f"{WEIGHTS}: these are no whole weights" in said(done)
    assert f"it was renamed to {WEIGHTS}.damaged: run the same command again" in said(done)
    clone.snakemake(*targets)
    assert {path: (clone / path).read_bytes() for path in whole} == whole
