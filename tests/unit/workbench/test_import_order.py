"""Packages import only what stands before them in the docstring of headwork; study folders never import each other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import headwork

ROOT = Path(__file__).parents[3] / "workflow"
ORDER = re.search(r"listed before it: (.+?)\.\n", headwork.__doc__, re.DOTALL)[1]
ORDER = [each.split()[0] for each in ORDER.replace("\n", " ").split(",")]


def imported(path: Path) -> Iterator[str]:
    """The modules that the statements of a module import, absolutely."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level:
            inner = [f"headwork.{each.name}" for each in node.names]
            yield from inner if node.module == "headwork" else [node.module]
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


def package(module: str) -> str:
    return module.removeprefix("headwork.").partition(".")[0]


def test_no_import_goes_up():
    upwards = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        own = package(".".join(path.relative_to(ROOT / "src").with_suffix("").parts))
        if own in ORDER:
            theirs = map(package, imported(path))
            upwards += [(path.name, each) for each in theirs if each in ORDER[ORDER.index(own) + 1 :]]
    assert len(ORDER) > 15
    assert upwards == []


def test_studies_import_the_library_and_their_own_folder_alone():
    for path in sorted((ROOT / "studies").rglob("*.py")):
        assert [module for module in imported(path) if module.startswith("studies")] == [], path
