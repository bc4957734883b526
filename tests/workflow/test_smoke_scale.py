"""The whole DAG, run for real at the smoke scale, and what Snakemake and DVC make of changes afterwards.

One clone is made and run by `dvc repro`; the tests after that are in the order of a user's day, and each leaves the
clone as it found it.
"""

import json
import os
import random
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from headwork.studies.study import read_studies

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

STUDIES = read_studies(Path(__file__).resolve().parents[2] / "workflow/studies")
PUBLISHED = tuple(
    f"{phase}@miniature" for phase in ("heads", "relevance", "pruning", "representations", "studies")
)
SHEET = "tests/config/runs-smoke.tsv"


@pytest.fixture(scope="module")
def run(smoke_clone):
    """A clone in which `dvc repro` made everything from nothing, committed and published."""
    clone = smoke_clone("smoke")
    clone.run("git", "rm", "-r", "--quiet", "--cached", "--ignore-unmatch", "dvc.lock", ".dvc/published")
    for name in ("dvc.lock", ".dvc/published"):
        clone.run("rm", "-rf", name)
    clone.run("dvc", "repro", "report@miniature", "records")
    clone.run("dvc", "push", "--remote", "published", *PUBLISHED, "records")
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


def test_every_item_has_numbers_and_a_place_in_the_report_and_every_claim_a_verdict(run) -> None:
    studies, report = run / "results/miniature/studies", (run / "results/miniature/report.html").read_text()
    for item in (item for study in STUDIES.values() for item in study.items):
        for ending in ("svg", "pdf", "csv"):
            assert (studies / f"{item.study}/{item.key}.{ending}").stat().st_size > 0
        assert len(pd.read_csv(studies / f"{item.study}/{item.key}.csv")) > 0
        assert item.shows in report
    claims = pd.read_csv(studies / "claims.csv")
    assert len(claims) == sum(len(study.claims) for study in STUDIES.values())
    assert set(claims["verdict"]) <= {"holds", "does not hold", "cannot be tested at this scale"}


def test_pruned_runs_are_in_the_tables_with_what_was_kept(run) -> None:
    runs = pd.read_csv(run / "results/miniature/pruning/voita2019.runs.csv").set_index("run")
    assert runs["method"].to_dict() == {
        "news-karvan-s1": "baseline",
        "news-karvan-a4": "gates",
        "news-karvan-a4-scratch": "scratch",
        "subtitles-karvan-s1": "baseline",
        "subtitles-karvan-e2": "gates",
    }
    assert runs["heads"].tolist() == [8] * 5
    # two of four encoder heads, and four in the decoder that have no gates; four of eight heads
    assert runs["kept"].tolist() == [8, 4, 4, 8, 6]
    heads = pd.read_csv(run / "results/miniature/pruning/voita2019.heads.csv")
    by_run = heads.groupby("run")["kept"].apply(list)
    assert by_run["news-karvan-a4"] == by_run["news-karvan-a4-scratch"]
    smaller = runs.loc["news-karvan-a4"]
    # a head is 8 of 16 columns of W_O, and 8 rows and biases of the three others
    assert smaller["parameters_full"] - smaller["parameters"] == 4 * (8 * 16 + 3 * (8 * 16 + 8))
    assert smaller["sentences_per_second"] > 0
    assert (run / "results/miniature/pruning/news-karvan-a4/model.safetensors").is_file()


def test_no_sentence_is_in_two_splits(run) -> None:
    for corpus in (run / "results/miniature/corpora").glob("*-*"):
        splits = [
            set((corpus / f"{split}.source.txt").read_text().splitlines())
            for split in ("train", "dev", "test")
        ]
        assert sum(map(len, splits)) == len(set.union(*splits))


def test_a_second_run_has_nothing_to_do(run) -> None:
    assert run.planned() == {}
    stages = [*PUBLISHED, *(f"{phase}@miniature" for phase in ("corpora", "parses", "models"))]
    assert "up to date" in run.run("dvc", "status", *stages).stdout


def test_neither_the_clock_nor_the_device_nor_a_comment_reruns_anything(run) -> None:
    paths = [
        path for top in ("results", "workflow", "config") for path in (run / top).rglob("*") if path.is_file()
    ]
    random.Random(1).shuffle(paths)
    confidence = run / "workflow/src/headwork/heads/statistics/confidence.py"
    with (
        edited(confidence, "import torch\n", "# a remark\nimport torch\n"),
        edited(run / "workflow/scripts/call.py", '"""Call', '"""Import and call'),
    ):
        for second, path in enumerate(paths):
            os.utime(path, (1_500_000_000 + second, 1_500_000_000 + second))
        assert run.planned(options=["--config", "device=cuda"]) == {}


def test_a_constant_in_the_library_reruns_exactly_its_dependents(run) -> None:
    """And one in a figure that figure alone."""
    functions = run / "workflow/src/headwork/heads/statistics/functions.py"
    figure = run / "workflow/studies/voita2019/figure3.py"
    with (
        edited(functions, "ROUNDING = 1e-9", "ROUNDING = 1e-8"),
        edited(figure, "WINDOW = range(-7, 6)", "WINDOW = range(-6, 6)"),
    ):
        planned = run.planned()
    assert planned["heads"] == 6
    assert {"heads", "voita2019_figure3"} < set(planned) <= {
        "all", "heads", "head_curve", "verdicts", "synthesis_figure3",
        *(f"voita2019{item}" for item in ("", "_claims", "_table1")),
        *(f"voita2019_figure{n}" for n in (1, 2, 3, 4, 5, 8)),
    }  # fmt: skip


