"""The profile for SLURM against a real one, of one node: jobs go through sbatch, and what goes wrong there is told.

Skipped where Debian's packages of SLURM are not installed (docs/paper-scale.md says which).
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from slurm_node import SlurmNode, missing

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.long,
    pytest.mark.skipif(bool(missing()), reason=f"no SLURM here: {missing()}"),
]

# The node keeps no accounts; and its jobs are short, so they are asked after sooner than a cluster would like.
HERE = ("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "18")

TOY = """
rule all:
    input: "patient.txt", "on_gpu.txt", "on_cpu.txt"

rule patient:
    output: "patient.txt"
    shell: "mkdir begun && sleep 600; echo $SLURM_JOB_ID > {output}"

rule on_gpu:
    output: "on_gpu.txt"
    resources: gpu=1
    shell: "echo $CUDA_VISIBLE_DEVICES > {output}"

rule on_cpu:
    output: "on_cpu.txt"
    resources: gpu=0
    shell: "echo ${{CUDA_VISIBLE_DEVICES:-none}} > {output}"

rule greedy:
    output: "greedy.txt"
    resources: mem_mb=lambda wildcards, attempt: attempt * 400
    shell: "touch {output}; python -c 'print(len(bytes(1) * 2_000_000_000)); import time; time.sleep(60)'"
"""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmNode]:
    """A SLURM of one node that does not know any job of an earlier test file."""
    with SlurmNode(tmp_path_factory.mktemp("slurm")) as started:
        yield started


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A folder with a workflow of a few jobs that need nothing but a shell."""
    (tmp_path / "Snakefile").write_text(TOY)
    return tmp_path


@pytest.fixture
def submit(node: SlurmNode, root: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start Snakemake with the profile in a folder; what still runs when the test ends is interrupted."""
    started = []

    def start(folder: Path, *arguments: str, own=os.environ) -> subprocess.Popen[str]:
        command = ("snakemake", "--nocolor", "--workflow-profile", str(root / "profiles/slurm"), *HERE)
        started.append(
            subprocess.Popen(
                [*command, *arguments],
                cwd=folder,
                env=node.environment(own),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                # what a shell runs in the background ignores Ctrl-C, and so does all that it starts
                preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
            )
        )
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)


def of_rule(node: SlurmNode, rule: str) -> list[dict[str, str]]:
    """What SLURM knows of the jobs of a rule, the first submitted first."""
    return [job for job in node.jobs() if job.get("Comment", "").split("_wildcards_")[0] == f"rule_{rule}"]


def wait_for(what: Callable[[], object], seconds: float = 300) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.5)


def made(folder: Path) -> dict[str, bytes]:
    """What a run computed, by path: not its own record of machine and minutes."""
    paths = (path for path in sorted((folder / "results").rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if path.name != "run.json"}


def test_a_figure_of_the_smoke_scale(node, submit, smoke_clone) -> None:
    target = "voita2019_figure1"
    there, here = smoke_clone("there"), smoke_clone("here")
    planned = there.planned(target)
    assert {"world", "parser", "train_watched", "heads", "relevance", target} <= set(planned)
    said, _ = submit(there.folder, "--", target, own=there.environment).communicate()
    assert "steps (100%) done" in said, said

    jobs = node.jobs()
    assert [job["JobState"] for job in jobs] == ["COMPLETED"] * sum(planned.values())
    assert all(job["BatchFlag"] == "1" for job in jobs), "each came through sbatch"
    assert {rule: len(of_rule(node, rule)) for rule in planned} == planned
    assert not any("TresPerJob" in job for job in jobs), "nobody asked for a card"
    (train,), (corpus,) = of_rule(node, "train_watched"), of_rule(node, "corpus")
    assert (train["MinMemoryNode"], train["TimeLimit"]) == ("16000M", "2-00:00:00")
    assert (corpus["MinMemoryNode"], corpus["TimeLimit"]) == ("8000M", "02:00:00")

    here.snakemake("--quiet", "all", "--", target)
    assert made(there.folder) == made(here.folder)
    assert there.planned(target) == {}, "and Snakemake on this machine takes what the cluster made"


def test_who_asks_for_a_card(node, submit, smoke_clone) -> None:
    clone = smoke_clone("cards")
    clone.snakemake("--quiet", "all", "--", "results/miniature/corpora/news-karvan/tokenizer.json")
    before = len(node.jobs())
    # jobs are taken and wait: there is no card to run on
    node.ask("scontrol", "update", "PartitionName=main", "State=DOWN")
    try:
        targets = (
            "results/miniature/models/news-karvan-s1/model.safetensors",
            "results/miniature/corpora/news-velder/tokenizer.json",
        )
        driver = submit(clone.folder, "--config", "device=cuda", "--", *targets, own=clone.environment)
        wait_for(lambda: len(node.jobs()) == before + 2 or driver.poll() is not None)
        train, corpus = of_rule(node, "train_watched")[-1], of_rule(node, "corpus")[-1]
        assert train["JobState"] == corpus["JobState"] == "PENDING"
        assert train["TresPerJob"] == "gres:gpu:1"
        assert "TresPerJob" not in corpus
        driver.send_signal(signal.SIGINT)
        driver.communicate(timeout=60)
        assert [job["JobState"] for job in node.jobs()[before:]] == ["CANCELLED"] * 2, "none is left behind"
    finally:
        node.ask("scontrol", "update", "PartitionName=main", "State=UP")


def test_a_cancelled_job_is_submitted_again(node, submit, toy) -> None:
    driver = submit(toy)
    wait_for((toy / "begun").is_dir)
    (first,) = of_rule(node, "patient")
    node.ask("scancel", first["JobId"])
    said, _ = driver.communicate()
    assert driver.returncode == 0, said
    assert f"SLURM-job '{first['JobId']}' failed, SLURM status is: 'CANCELLED'" in said
    again = of_rule(node, "patient")
    assert [job["JobState"] for job in again] == ["CANCELLED", "COMPLETED"]
    assert [job["MinMemoryNode"] for job in again] == ["8000M", "16000M"]
    assert (toy / "patient.txt").read_text().strip() == again[1]["JobId"]

    (on_gpu,), (on_cpu,) = of_rule(node, "on_gpu"), of_rule(node, "on_cpu")
    assert on_gpu["TresPerJob"] == "gres:gpu:1"
    assert "TresPerJob" not in on_cpu
    assert (toy / "on_gpu.txt").read_text() == "0\n"
    assert (toy / "on_cpu.txt").read_text() == "none\n"


def test_a_job_over_its_memory_is_told(node, submit, toy) -> None:
    driver = submit(toy, "--", "greedy.txt")
    said, _ = driver.communicate()
    assert driver.returncode == 1
    tried = of_rule(node, "greedy")
    assert [job["JobState"] for job in tried] == ["FAILED"] * 2
    assert [job["MinMemoryNode"] for job in tried] == ["400M", "800M"]
    for job in tried:
        assert f"StepId={job['JobId']}.0 exceeded memory limit" in said, said
    assert said.count("Error in rule greedy") >= 2
    assert "At least one job did not complete successfully" in said
    assert not (toy / "greedy.txt").exists(), "what a killed job left is no result"
    assert "Traceback" not in said
