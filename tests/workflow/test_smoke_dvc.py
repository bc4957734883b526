"""The whole DAG at the smoke scale by `dvc repro`, each job in a process of its own, and what a user makes of it after.

One clone is made and run; the tests after that are in the order of a user's day, and each leaves the clone as it found
it.
"""

import json
import re
import sys
from pathlib import Path

import pandas as pd
import pytest
from clones import edited
from killing import contents

from headwork.studies.study import read_studies

pytestmark = [pytest.mark.workflow, pytest.mark.long]

STUDIES = read_studies(Path(__file__).resolve().parents[2] / "workflow/studies")
PUBLISHED = tuple(
    f"{phase}@miniature" for phase in ("heads", "relevance", "pruning", "representations", "studies")
)


@pytest.fixture(scope="module")
def run(smoke_clone):
    """A clone in which `dvc repro` made everything from nothing, committed and published."""
    clone = smoke_clone("smoke")
    (clone / "dvc.lock").unlink()
    clone.run("dvc", "repro", "report@miniature", "records")
    clone.run("dvc", "push", "--remote", "published", *PUBLISHED, "records")
    clone.commit("smoke")
    return clone


def test_every_item_has_a_place_in_the_report_and_every_claim_a_verdict(run) -> None:
    report = (run / "results/miniature/report.html").read_text()
    assert not [item for study in STUDIES.values() for item in study.items if item.shows not in report]
    claims = pd.read_csv(run / "results/miniature/studies/claims.csv")
    assert len(claims) == sum(len(study.claims) for study in STUDIES.values())


def test_a_second_run_has_nothing_to_do(run) -> None:
    assert run.planned() == {}
    stages = [*PUBLISHED, *(f"{phase}@miniature" for phase in ("corpora", "parses", "models"))]
    assert "up to date" in run.run("dvc", "status", *stages).stdout


def test_tables_and_figures_are_the_same_bytes_again(run) -> None:
    parts = ("heads", "relevance", "pruning", "representations", "studies")
    before = {part: contents(run / "results/miniature" / part) for part in parts}
    again = [
        "heads", "segment_heads", "word_heads", "alignments", "relevance", "sensitivity", "task_heads", "patterns",
        "attribution", "ranking", "disabling", "pruning", "probes", "geometry", "senses", "evolution", "influence",
        "layer_distances",
    ]  # fmt: skip
    run.snakemake("--forcerun", *again, "--quiet", "all", "--", "all")
    assert {part: contents(run / "results/miniature" / part) for part in parts} == before


def test_a_clone_pulls_the_same_figures_and_has_nothing_to_do(run, tmp_path: Path) -> None:
    run.run("git", "clone", "--quiet", str(run.folder), str(tmp_path / "there"))
    there = type(run)(tmp_path / "there")
    there.run("dvc", "pull", *PUBLISHED, "records")
    there.run(sys.executable, "-m", "headwork", "records", "use")
    for part in ("heads", "relevance", "representations", "studies"):
        assert contents(there / "results/miniature" / part) == contents(run / "results/miniature" / part)
    # of a model, tables and what its training and removal say of themselves: no weights
    pruning = {
        name: file
        for name, file in contents(run / "results/miniature/pruning").items()
        if name.endswith((".csv", "/removal.json", "/speed.json"))
    }
    assert contents(there / "results/miniature/pruning") == pruning
    models = contents(there / "results/miniature/models")
    training = {"run.json", "history.csv", "gates.csv", "scores.json", "config.json"}
    assert {Path(name).name for name in models} == training
    trained = contents(run / "results/miniature/models")
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
