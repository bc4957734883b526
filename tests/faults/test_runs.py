"""Two runs at once, a run that goes on with another number of cores, a clock that was moved back."""

import os
import time
from random import Random

import pytest
from killing import SEED, VICTIMS, Activity, contents, differing, kill_all, killed, started

pytestmark = [pytest.mark.workflow, pytest.mark.long]

WORLD = "results/miniature/corpora/world/summary.csv"
RUN = "results/miniature/models/news-karvan-s1"
HOUR = 3600


def snakemake(cores: int, *targets: str) -> tuple[str, ...]:
    return ("snakemake", "--nocolor", "--cores", str(cores), "--", *targets)


def test_two_at_once(smoke_clone, survives) -> None:
    """The second is told of the first, which goes on; and when that is killed, the next needs no hand."""
    clone = smoke_clone("twice")
    with survives(
        "two runs at once", "another run (process 123) works in this folder; wait for its end, or stop it"
    ):
        first = started(clone, snakemake(2, f"{RUN}/scores.json"), clone / "first.log")
        try:
            lock = clone / ".snakemake/run.lock"
            for _ in range(1200):
                if lock.exists() and lock.read_text().strip():
                    break
                time.sleep(0.1)
            second = clone.snakemake("results/miniature/corpora/tasks/summary.csv", check=False)
            assert second.returncode != 0
            said = f"another run (process {first.pid}) works in this folder; wait for its end, or stop it"
            assert second.stderr.splitlines()[-1] == said
            assert not (clone / "results/miniature/corpora/tasks").exists()
        finally:
            kill_all(first)
        clone.snakemake("results/miniature/corpora/tasks/summary.csv")


def test_another_number_of_cores(smoke_clone, survives) -> None:
    whole, clone = smoke_clone("whole"), smoke_clone("cores")
    with survives("a run is killed while training, and goes on with another number of cores") as kills:
        whole.run(*snakemake(2, f"{RUN}/scores.json"))
        two, one = (snakemake(cores, f"{RUN}/scores.json") for cores in (2, 1))
        training = Activity("training on two cores", two, 0.1, ".checkpoints/miniature/*/*")
        kill = killed(clone, training, VICTIMS[0], Random(SEED), clone / "killed.log")
        kills += [kill] if kill else []
        clone.run(*one)
        assert (
            differing(contents(clone / "results", "run.json"), contents(whole / "results", "run.json")) == []
        )


def test_a_clock_that_was_moved_back(smoke_clone, survives) -> None:
    """To a run after the clock was moved back by an hour, all that was made before is of the future."""
    clone, tokenizer = smoke_clone("clock"), "results/miniature/corpora/news-karvan/tokenizer.json"
    with survives("the clock is moved back by an hour between two runs"):
        clone.run(*snakemake(2, WORLD))
        for folder in ("results", "config", "workflow", "tests"):
            for path in (clone / folder).rglob("*"):
                moment = path.stat().st_mtime + HOUR
                os.utime(path, (moment, moment))
        world = contents((clone / WORLD).parent)
        done = clone.run(*snakemake(2, tokenizer))
        assert "Generate the miniature world" not in done.stderr
        assert contents((clone / WORLD).parent) == world
        assert clone.planned(WORLD, tokenizer) == {}
