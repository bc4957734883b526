"""Several rules' work in one process: what is done is kept when a later step fails, and used if nothing changed."""

from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from headwork.together import run_steps

COUNTING = """
from pathlib import Path
with open(snakemake.params.count, "a") as count:
    count.write(snakemake.wildcards.run)
if snakemake.params.get("fails"):
    raise SystemExit(1)
text = Path(snakemake.input.text).read_text() + snakemake.params["added"]
for output in snakemake.output.values():
    output = Path(output)
    if not output.suffix:
        output.mkdir()
        output = output / "inside"
    output.write_text(text)
"""


@pytest.fixture
def steps(tmp_path: Path) -> list[dict]:
    (tmp_path / "script.py").write_text(COUNTING)
    (tmp_path / "given.txt").write_text("a")
    made = [tmp_path / name for name in ("given.txt", "one.txt", "two.txt", "three.txt")]
    return [
        {
            "script": str(tmp_path / "script.py"),
            "log": [str(tmp_path / f"{number}.log")],
            "wildcards": {"run": str(number)},
            "input": {"text": str(old)},
            "output": {"text": str(new)} | ({"folder": str(tmp_path / "states")} if number == 1 else {}),
            "params": {"count": str(tmp_path / "count"), "added": str(number)},
        }
        for number, (old, new) in enumerate(pairwise(made))
    ]


@pytest.fixture
def run(tmp_path: Path):
    of_all = SimpleNamespace(threads=1, resources={}, config={})

    def run(steps: list[dict], unrecorded: list[dict] | None = None) -> str:
        """Run the steps as Snakemake does, which removes a job's files first; which steps were run, the first as 0."""
        (tmp_path / "count").write_text("")
        for name in ("one", "two", "three"):
            (tmp_path / f"{name}.txt").unlink(missing_ok=True)
        for inside in tmp_path.glob("states/*"):
            inside.unlink()
        if (tmp_path / "states").is_dir():
            (tmp_path / "states").rmdir()
        with suppress(SystemExit):
            run_steps(steps, unrecorded or [{}] * len(steps), tmp_path / "kept", of_all)
        return (tmp_path / "count").read_text()

    return run


def test_steps_read_what_those_before_wrote(tmp_path, steps, run) -> None:
    assert run(steps) == "012"
    assert (tmp_path / "three.txt").read_text() == "a012"
    assert not (tmp_path / "kept").exists()


def test_a_step_gets_what_is_not_recorded_too(tmp_path, steps, run) -> None:
    (tmp_path / "device.py").write_text(
        COUNTING.replace('params["added"]', 'params["added"] + snakemake.params.get("device", "-")')
    )
    steps = [step | {"script": str(tmp_path / "device.py")} for step in steps]
    assert run(steps, [{}, {"device": "cpu"}, {}]) == "012"
    assert (tmp_path / "three.txt").read_text() == "a0-1cpu2-"


def test_a_job_that_failed_goes_on(tmp_path, steps, run) -> None:
    steps[2]["params"]["fails"] = True
    assert run(steps) == "012"
    del steps[2]["params"]["fails"]
    assert run(steps) == "2"
    assert (tmp_path / "three.txt").read_text() == "a012"
    assert (tmp_path / "1.log").read_text() == "made before the job was killed\n"
    assert (tmp_path / "states/inside").read_text() == (tmp_path / "two.txt").read_text() == "a01"


def test_what_was_kept_of_other_settings_or_inputs_is_made_anew(tmp_path, steps, run) -> None:
    steps[2]["params"]["fails"] = True
    run(steps)
    steps[1]["params"]["added"] = "b"
    assert run(steps) == "12"
    (tmp_path / "given.txt").write_text("c")
    del steps[2]["params"]["fails"]
    assert run(steps) == "012"
    assert (tmp_path / "three.txt").read_text() == "c0b2"
