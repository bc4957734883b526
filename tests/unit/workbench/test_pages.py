"""The pages: links lead somewhere, and the modules, files, runs and commands that they name exist."""

import csv
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "config/*.md",
        "workflow/studies/*/README.md",
        "results/README.md",
    )
    for page in ROOT.glob(pattern)
)


def anchors(page: Path) -> set[str]:
    """The fragments of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def exists(name: str) -> bool:
    """Whether a dotted name is a module of the library, or something in one."""
    parent, _, last = name.rpartition(".")
    try:
        if find_spec(name):
            return True
    except ModuleNotFoundError:  # its parent is a module, not a package
        pass
    written = re.search(rf"^(class |def )?{last}\b", Path(find_spec(parent).origin).read_text(), re.MULTILINE)
    return bool(written) or hasattr(import_module(parent), last)  # what a module imports when it is asked for


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", (ROOT / page).read_text()):
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES)
def test_what_pages_name_exists(page):
    quoted = set(re.findall(r"`([^`\n]+)`", (ROOT / page).read_text()))
    for name in quoted:
        if module := re.match(r"headwork(\.\w+)+", name):
            assert exists(module[0]), name
        if re.fullmatch(r"(config|docs|envs|profiles|tests|workflow)/[\w./-]+", name):
            assert (ROOT / name).exists(), name
    sheets = [
        csv.DictReader(sheet.open(), delimiter="\t")
        for sheet in (ROOT / "workflow/studies").glob("*/runs.tsv")
    ]
    runs = {row["run"] for sheet in sheets for row in sheet}
    assert {name for name in quoted if re.fullmatch(r"[a-z0-9-]+-(s\d+|untrained|d\d)", name)} - runs == set()
