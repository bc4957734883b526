"""Whether a change of code changes results: the smoke scale made by another commit and by the code as it is.

Both are made beside the checkout, in `FOLDER`, each by its own code, and every file that a job made is compared
(`headwork.run.compare`). A job whose code has another hash than in the lock gets the new hash if all its files are
equal, or are tables with further rows beside the old ones; it gets a new version if they are not
(`headwork.run.versions`).

    python -m headwork.run.verify COMMIT [--moved old=new] [--cores 2]

`--moved papers=studies` says that what lay in results/smoke/papers lies in results/smoke/studies now.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from headwork.errors import InputError
from headwork.run.compare import Difference, difference, not_compared, only_more_rows
from headwork.run.metadata import METADATA, records
from headwork.run.versions import LOCK, NO_RESULTS, NOW, Locked, read_lock, write_lock

FOLDER = Path(".verify")
HERE = FOLDER / "here"
SMOKE = "tests/config/smoke.yaml"
SCALE = "results/smoke"
TARGETS = ("all", "all_weights")
LONGER = "more rows"  # of a new measure: what was measured before stays valid, and lacks it ("not measured")
NEW, GONE = "new", "no rule has this name any more"  # what may be said of a job although nothing differs
MADE_BY = ("Snakefile", "config", "profiles", "tests/config", "workflow")  # what results may depend on


@dataclass
class Side:
    """What one version of the code made: the scale's folder, and of each file the job and the job's inputs."""

    results: Path
    jobs: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> "Side":
        """The side in a clone, by Snakemake's records; paths are below the scale's folder."""
        side = cls(folder / SCALE)
        for path, file in records(folder / METADATA):
            if path.startswith(f"{SCALE}/"):
                made_by = json.loads(file.read_text(encoding="utf-8"))
                for made in _files(folder / path):
                    name = made.relative_to(side.results).as_posix()
                    side.jobs[name] = made_by["rule"]
                    side.inputs[name] = [given.removeprefix(f"{SCALE}/") for given in made_by["input"]]
        return side


@dataclass
class Verdict:
    """What became of a job: the number of its files, the first that differs, whether what it read differs too, and the
    number of tables that have further rows beside the old ones.
    """

    files: int = 0
    first: tuple[str, Difference] | None = None
    after: bool = False
    longer: int = 0


def compare(old: Side, new: Side, moved: Mapping[str, str]) -> dict[str, Verdict]:
    """Compare all files of two sides, by job of the new side; a file that is gone counts for the job that made it."""
    verdicts = {job: Verdict() for job in sorted(set(new.jobs.values()))}
    differing = set()
    before = {_moved(name, moved): name for name in old.jobs}
    for name in sorted(new.jobs.keys() | before.keys()):
        job = new.jobs.get(name) or old.jobs[before[name]]
        files = old.results / before.get(name, name), new.results / name, not_compared(name)
        verdict = verdicts.setdefault(job, Verdict())
        verdict.files += 1
        if found := difference(*files):
            differing.add(name)
            if only_more_rows(*files):
                verdict.longer += 1
            else:
                verdict.first = verdict.first or (name, found)
    for name in differing & new.inputs.keys():
        read = (other for other in new.inputs[name])
        verdicts[new.jobs[name]].after |= any(
            made == other or made.startswith(f"{other}/") for other in read for made in differing
        )
    return verdicts


def judged(
    verdicts: Mapping[str, Verdict],
    hashes: Mapping[str, str],
    lock: Mapping[str, Locked],
    versions: Mapping[str, int],
) -> Iterator[tuple[str, Locked | None, str]]:
    """Each job's new line in the lock, and what is to be said of it; no line for a job that is gone.

    `versions` has those of jobs that have no line yet, but whose files were made before, by jobs of other names.
    """
    for job, code in sorted(hashes.items()):
        verdict = verdicts.get(job, Verdict())
        known = lock.get(job) or Locked(versions.get(job, 1), "")
        equal = verdict.files and not verdict.first
        if known.hash == code:
            yield job, known, "" if equal or not verdict.files else f"differs by the same code{_why(verdict)}"
        elif not verdict.files:
            yield job, lock.get(job), "made no file at the smoke scale, so its code cannot be verified"
        elif equal:
            words = f"{LONGER} in {verdict.longer} tables; the old ones stay valid" if verdict.longer else ""
            yield job, Locked(known.version, code), words
        elif job in lock or job in versions:
            yield job, Locked(known.version + 1, code), f"version {known.version + 1}{_why(verdict)}"
        else:
            yield job, Locked(1, code), NEW
    for job in sorted(lock.keys() - hashes.keys()):
        yield job, None, GONE
    for job in sorted(verdicts.keys() - hashes.keys() - lock.keys()):
        if verdicts[job].first:
            yield job, None, "made files that no job makes now"


def versions_before(
    old: Side, new: Side, moved: Mapping[str, str], lock: Mapping[str, Locked]
) -> dict[str, int]:
    """The versions with which the files of each job were made before: 1 where no lock says it."""
    found: dict[str, int] = {}
    for name, job in old.jobs.items():
        if (now := new.jobs.get(_moved(name, moved))) is not None:
            found[now] = max(found.get(now, 1), lock[job].version if job in lock else 1)
    return found


def make(folder: Path, cores: str) -> None:
    """Make the smoke scale in a clone with its own code; what is made already is not made again."""
    scripts = str(Path(sys.executable).parent)
    environment = {name: value for name, value in os.environ.items() if name != "HEADWORK_DATA"} | {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str((folder / "workflow/src").resolve()),
    }
    log = folder.with_suffix(".log")
    with log.open("w") as lines:
        done = subprocess.run(
            ["snakemake", "--cores", cores, "--notemp", "--configfile", SMOKE, "--", *TARGETS],
            cwd=folder,
            env=environment,
            stdout=lines,
            stderr=subprocess.STDOUT,
        )
    if done.returncode:
        raise InputError(f"the smoke scale cannot be made in {folder}; see {log}")


def clone_of(commit: str) -> Path:
    """The folder with a clone of this repository at a commit."""
    found = subprocess.run(
        ["git", "rev-parse", "--verify", f"{commit}^{{commit}}"], capture_output=True, text=True
    )
    if found.returncode:
        raise InputError(f"{commit}: this repository has no such commit")
    folder = FOLDER / found.stdout.strip()[:12]
    if not folder.exists():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", ".", str(part)], check=True)
        subprocess.run(["git", "-C", str(part), "checkout", "--quiet", found.stdout.strip()], check=True)
        part.rename(folder)
    return folder


def copy_of_here() -> Path:
    """The folder with a copy of the checkout as it is: a fresh one, unless the last has the same code and config."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    )
    files = [Path(name) for name in listed.stdout.decode().split("\0") if name and Path(name).is_file()]
    state = "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()} {file}\n"
        for file in files
        if file != LOCK and file.as_posix().startswith(MADE_BY)
    )
    kept = HERE.with_suffix(".state")
    if not (HERE.is_dir() and kept.is_file() and kept.read_text(encoding="utf-8") == state):
        kept.unlink(missing_ok=True)
        shutil.rmtree(HERE, ignore_errors=True)
        for file in files:
            if file.parts[0] == ".dvc":  # published results
                continue
            (HERE / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, HERE / file)
        kept.write_text(state, encoding="utf-8")
    return HERE


