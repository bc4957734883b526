"""The library's folders can be overlooked, and each package says what is in it."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "workflow/src/headwork"
PACKAGES = sorted(path.parent for path in SOURCE.rglob("__init__.py"))
# The library's own folder has no table: what stands there is named for what it is.
WITH_TABLE = [folder for folder in PACKAGES if folder != SOURCE]


def modules(folder: Path) -> set[str]:
    """The modules and packages of a folder."""
    files = {path.stem for path in folder.glob("*.py") if path.stem != "__init__"}
    return files | {path.parent.name for path in folder.glob("*/__init__.py")}


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: str(folder.relative_to(SOURCE)))
def test_no_folder_has_more_modules_than_one_can_overlook(folder: Path) -> None:
    assert len(list(folder.glob("*.py"))) - 1 <= 15


@pytest.mark.parametrize("folder", WITH_TABLE, ids=lambda folder: str(folder.relative_to(SOURCE)))
def test_a_package_s_docstring_is_its_table_of_contents(folder: Path) -> None:
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
    _, *lines = text.splitlines()
    named = {line.split()[0] for line in lines if line.strip() and not line.startswith(" ")}
    assert named == modules(folder)
