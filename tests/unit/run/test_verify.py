"""Jobs keep their versions where two commits made equal files, and get new ones where they did not."""

import json
import subprocess
from pathlib import Path

import pytest

from headwork.errors import InputError
from headwork.run import verify as module
from headwork.run.metadata import record_file
from headwork.run.verify import Side, main
from headwork.run.versions import Locked, read_lock, write_lock

OLD = {"heads": Locked(3, "old"), "probes": Locked(1, "old"), "figure": Locked(1, "same")}
NEW = {"heads": "new", "probes": "new", "figure": "same"}
# of each file the job, what it reads, and its content
FILES = {
    "heads/a.csv": ("heads", [], "head,share,sentences_per_second\n1,0.5,7\n"),
    "pruning/a.runs.csv": ("heads", [], "head,sentences_per_second\n1,7\n"),
    "representations/a.csv": ("probes", ["heads/a.csv"], "score\n0.25\n"),
    "papers/x/figure1.csv": ("figure", ["representations/a.csv"], "score\n0.25\n"),
}


def made(folder: Path, files: dict) -> None:
    """What Snakemake leaves in a clone that made these files."""
    for name, (job, inputs, content) in files.items():
        path = f"results/smoke/{name}"
        if content is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content)
        record = record_file(path, folder / ".snakemake/metadata")
        record.parent.mkdir(parents=True, exist_ok=True)
        inputs = [f"results/smoke/{given}" for given in inputs]
        record.write_text(json.dumps({"rule": job, "input": inputs, "params": []}))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A checkout whose lock is `OLD`; it gives a function that verifies what two sides made."""
    monkeypatch.chdir(tmp_path)
    for folder in ("workflow", "before/workflow", "now/.snakemake"):
        (tmp_path / folder).mkdir(parents=True)
    for lock in ("workflow/jobs.lock", "before/workflow/jobs.lock"):
        write_lock(lock, OLD)
    monkeypatch.setattr(module, "clone_of", lambda commit: tmp_path / "before")
    monkeypatch.setattr(module, "copy_of_here", lambda: tmp_path / "now")
    monkeypatch.setattr(module, "make", lambda folder, cores: None)

    def verified(new: dict, hashes: dict = NEW, words: tuple[str, ...] = ()) -> tuple[int, dict]:
        made(tmp_path / "before", FILES)
        made(tmp_path / "now", new)
        (tmp_path / "now/.snakemake/jobs.json").write_text(json.dumps(hashes | {"gallery": "any"}))
        with pytest.raises(SystemExit) as ended:
            main(["HEAD", *words])
        return ended.value.code, read_lock("workflow/jobs.lock")

    return verified


def test_equal_files_keep_their_versions(checkout, capsys) -> None:
    code, lock = checkout(FILES)
    assert code == 0
    assert lock == {"heads": Locked(3, "new"), "probes": Locked(1, "new"), "figure": Locked(1, "same")}
    assert "4 files of 3 jobs compared; 0 jobs differ; 2 lines" in capsys.readouterr().out


def test_times_may_differ(checkout) -> None:
    job, inputs, _ = FILES["pruning/a.runs.csv"]
    code, lock = checkout(FILES | {"pruning/a.runs.csv": (job, inputs, "head,sentences_per_second\n1,8\n")})
    assert code == 0
    assert lock["heads"] == Locked(3, "new")


def test_a_table_with_further_rows_stays_valid(checkout, capsys) -> None:
    longer = "head,share,sentences_per_second\n0,0.1,9\n1,0.5,7\n2,0.5,9\n"
    code, lock = checkout(FILES | {"heads/a.csv": ("heads", [], longer)})
    assert code == 0
    assert lock["heads"] == Locked(3, "new")
    assert "heads: more rows in 1 tables; the old ones stay valid" in capsys.readouterr().out
    changed = longer.replace("1,0.5", "1,0.6")
    assert (
        checkout(FILES | {"heads/a.csv": ("heads", [], changed)}, NEW | {"heads": "newer"})[1][
            "heads"
        ].version
        == 4
    )


def test_a_value_that_changed_raises_the_version_and_is_shown(checkout, capsys) -> None:
    new = FILES | {"representations/a.csv": ("probes", ["heads/a.csv"], "score\n0.26\n")}
    code, lock = checkout(new)
    assert code == 1
    assert lock == {"heads": Locked(3, "new"), "probes": Locked(2, "new"), "figure": Locked(1, "same")}
    said = capsys.readouterr().out
    assert "probes: version 2\n    representations/a.csv, row 1, score: 0.25 -> 0.26" in said


def test_what_reads_changed_files_is_marked(checkout, capsys) -> None:
    new = FILES | {
        "heads/a.csv": ("heads", [], "head,share\n1,0.5\n"),
        "representations/a.csv": ("probes", ["heads/a.csv"], "score\n0.26\n"),
        "papers/x/figure1.csv": ("figure", ["representations/a.csv"], "score\n0.26\n"),
    }
    code, lock = checkout(new)
    said = capsys.readouterr().out
    assert code == 1
    assert "heads: version 4\n    heads/a.csv, columns: " in said
    assert "probes: version 2, as does what it reads\n" in said
    assert "figure: differs by the same code, as does what it reads" in said
    assert lock == {"heads": Locked(4, "new"), "probes": Locked(2, "new"), "figure": Locked(1, "same")}


@pytest.mark.parametrize("side", ["old", "new"])
def test_a_missing_file_is_a_difference(checkout, capsys, side) -> None:
    if side == "new":
        new = {name: made for name, made in FILES.items() if name != "pruning/a.runs.csv"}
    else:
        new = FILES | {"heads/b.csv": ("heads", [], "head\n")}
    code, lock = checkout(new)
    assert code == 1
    assert lock["heads"] == Locked(4, "new")
    gone = "pruning/a.runs.csv, the file: there -> nothing"
    assert (gone if side == "new" else "heads/b.csv, the file: nothing -> there") in capsys.readouterr().out


def test_moved_files_are_compared_and_renamed_jobs_keep_their_version(checkout) -> None:
    new = {}
    for name, (job, *more) in FILES.items():
        moved = name.replace("papers", "studies").replace("heads/", "all/")
        new[moved] = "measure" if job == "heads" else job, *more
    hashes = {"measure": "new", "probes": "new", "figure": "same"}
    code, lock = checkout(new, hashes, ("--moved", "papers=studies", "heads=all"))
    assert lock == {"measure": Locked(3, "new"), "probes": Locked(1, "new"), "figure": Locked(1, "same")}
    assert code == 0


def test_a_new_job_has_version_one(checkout, capsys) -> None:
    _, lock = checkout(FILES | {"heads/more.csv": ("more", [], "head\n")}, NEW | {"more": "new"})
    assert lock["more"] == Locked(1, "new")
    assert "more: new\n" in capsys.readouterr().out


def test_a_job_that_made_nothing_cannot_be_verified(checkout, capsys) -> None:
    code, lock = checkout(FILES, NEW | {"unreached": "edited"})
    assert code == 1
    assert "unreached" not in lock
    assert "unreached: made no file at the smoke scale" in capsys.readouterr().out


def test_temporary_files_that_neither_side_has_are_equal(checkout) -> None:
    assert checkout(FILES | {"states/a.txt": ("heads", [], None)})[0] == 0


def test_files_in_folders_are_compared(tmp_path: Path) -> None:
    made(tmp_path, {"states/a": ("states", [], None)})
    for name in ("one.npy", ".snakemake_timestamp", "deep/two.npy"):
        path = tmp_path / "results/smoke/states/a" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert Side.of(tmp_path).jobs == {"states/a/deep/two.npy": "states", "states/a/one.npy": "states"}


def test_clones_and_copies_are_of_what_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "workflow").mkdir()
    (tmp_path / "workflow/a.py").write_text("committed")
    (tmp_path / ".gitignore").write_text(".verify\n")
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "-A"], [*author, "commit", "-qm", "a"]):
        subprocess.run(["git", *words], check=True)
    (tmp_path / "workflow/a.py").write_text("edited")
    (tmp_path / "workflow/b.py").write_text("new")
    assert (module.clone_of("HEAD") / "workflow/a.py").read_text() == "committed"
    with pytest.raises(InputError, match="no such commit"):
        module.clone_of("nothing")
    here = module.copy_of_here()
    copied = {path.name: path.read_text() for path in (here / "workflow").iterdir()}
    assert copied == {"a.py": "edited", "b.py": "new"}
    (here / "made").touch()
    write_lock("workflow/jobs.lock", OLD)
    assert (module.copy_of_here() / "made").is_file(), "the lock is no code"
    (tmp_path / "workflow/b.py").write_text("edited")
    assert not (module.copy_of_here() / "made").exists()