def verify(commit: str, moved: Mapping[str, str], cores: str) -> bool:
    """Compare the code with a commit, update the lock, and print what differs; return whether nothing does."""
    folders = clone_of(commit), copy_of_here()
    for folder in folders:
        print(f"making the smoke scale in {folder}", flush=True)
        make(folder, cores)
    old, new = map(Side.of, folders)
    hashes = json.loads((folders[1] / NOW).read_text(encoding="utf-8"))
    hashes = {job: code for job, code in hashes.items() if job not in NO_RESULTS}
    lock, verdicts = read_lock(LOCK), compare(old, new, moved)
    before = versions_before(old, new, moved, read_lock(folders[0] / LOCK))
    judgements = list(judged(verdicts, hashes, lock, before))
    lines = {job: line for job, line, _ in judgements if line}
    write_lock(LOCK, lines)
    renewed = sum(line != lock.get(job) for job, line in lines.items())
    files = sum(verdict.files for verdict in verdicts.values())
    differing = sum(verdict.first is not None for verdict in verdicts.values())
    for job, _, words in judgements:
        if words:
            print(f"{job}: {words}")
            if job in verdicts and (first := verdicts[job].first):
                print(f"    {first[0]}, {first[1]}")
    print(
        f"{files} files of {len(verdicts)} jobs compared; {differing} jobs differ; {renewed} lines of {LOCK} are new"
    )
    return all(words in ("", NEW, GONE) or words.startswith(LONGER) for _, _, words in judgements)


def _why(verdict: Verdict) -> str:
    return ", as does what it reads" if verdict.after else ""


def _moved(name: str, moved: Mapping[str, str]) -> str:
    """Where a file of the old side lies on the new one."""
    for old, new in moved.items():
        if name == old or name.startswith(f"{old.rstrip('/')}/"):
            return new.rstrip("/") + name[len(old.rstrip("/")) :]
    return name


def _files(path: Path) -> Iterable[Path]:
    """A file, or the files in a folder, but Snakemake's mark of its time."""
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    return (file for file in found if file.name != ".snakemake_timestamp" and not file.is_dir())


def main(words: Sequence[str] | None = None) -> None:
    """The command; it ends with 1 if anything differs or cannot be verified."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit")
    parser.add_argument("--moved", metavar="OLD=NEW", nargs="*", action="extend", default=[])
    parser.add_argument("--cores", default="2")
    given = parser.parse_args(words)
    try:
        if not all("=" in pair for pair in given.moved):
            raise InputError("--moved takes OLD=NEW, two places below results/smoke")
        same = verify(given.commit, dict(pair.split("=", 1) for pair in given.moved), given.cores)
    except InputError as error:
        sys.exit(str(error))
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
