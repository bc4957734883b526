"""A killed Snakemake takes its job with it, and the same command goes on; tests/faults has a hundred kills of more."""

from random import Random

import pytest
import yaml
from killing import VICTIMS, Activity, contents, killed

from miniature_world.world import write_world

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

WORLD = "results/miniature/corpora/world"
COMMAND = ("snakemake", "--nocolor", "--cores", "2", "--", f"{WORLD}/summary.csv")


def test_killed_alone_and_by_its_job(smoke_clone, tmp_path) -> None:
    clone = smoke_clone("killed")
    activity = Activity("the world", COMMAND, 0.1, "logs/miniature/corpora/world.log")
    for victim in VICTIMS[1:]:
        kill = killed(clone, activity, victim, Random(victim), tmp_path / "said")
        assert kill is not None
        assert (kill.victim, kill.running) == (victim, ("Generate the miniature world",))
    clone.run(*COMMAND)
    world = yaml.safe_load((clone / "config/config.yaml").read_text())["world"]
    write_world(tmp_path / "world", world["sentences"], world["seed"], world["languages"])
    assert contents(clone / WORLD) == contents(tmp_path / "world")
