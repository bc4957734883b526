"""A full or read-only disk, files that come late or are truncated: what is said and kept, and that a rerun mends it."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from clones import Clone
from killing import contents, differing

pytestmark = [pytest.mark.workflow, pytest.mark.long]

WORLD = "results/miniature/corpora/world"
WEIGHTS = "results/miniature/models/news-karvan-s1/model.safetensors"
SCORES = "results/miniature/models/news-karvan-s1/scores.json"
# put at the end of a script: its output is away until some seconds after the job's end
LATE = """
import subprocess
from pathlib import Path

place = Path(snakemake.output.summary)
away = place.rename(".checkpoints.away")
subprocess.Popen(["sh", "-c", f"sleep {seconds}; mv {{away}} {{place}}"], start_new_session=True)
"""


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


def last_words(done: subprocess.CompletedProcess[str], says: str) -> None:
    """The run failed, without a traceback, and its last lines, two for each failed job, have this."""
    assert done.returncode == 1
    assert "Traceback (most" not in done.stdout + done.stderr
    assert re.search(says, "\n".join(done.stderr.splitlines()[-4:])), done.stderr[-2000:]


def test_a_full_disk(small_disk, survives) -> None:
    clone = small_disk
    with survives("the disk is full", "No space left on device; ... run the same command again"):
        clone.snakemake("results/miniature/corpora/news-karvan/tokenizer.json")
        before = contents(clone / "results/miniature/corpora")
        used = os.statvfs(clone / "results")
        full = (used.f_blocks - used.f_bavail) * used.f_frsize
        resized(clone, f"size={full + 4096}")
        done = clone.snakemake(SCORES, check=False)
        last_words(done, "No space left on device.*run the same command again")
        assert not (clone / WEIGHTS).exists()
        assert before.items() <= contents(clone / "results/miniature/corpora").items()
        resized(clone, "size=200m")
        clone.snakemake(SCORES)
        assert (clone / SCORES).stat().st_size > 0


def test_results_that_may_only_be_read(small_disk, survives) -> None:
    clone = small_disk
    with survives(
        "the results may only be read", "results: this folder cannot be written to; mount it for writing"
    ):
        resized(clone, "ro")
        done = clone.snakemake(f"{WORLD}/summary.csv", check=False)
        last_words(done, "results: this folder cannot be written to; mount it for writing")
        resized(clone, "rw")
        clone.snakemake(f"{WORLD}/summary.csv")


def test_a_damaged_file(smoke_clone, survives) -> None:
    clone = smoke_clone("damaged")
    targets = (SCORES, "results/miniature/heads/news-karvan-s1.parquet")
    clone.snakemake(*targets)
    whole = contents(clone / "results", "run.json")
    with survives(
        "the weights of a model are truncated", "these are no whole weights; ... run the same command again"
    ):
        (clone / WEIGHTS).write_bytes((clone / WEIGHTS).read_bytes()[:1000])
        done = clone.snakemake(*targets, check=False)
        last_words(
            done,
            f"{WEIGHTS}: these are no whole weights.*renamed to {WEIGHTS}.damaged: run the same command again",
        )
        clone.snakemake(*targets)
        (clone / f"{WEIGHTS}.damaged").unlink()
        assert differing(contents(clone / "results", "run.json"), whole) == []


def test_files_that_come_late(smoke_clone, survives) -> None:
    """As on a network file system: later than Snakemake waits by default (3 seconds), and within that time."""
    clone = smoke_clone("late")
    script = clone / "workflow/scripts/call.py"
    text = script.read_text()
    target = f"{WORLD}/summary.csv"
    clone.snakemake(target)
    whole = contents(clone / WORLD)
    with survives("an output comes a second late"):
        script.write_text(text + LATE.format(seconds=1))
        clone.snakemake(target)
        assert differing(contents(clone / WORLD), whole) == []
    with survives(
        "an output comes ten seconds late", "the file was not there ...: run the same command again with ..."
    ):
        script.write_text(text + LATE.format(seconds=10))
        done = clone.snakemake("--forcerun", "world", "--", target, check=False)
        last_words(
            done, f"{target}: the file was not there .*: run the same command again with --latency-wait 60"
        )
        clone.snakemake("--forcerun", "world", "--latency-wait", "60", "--", target)
        assert differing(contents(clone / WORLD), whole) == []


@pytest.fixture
def pulled(clone, tmp_path_factory) -> tuple[Clone, Path, dict[str, bytes]]:
    """A clone that has pulled a folder, from the remote `published` inside the repository, and what it pulled."""
    clone.run("rm", "-rf", ".dvc/published", "dvc.lock")
    (clone / "dvc.yaml").write_text(yaml.safe_dump({"stages": {"heads": {"cmd": "true", "outs": ["heads"]}}}))
    (clone / "heads").mkdir()
    for number in range(20):
        (clone / f"heads/{number}").write_text(f"{number}\n" * 1000)
    clone.run("dvc", "commit", "--force", "--quiet")
    clone.run("dvc", "push", "--quiet")
    clone.commit("pushed")
    folder = tmp_path_factory.mktemp("pulled") / "there"
    clone.run("git", "clone", "--quiet", str(clone.folder), str(folder))
    there = Clone(folder)
    there.run("dvc", "pull", "--quiet")
    return there, folder, contents(folder / "heads")


def truncate(store: Path) -> Path:
    """Cut one file of a DVC store, the one with the first name; its path."""
    path = min(path for path in store.rglob("*") if path.is_file() and path.suffix != ".dir")
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:100])
    return path


def test_a_truncated_object_of_the_cache(pulled, survives) -> None:
    there, folder, whole = pulled
    with survives("an object in DVC's cache is truncated"):
        truncate(folder / ".dvc/cache/files/md5")
        there.run("rm", "-rf", "heads")
        there.run("dvc", "pull", "--quiet")
        assert differing(contents(folder / "heads"), whole) == []


def test_a_truncated_object_of_the_remote(pulled, survives) -> None:
    """It is refused, nothing of it comes into the results, and with the whole object the same command works."""
    there, folder, whole = pulled
    with survives("an object in DVC's remote is truncated", "ERROR: failed to pull data from the cloud"):
        remote = folder / ".dvc/published/files/md5"
        cut = truncate(remote)
        there.run("rm", "-rf", "heads", ".dvc/cache")
        done = there.run("dvc", "pull", "--quiet", check=False)
        assert done.returncode != 0
        found = contents(folder / "heads") if (folder / "heads").exists() else {}
        assert found.items() <= whole.items()
        there.run("git", "checkout", "--", str(cut.relative_to(folder)))
        there.run("dvc", "pull", "--quiet")
        assert differing(contents(folder / "heads"), whole) == []
