"""The DVC remote inside the repository serves what dvc.lock says a clone can pull, and nothing else."""

import hashlib
import json
import shlex
import shutil
from pathlib import Path

import pytest
import yaml
from dvc.repo import Repo
from snakemake.cli import get_argument_parser

pytestmark = pytest.mark.workflow

REMOTE = ".dvc/published/files/md5"


def promised(root: Path) -> dict[str, str]:
    """Checksum -> output, of all outputs that dvc.yaml sends to the remote inside the repository."""
    shipped = yaml.safe_load((root / "dvc.yaml").read_text())
    locked = yaml.safe_load((root / "dvc.lock").read_text())["stages"]
    scales = [scale for entry in shipped.get("vars", ()) for scale in entry["scales"]]
    sent = {
        path.replace("${key}", scale)
        for stage in shipped["stages"].values()
        for out in stage.get("do", stage)["outs"]
        for path, options in out.items()
        for scale in scales or [""]
        if options.get("push", True) and options.get("remote", "published") == "published"
    }
    return {
        out["md5"]: out["path"] for stage in locked.values() for out in stage["outs"] if out["path"] in sent
    }


def served(root: Path) -> dict[str, Path]:
    """Checksum -> file, of all files of the remote."""
    files = (path for path in (root / REMOTE).rglob("*") if path.is_file())
    return {path.parent.name + path.name: path for path in files}


def faults(root: Path) -> list[str]:
    """What the remote lacks, what is damaged in it, and what in it no output needs."""
    files, wanted = served(root), promised(root)
    for md5 in [md5 for md5 in wanted if md5.endswith(".dir") and md5 in files]:
        members = json.loads(files[md5].read_text())
        wanted |= {member["md5"]: f"{wanted[md5]}/{member['relpath']}" for member in members}
    lacking = [f"lacks {path}" for md5, path in wanted.items() if md5 not in files]
    damaged = [
        f"damaged: {wanted[md5]}"
        for md5, file in files.items()
        if md5 in wanted and hashlib.md5(file.read_bytes()).hexdigest() != md5.removesuffix(".dir")
    ]
    return lacking + damaged + [f"superfluous: {md5}" for md5 in files if md5 not in wanted]


def test_the_remote_serves_what_was_published(root: Path) -> None:
    if not (root / "dvc.lock").is_file():
        pytest.skip("nothing has been published yet: there is no dvc.lock; `make publish` makes it")
    assert {"results/miniature/heads", "results/miniature/studies"} <= set(promised(root).values())
    assert faults(root) == []


def test_snakemake_understands_the_commands_of_all_stages(root: Path) -> None:
    """`--quiet progress atlas` once took the target for a value of the option; parsing ends the program on an error."""
    commands = [
        shlex.split(command)
        for stage in Repo(root).index.stages
        for command in ([stage.cmd] if isinstance(stage.cmd, str) else stage.cmd)
    ]
    asked = [
        get_argument_parser().parse_args(words) for program, *words in commands if program == "snakemake"
    ]
    assert len(asked) > 10
    assert all(options.targets or options.report for options in asked)


def test_what_is_missing_damaged_or_superfluous_is_found(clone) -> None:
    """In a small repository with this one's remotes: a folder that was pushed, and two outputs that were not."""
    shutil.rmtree(clone / ".dvc/published", ignore_errors=True)
    (clone / "dvc.lock").unlink(missing_ok=True)
    stages = {
        "heads": {"cmd": "mkdir heads && echo a > heads/a && echo b > heads/b", "outs": [{"heads": {}}]},
        "models": {"cmd": "echo c > models", "outs": [{"models": {"remote": "store"}}]},
        "corpora": {"cmd": "echo d > corpora", "outs": [{"corpora": {"push": False}}]},
    }
    (clone / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))
    clone.run("dvc", "repro", "--quiet")
    clone.run("dvc", "push", "--quiet", "--remote", "published", "heads")
    little = clone.folder
    assert list(promised(little).values()) == ["heads"]
    assert len(served(little)) == 3
    assert faults(little) == []

    a = served(little)[hashlib.md5(b"a\n").hexdigest()]
    a.chmod(0o644)
    a.write_text("other\n")
    assert faults(little) == ["damaged: heads/a"]
    a.unlink()
    assert faults(little) == ["lacks heads/a"]
    a.write_text("a\n")
    (a.parent / ("0" * 30)).write_text("")
    assert faults(little) == [f"superfluous: {a.parent.name}{'0' * 30}"]
    shutil.rmtree(little / REMOTE)
    assert faults(little) == ["lacks heads"]
