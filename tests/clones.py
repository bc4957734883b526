"""Throw-away clones of the checkout, in which the real tools run: Snakemake, DVC, git."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import forked
import pytest
import yaml

HASHES = (".snakemake/fingerprints.json", ".snakemake/jobs.json")  # of code, which take three seconds


@dataclass(frozen=True)
class Clone:
    """A copy of the tracked and new files of the checkout, with the environment of this interpreter."""

    folder: Path

    def __truediv__(self, path: str) -> Path:
        return self.folder / path

    @property
    def environment(self) -> dict[str, str]:
        """This process's, but the library is the clone's own."""
        scripts = str(Path(sys.executable).parent)
        inherited = {name: value for name, value in os.environ.items() if name != "HEADWORK_DATA"}
        return inherited | {
            "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(self.folder / "workflow/src"),
            "DVC_NO_ANALYTICS": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command in the clone; its output is in the error if it fails."""
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        return checked(done) if check else done

    def snakemake(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run Snakemake in the clone, in a process that is forked rather than started anew (tests/forked.py)."""
        done = forked.snakemake(self.folder, self.environment, ("--nocolor", "--cores", "2", *arguments))
        return checked(done) if check else done

    def planned(self, *targets: str, options: Sequence[str] = ()) -> dict[str, int]:
        """What a dry run would do: rule -> jobs. Empty if nothing is to be done."""
        output = self.snakemake("--dry-run", *options, "--quiet", "rules", "--", *targets).stdout
        table = re.search(r"^job +count\n[- ]+\n((?:\S+ +\d+\n)+)", output, re.MULTILINE)
        if table is None:
            assert "Nothing to be done" in output, output
            return {}
        counts = dict(line.split() for line in table[1].splitlines())
        return {rule: int(jobs) for rule, jobs in counts.items() if rule != "total"}

    def commit(self, message: str) -> None:
        """Commit everything git does not ignore."""
        self.run("git", "add", "--all")
        who = ("-c", "user.name=test", "-c", "user.email=test@example.org")
        self.run("git", *who, "commit", "--quiet", "--message", message)


def checked(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    """A command that has ended well; if not, the test fails with all that it said."""
    if done.returncode:
        pytest.fail(f"{' '.join(done.args)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def copy_of(root: Path, folder: Path) -> Clone:
    """A git repository of its own in `folder`, with the files that git tracks, or would track, in `root`.

    What is published there stays behind: 160 MB that no clone needs, as each publishes results of its own.
    """
    kinds = ("--cached", "--others", "--exclude-standard")
    listed = subprocess.run(
        ["git", "ls-files", "-z", *kinds, "--", ".", ":!.dvc/published"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name)
    clone = Clone(folder)
    clone.run("git", "init", "--quiet")
    return clone


@contextmanager
def edited(path: Path, old: str, new: str) -> Iterator[None]:
    """The file with one passage replaced, for the length of the block."""
    text = path.read_text()
    assert text.count(old) >= 1, f"{path} has no {old!r}"
    path.write_text(text.replace(old, new, 1))
    try:
        yield
    finally:
        path.write_text(text)


def merged(settings: dict, changes: dict) -> dict:
    """`settings` with `changes`, mapping by mapping, as `--configfile` does it."""
    both = {**settings}
    for key, value in changes.items():
        nested = isinstance(value, dict) and isinstance(settings.get(key), dict)
        both[key] = merged(settings[key], value) if nested else value
    return both


@pytest.fixture(scope="session")
def listed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Clone, str]:
    """A fresh copy of the checkout, and the rules that Snakemake lists in it, one a line, each with its sentence."""
    clone = copy_of(root, tmp_path_factory.mktemp("clone") / "headwork")
    return clone, clone.snakemake("--list-rules").stdout


@pytest.fixture
def clone(root: Path, listed: tuple[Clone, str]) -> Iterator[Clone]:
    """A copy of the checkout at the default scale, made anew for each test in one place, where hashes of code hold."""
    clone, _ = listed
    kept = {name: (clone / name).read_bytes() for name in HASHES}
    yield clone
    shutil.rmtree(clone.folder)
    copy_of(root, clone.folder)
    (clone / HASHES[0]).parent.mkdir()
    for name, hashes in kept.items():
        (clone / name).write_bytes(hashes)


@pytest.fixture(scope="session")
def smoke_clone(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Clone]:
    """Make copies of the checkout whose miniature scale is as small as the smoke scale."""

    def make(name: str) -> Clone:
        clone = copy_of(root, tmp_path_factory.mktemp(name))
        default = clone / "config/config.yaml"
        changes = yaml.safe_load((root / "tests/config/smoke.yaml").read_text())
        default.write_text(
            yaml.safe_dump(
                merged(yaml.safe_load(default.read_text()), changes | {"scale": "miniature"}), sort_keys=False
            )
        )
        return clone

    return make
