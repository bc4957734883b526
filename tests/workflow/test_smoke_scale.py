"""The whole DAG, run for real at the smoke scale, and what Snakemake makes of changes afterwards.

One clone is made and run; each test after that leaves it as it found it. test_smoke_dvc.py runs everything by DVC, with
jobs in processes of their own.
"""

import os
import random
from pathlib import Path

import pandas as pd
import pytest
from clones import edited

from headwork.studies.study import read_studies

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

STUDIES = read_studies(Path(__file__).resolve().parents[2] / "workflow/studies")
SHEET = "tests/config/runs-smoke.tsv"
TARGETS = ("all", "all_models", "all_weights")


@pytest.fixture(scope="module")
def run(smoke_clone):
    """A clone in which Snakemake made everything from nothing."""
    clone = smoke_clone("smoke")
    clone.snakemake("--quiet", "all", "--", *TARGETS)
    return clone


def test_every_item_has_numbers_and_every_claim_a_verdict(run) -> None:
    studies = run / "results/miniature/studies"
    for item in (item for study in STUDIES.values() for item in study.items):
        for ending in ("svg", "pdf", "csv"):
            assert (studies / f"{item.study}/{item.key}.{ending}").stat().st_size > 0
        assert len(pd.read_csv(studies / f"{item.study}/{item.key}.csv")) > 0
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


def test_a_changed_row_is_trained_again_and_a_new_one_is_a_run_or_a_point_of_its_sweep(run) -> None:
    velder = "news-velder\ttranslation\tminiature\tbase\t"
    plain = "another\tvoita2019\tnews-karvan\ttranslation\tminiature\tbase\t9\t\tnone\t0\t\n"
    sweep = "subtitles-karvan\ttranslation\tminiature\tgated\t1\tsubtitles-karvan-s1\tencoder"
    with (
        edited(run / SHEET, f"{velder}1\t", f"{velder}2\t"),
        edited(run / SHEET, "news-karvan-untrained", f"{plain}news-karvan-untrained"),
        edited(
            run / SHEET, "subtitles-karvan-e2\t", f"more\tvoita2019\t{sweep}\t0.1\t\nsubtitles-karvan-e2\t"
        ),
    ):
        planned = run.planned(*TARGETS)
    # no study shows the plain one: it is trained and it translates, and nothing is measured of it
    assert (planned["train"], planned["train_gated"], planned["translate"]) == (2, 1, 3)
    assert (planned["heads"], planned["relevance"], planned["pruning"]) == (2, 1, 2)


def test_other_subwords_ask_for_no_new_text(run) -> None:
    with edited(run / "config/config.yaml", "vocabulary: 300", "vocabulary: 290"):
        planned = run.planned()
    assert planned["subwords"] > 0
    assert not {"corpus", "world"} & set(planned)


def test_a_second_run_has_nothing_to_do_for_the_clock_the_device_or_a_comment(run) -> None:
    tops = ("results", "workflow", "config")
    paths = sorted(path for top in tops for path in (run / top).rglob("*") if path.is_file())
    random.Random(1).shuffle(paths)
    # of a folder that is an input, Snakemake compares the time in this file: it stays the oldest
    paths.sort(key=lambda path: path.name != ".snakemake_timestamp")
    confidence = run / "workflow/src/headwork/heads/statistics/confidence.py"
    with (
        edited(confidence, "import torch\n", "# a remark\nimport torch\n"),
        edited(run / "workflow/scripts/call.py", '"""Call', '"""Import and call'),
    ):
        for second, path in enumerate(paths):
            os.utime(path, (1_500_000_000 + second, 1_500_000_000 + second))
        assert run.planned(*TARGETS, options=["--config", "device=cuda"]) == {}


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
