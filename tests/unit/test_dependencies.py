"""The library's imports are its declared dependencies, and what only tests import is not among them."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# Dependencies of the extra `workflow` that are commands, and plugins of these.
COMMANDS = {"dvc", "dvc-s3", "snakemake-executor-plugin-slurm"}


def imported(folder: Path) -> set[str]:
    """The top-level packages that the modules of a folder import, but Python's own and those of this repository."""
    names = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
    return names - set(sys.stdlib_module_names) - {"headwork", "miniature_world", "studies"}


def required(path: Path) -> set[str]:
    """The distributions that a requirements file names."""
    lines = (re.sub(r"#.*", "", line).strip() for line in path.read_text().splitlines())
    return {canonicalize_name(Requirement(line).name) for line in lines if line}


@pytest.fixture
def declared(root: Path) -> set[str]:
    """The library's dependencies, with those of its extras."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    return {canonicalize_name(Requirement(line).name) for lines in lists for line in lines} - {"headwork"}


def distributions(packages: set[str]) -> dict[str, set[str]]:
    """For each imported package the distributions that bring it."""
    known = packages_distributions()
    return {name: {canonicalize_name(one) for one in known.get(name, [name])} for name in packages}


def test_the_library_imports_what_it_depends_on(root: Path, declared: set[str]) -> None:
    brought = distributions(imported(root / "workflow/src") | imported(root / "workflow/studies"))
    assert {name for name, ways in brought.items() if not ways & declared} == set()
    assert declared - set().union(*brought.values()) == COMMANDS


def test_what_only_tests_need_is_in_dev(root: Path, declared: set[str]) -> None:
    run, dev = required(root / "envs/requirements.in"), required(root / "envs/dev.in")
    assert not dev & (run | declared)
    helpers = {path.stem for path in (root / "tests").rglob("*.py")}
    brought = distributions(imported(root / "tests") - helpers)
    missing = {name for name, ways in brought.items() if not ways & (run | dev | declared)}
    # the validator of crates, which has to be installed by hand for its test, and the tools of `make peers`
    assert missing == {"rocrate_validator", "bertviz", "onmt", "transformer_lens"}


def test_all_of_it_is_locked(root: Path, declared: set[str]) -> None:
    locked = {
        canonicalize_name(line.split("==")[0])
        for line in (root / "envs/constraints.txt").read_text().splitlines()
    }
    named = required(root / "envs/requirements.in") | required(root / "envs/dev.in") | declared
    assert named - locked == set()
