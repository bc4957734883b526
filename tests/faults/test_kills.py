"""Killed again and again, in everything it does, a workflow ends with what an undisturbed one makes."""

import re
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
import yaml
from clones import Clone
from killing import KILLS, SEED, VICTIMS, Activity, Kill, contents, differing, jobs_of, killed
from tiny_bert import tiny_bert, word_tokenizer

from headwork.models.loading.checkpoints import save

pytestmark = [pytest.mark.workflow, pytest.mark.long]

RESULTS = "results/miniature"
SNAKEMAKE = ("snakemake", "--nocolor", "--cores", "2")
STUDY = (*SNAKEMAKE, "--", "voita2019")
# these tell how long a training took, how fast a model translates, and the latter again beside scores
MEASURED = ("run.json", "speed.json", "voita2019.runs.csv")
# as `make pull` and `make publish` do it: a killed DVC has noted half of a folder, and would believe it later
FORGET = "rm -rf .dvc/tmp/site/repo/*/index; find results -name '.??????????????????????.tmp' -delete"
DVC = f"export DVC_SITE_CACHE_DIR=$PWD/.dvc/tmp/site; {FORGET}; exec dvc"
STAGES = ("corpora", "models", "heads", "studies")
RTE = ("entailment", "not_entailment")
LINES = ["the dog sees a cat .", "a cat sees the dog .", "the dog sleeps ."]


def share(part: float) -> int:
    """So many of the kills, at least one."""
    return max(1, round(part * KILLS))


def seconds_of(clone: Clone, *command: str) -> float:
    """How long a command takes that is left alone."""
    begun = time.monotonic()
    clone.run(*command)
    return time.monotonic() - begun


def survive(
    clone: Clone,
    activities: Sequence[Activity],
    number: int,
    kills: list[Kill],
    check: Callable[[], None],
    wipe: Callable[[], None],
) -> None:
    """Kill the activities that often, drawn at random; whenever one ends before it is killed, check what it made.

    No job that was finished when a run was killed is started by a later one.
    """
    log = clone / "killed.log"
    finished: set[str] = set()
    wanted = len(kills) + number
    attempt = 0
    while len(kills) < wanted:
        # attempts that end before they are killed have seeds too
        chance = Random(f"{SEED} {activities[0].name} {attempt}")
        attempt += 1
        victim = VICTIMS[len(kills) % len(VICTIMS)]
        kill = killed(clone, chance.choice(activities), victim, chance, log)
        started, ended = jobs_of(log.read_text())
        assert not started & finished
        finished |= ended
        if kill:
            kills.append(kill)
        else:
            check()
            wipe()
            finished.clear()
    clone.run(*activities[0].command)
    check()


@pytest.fixture(scope="module")
def clones(smoke_clone) -> tuple[Clone, Clone]:
    """Two clones with the same settings."""
    return smoke_clone("whole"), smoke_clone("killed")


def remove(clone: Clone, *paths: str) -> None:
    """Remove files and folders, if they are there."""
    clone.run("rm", "-rf", *paths)


def test_a_study(clones, survives) -> None:
    whole, clone = clones
    start = seconds_of(whole, *SNAKEMAKE, "--dry-run", "--", "voita2019")
    with survives(
        "killed while it makes a study: at any moment, while training, while exporting a model"
    ) as kills:
        whole.run(*STUDY)
        undisturbed = contents(whole / RESULTS, *MEASURED)
        assert len(undisturbed) > 50

        def check() -> None:
            assert differing(contents(clone / RESULTS, *MEASURED), undisturbed) == []

        activities = [
            Activity("a study", STUDY, 5 * start),
            Activity("training", STUDY, 2.0, ".checkpoints/miniature/*/*"),
            Activity("export", STUDY, 0.3, f"{RESULTS}/models/*/*"),
        ]
        survive(clone, activities, share(0.5), kills, check, lambda: remove(clone, RESULTS, ".checkpoints"))


def test_pages(clones, survives) -> None:
    """The gallery of the study, and an atlas of a small model; their reference was made in the same clone."""
    _, clone = clones
    clone.run(*STUDY)
    words = word_tokenizer(sorted({word for line in LINES for word in line.split()}))
    save(clone / "tiny", tiny_bert(words), words)
    (clone / "my.txt").write_text("\n".join(LINES) + "\n")
    atlas = (*SNAKEMAKE, "--config", "model=tiny", "text=my.txt", "--", "atlas")
    gallery = (*SNAKEMAKE, "--", "gallery")
    pages = {
        "the gallery": (gallery, "logs/gallery.log", ("results/index.html", "results/gallery")),
        "a head atlas": (atlas, "logs/atlas/tiny.log", ("results/atlas",)),
    }
    for name, (command, log, made) in pages.items():
        with survives(f"killed while it writes {name}") as kills:
            span = seconds_of(clone, *command)
            undisturbed = contents(clone / "results", *MEASURED)

            def check(undisturbed: dict[str, bytes] = undisturbed) -> None:
                assert differing(contents(clone / "results", *MEASURED), undisturbed) == []

            def wipe(made: Sequence[str] = made) -> None:
                remove(clone, *made)

            wipe()
            # at any moment, most of which are before the job, and in the job, from the first line of its log
            activities = [Activity(name, command, span), Activity(name, command, span / 3, log)]
            survive(clone, activities, share(0.1), kills, check, wipe)