def test_other_subwords_ask_for_no_new_text(run) -> None:
    with edited(run / "config/config.yaml", "vocabulary: 300", "vocabulary: 290"):
        planned = run.planned()
    assert planned["subwords"] > 0
    assert not {"corpus", "world"} & set(planned)


def test_a_changed_row_retrains_that_run_and_a_new_row_trains_one(run) -> None:
    velder = "news-velder\ttranslation\tminiature\tbase\t"
    with edited(run / SHEET, f"{velder}1\t", f"{velder}2\t"):
        planned = run.planned()
    assert (planned["train"], planned["heads"], planned["relevance"]) == (1, 1, 1)
    assert not {"train_gated", "pruning"} & set(planned)
    row = "another\tvoita2019\tnews-karvan\ttranslation\tminiature\tbase\t9\t\tnone\t0\t\n"
    with edited(run / SHEET, "news-karvan-untrained", f"{row}news-karvan-untrained"):
        planned = run.planned("all_models")
    assert planned["train"] == planned["translate"] == 1


def test_a_new_row_with_gates_adds_a_point_to_its_sweep(run) -> None:
    row = "more\tvoita2019\tsubtitles-karvan\ttranslation\tminiature\tgated\t1\tsubtitles-karvan-s1\tencoder\t0.1\t\n"
    with edited(run / SHEET, "subtitles-karvan-e2\t", f"{row}subtitles-karvan-e2\t"):
        planned = run.planned()
    assert (planned["train_gated"], planned["translate"], planned["heads"]) == (1, 1, 1)
    assert planned["pruning"] == 2
    assert "train" not in planned


@pytest.mark.long
def test_tables_and_figures_are_the_same_bytes_again(run) -> None:
    parts = ("heads", "relevance", "pruning", "representations", "studies")
    before = {part: files(run / "results/miniature" / part) for part in parts}
    again = [
        "heads", "segment_heads", "word_heads", "alignments", "relevance", "sensitivity", "task_heads", "patterns",
        "attribution", "ranking", "disabling", "pruning", "probes", "geometry", "senses", "evolution", "influence",
        "layer_distances",
    ]  # fmt: skip
    run.snakemake("--forcerun", *again, "--quiet", "all", "--", "all")
    assert {part: files(run / "results/miniature" / part) for part in parts} == before


def test_a_clone_pulls_the_same_figures_and_has_nothing_to_do(run, tmp_path: Path) -> None:
    run.run("git", "clone", "--quiet", str(run.folder), str(tmp_path / "there"))
    there = type(run)(tmp_path / "there")
    there.run("dvc", "pull", *PUBLISHED, "records")
    there.run(sys.executable, "-m", "headwork", "records", "use")
    for part in ("heads", "relevance", "representations", "studies"):
        assert files(there / "results/miniature" / part) == files(run / "results/miniature" / part)
    # of a model, tables and what its training and removal say of themselves: no weights
    pruning = {
        name: file
        for name, file in files(run / "results/miniature/pruning").items()
        if name.endswith((".csv", "/removal.json", "/speed.json"))
    }
    assert files(there / "results/miniature/pruning") == pruning
    models = files(there / "results/miniature/models")
    training = {"run.json", "history.csv", "gates.csv", "scores.json", "config.json"}
    assert {Path(name).name for name in models} == training
    trained = files(run / "results/miniature/models")
    assert models == {name: trained[name] for name in models}
    assert there.planned(*STUDIES) == {}


def test_the_store_inside_the_repository_holds_one_version(run) -> None:
    locked = (run / "dvc.lock").read_text()
    stored = sum(path.stat().st_size for path in (run / ".dvc/published").rglob("*") if path.is_file())
    assert stored < 30e6
    folders = [path.parent.name + path.name for path in (run / ".dvc/published/files/md5").rglob("*.dir")]
    assert folders
    assert all(name in locked for name in folders)


def test_metrics_and_plots_differ_between_commits(run) -> None:
    shown = json.loads(run.run("dvc", "metrics", "show", "--json").stdout)
    assert any("claims.json" in name for name in shown[""]["data"])
    figure = "results/miniature/studies/voita2019/figure4.csv"
    with (
        edited(run / "results/miniature/studies/claims.json", '"verdict": "', '"verdict": "perhaps it '),
        edited(run / figure, ",0.", ",0.1"),
    ):
        differing = json.loads(run.run("dvc", "metrics", "diff", "--json").stdout)
        made = run.run("dvc", "plots", "diff", "HEAD", "--out", "plots").stdout
    (change,) = differing["results/miniature/studies/claims.json"].values()
    assert change["new"] == f"perhaps it {change['old']}"
    assert re.search(r"index\.html", made)
    run.run("rm", "-rf", "plots")
