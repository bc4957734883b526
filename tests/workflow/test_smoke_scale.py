"""The whole DAG, run for real at the smoke scale, and what Snakemake and DVC make of changes afterwards.

One clone is made and run by `dvc repro`; the tests after that are in the order of a user's day, and each leaves the
clone as it found it.
"""

import json
import os
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from headwork.papers.study import read_study

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

ITEMS = ("figure1", "figure2", "figure3", "figure4", "figure5", "table1")
PUBLISHED = ("heads", "papers", "report")


@pytest.fixture(scope="module")
def run(smoke_clone):
    """A clone in which `dvc repro` made everything from nothing, committed and published."""
    clone = smoke_clone("smoke")
    clone.run("git", "rm", "-r", "--quiet", "--cached", "--ignore-unmatch", "dvc.lock", ".dvc/published")
    for name in ("dvc.lock", ".dvc/published"):
        clone.run("rm", "-rf", name)
    clone.run("dvc", "repro")
    clone.run("dvc", "push", "--remote", "published", *PUBLISHED)
    clone.commit("smoke")
    return clone


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path in it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


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


def test_every_item_is_there_with_numbers(run) -> None:
    for item in ITEMS:
        for ending in ("svg", "pdf", "csv"):
            assert (run / f"results/papers/voita2019/{item}.{ending}").stat().st_size > 0
        assert len(pd.read_csv(run / f"results/papers/voita2019/{item}.csv")) > 0


def test_every_claim_has_a_verdict(run, root: Path) -> None:
    claims = pd.read_csv(run / "results/papers/claims.csv")
    assert len(claims) == len(read_study(root / "config/papers/voita2019.yaml").claims)
    assert set(claims["verdict"]) <= {"holds", "does not hold", "cannot be tested at this scale"}


def test_the_report_shows_every_item(run, root: Path) -> None:
    report = (run / "results/report.html").read_text()
    for item in read_study(root / "config/papers/voita2019.yaml").items:
        assert item.shows in report
    assert "Claims" in report


def test_no_sentence_is_in_two_splits(run) -> None:
    for corpus in (run / "results/corpora").glob("*-*"):
        splits = [
            set((corpus / f"{split}.source.txt").read_text().splitlines())
            for split in ("train", "dev", "test")
        ]
        assert sum(map(len, splits)) == len(set.union(*splits))


def test_a_second_run_has_nothing_to_do(run) -> None:
    assert run.planned() == {}
    assert "up to date" in run.run("dvc", "status").stdout


def test_the_clock_decides_nothing(run) -> None:
    paths = [
        path for top in ("results", "workflow", "config") for path in (run / top).rglob("*") if path.is_file()
    ]
    random.Random(1).shuffle(paths)
    for second, path in enumerate(paths):
        os.utime(path, (1_500_000_000 + second, 1_500_000_000 + second))
    assert run.planned() == {}


def test_a_comment_reruns_nothing(run) -> None:
    with (
        edited(
            run / "workflow/src/headwork/heads/confidence.py", "import torch\n", "# a remark\nimport torch\n"
        ),
        edited(run / "workflow/scripts/heads.py", '"""Measure', '"""Look at and measure'),
    ):
        assert run.planned() == {}


def test_a_constant_in_the_library_reruns_exactly_its_dependents(run) -> None:
    with edited(run / "workflow/src/headwork/heads/functions.py", "ROUNDING = 1e-9", "ROUNDING = 1e-8"):
        planned = run.planned()
    assert planned["heads"] == 5
    assert set(planned) <= {
        "all", "heads", "claims", "voita2019", "voita2019_table1", *(f"voita2019_figure{n}" for n in (1, 2, 4, 5))
    }  # fmt: skip


def test_a_constant_in_one_figure_redraws_that_figure(run) -> None:
    with edited(
        run / "workflow/figures/voita2019/figure3.py", "WINDOW = range(-7, 6)", "WINDOW = range(-6, 6)"
    ):
        assert set(run.planned()) == {"voita2019_figure3", "all"}


def test_a_changed_row_retrains_that_run_and_a_new_row_trains_one(run) -> None:
    with edited(run / "config/runs.tsv", "base\t1\t", "base\t2\t"):
        planned = run.planned()
    assert (planned["train"], planned["translate"], planned["heads"]) == (1, 1, 1)
    row = "another\tvoita2019\tnews-karvan\ttranslation\tminiature\tbase\t9\t\tnone\t0\n"
    with edited(run / "config/runs.tsv", "news-karvan-untrained", f"{row}news-karvan-untrained"):
        planned = run.planned("all_models")
    assert planned["train"] == planned["translate"] == 1


def test_tables_and_figures_are_the_same_bytes_again(run) -> None:
    before = {part: files(run / "results" / part) for part in ("heads", "papers")}
    run.snakemake("--forcerun", "heads", "--quiet", "all", "--", "all")
    assert {part: files(run / "results" / part) for part in ("heads", "papers")} == before


def test_a_clone_pulls_the_same_figures_and_has_nothing_to_do(run, tmp_path: Path) -> None:
    run.run("git", "clone", "--quiet", str(run.folder), str(tmp_path / "there"))
    there = type(run)(tmp_path / "there")
    there.run("dvc", "pull", *PUBLISHED)
    for part in ("heads", "papers"):
        assert files(there / "results" / part) == files(run / "results" / part)
    assert (there / "results/report.html").read_bytes() == (run / "results/report.html").read_bytes()
    assert not (there / "results/models").exists()
    assert there.planned("voita2019") == {}


def test_the_store_inside_the_repository_holds_one_version(run) -> None:
    locked = (run / "dvc.lock").read_text()
    stored = sum(path.stat().st_size for path in (run / ".dvc/published").rglob("*") if path.is_file())
    assert stored < 10e6
    folders = [path.parent.name + path.name for path in (run / ".dvc/published/files/md5").rglob("*.dir")]
    assert folders
    assert all(name in locked for name in folders)


def test_metrics_and_plots_differ_between_commits(run) -> None:
    shown = json.loads(run.run("dvc", "metrics", "show", "--json").stdout)
    assert any("claims.json" in name for name in shown[""]["data"])
    run.run("dvc", "metrics", "diff")
    made = run.run("dvc", "plots", "diff", "HEAD", "--out", "plots").stdout
    assert re.search(r"index\.html", made)
    run.run("rm", "-rf", "plots")