def test_a_fine_tuning_on_a_data_folder(clones, survives) -> None:
    """The scale of real corpora, with a task in its official format: files and trainings that the study has not."""
    _, clone = clones
    words = word_tokenizer(sorted({word for line in LINES for word in line.split()}))
    save(clone / "published", tiny_bert(words, max_position_embeddings=128), words)
    chance = Random(SEED)
    for path, number in (("train", 640), ("dev", 32)):
        pairs = [(*chance.choices(LINES, k=2), chance.choice(RTE)) for _ in range(number)]
        rows = ["index\tsentence1\tsentence2\tlabel", *(f"{i}\t" + "\t".join(p) for i, p in enumerate(pairs))]
        _write(clone / f"data/glue/RTE/{path}.tsv", rows)
    _write(clone / "data/wikipedia.txt", [" ".join(chance.choices(LINES, k=5)) for _ in range(60)])
    text = {"type": "local", "path": "wikipedia.txt", "lines": "paragraphs", "words": 20}
    overlay = {
        "architectures": {"tiny": {"model": "published"}},
        "texts": {"wikipedia": {"sources": [text], "splits": {"dev": 0.2}}},
        "recipes": {"rte": {"batch": 4, "longest": 16}},
    }
    (clone / "tiny.yaml").write_text(yaml.safe_dump(overlay))
    for sheet in clone.folder.glob("workflow/studies/*/runs.tsv"):
        rows = re.sub(
            r"^(workstation.*\t(?:mlm|classification))\tminilm\t",
            r"\1\ttiny\t",
            sheet.read_text(),
            flags=re.M,
        )
        sheet.write_text(rows)
    settings = ("--configfile", "config/workstation.yaml", "tiny.yaml", "--config", "data=data")
    results = "results/workstation"
    command = (*SNAKEMAKE, *settings, "--", f"{results}/pruning/disabling/bert-rte-s1.csv")
    with survives("killed while it fine-tunes at the scale of real corpora, and ablates heads") as kills:
        span = seconds_of(clone, *command)
        undisturbed = contents(clone / results, *MEASURED)
        assert len(undisturbed) > 10

        def check() -> None:
            assert differing(contents(clone / results, *MEASURED), undisturbed) == []

        def wipe() -> None:
            remove(clone, results, ".checkpoints")

        wipe()
        activities = [
            Activity("real corpora", command, span),
            Activity("fine-tuning", command, 3.0, ".checkpoints/workstation/*/*"),
        ]
        survive(clone, activities, share(0.1), kills, check, wipe)


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def stored(clones, tmp_path_factory) -> tuple[Clone, Path]:
    """A clone whose results DVC has recorded, and the folder that is their remote."""
    clone, remote = clones[0], tmp_path_factory.mktemp("remote")
    assert f"FORGET_KILLS := {FORGET}\n" in (clone / "Makefile").read_text()
    clone.run(*STUDY)
    (clone / "dvc.lock").unlink(missing_ok=True)
    outs = [f"{RESULTS}/{stage}" for stage in STAGES]
    (clone / "dvc.yaml").write_text(yaml.safe_dump({"stages": {"results": {"cmd": "true", "outs": outs}}}))
    clone.run("dvc", "commit", "--force", "--quiet")
    clone.run("dvc", "remote", "add", "--default", "kills", str(remote))
    clone.commit("results")
    return clone, remote


def test_dvc_push(stored, survives) -> None:
    clone, remote = stored
    push = ("sh", "-c", f"{DVC} push --quiet")
    with survives("killed while DVC pushes") as kills:
        span = seconds_of(clone, *push)
        undisturbed = contents(remote)
        assert len(undisturbed) > 50

        def check() -> None:
            found = contents(remote)  # an interrupted copy may lie beside the objects, under another name
            assert differing({name: found.get(name) for name in undisturbed}, undisturbed) == []

        def wipe() -> None:
            shutil.rmtree(remote)
            remote.mkdir()

        wipe()
        survive(clone, [Activity("DVC push", push, span)], share(0.1), kills, check, wipe)


def test_dvc_pull(stored, survives, tmp_path) -> None:
    origin, _ = stored
    origin.run("dvc", "push", "--quiet")
    origin.run("git", "clone", "--quiet", str(origin.folder), str(tmp_path / "there"))
    there, pull = Clone(tmp_path / "there"), ("sh", "-c", f"{DVC} pull --quiet")
    undisturbed = {stage: contents(origin / RESULTS / stage) for stage in STAGES}
    with survives("killed while DVC pulls") as kills:
        span = seconds_of(there, *pull)

        def check() -> None:
            for stage in STAGES:
                assert differing(contents(there / RESULTS / stage), undisturbed[stage]) == []

        def wipe() -> None:
            remove(there, RESULTS, ".dvc/cache")

        wipe()
        survive(there, [Activity("DVC pull", pull, span)], share(0.1), kills, check, wipe)
