"""`make bench`: ratios of two ways of doing the same thing, held against targets and written to docs/benchmarks.md.

Mostly ratios are held against targets, since both sides come from one run on one machine. The page is written where
$HEADWORK_BENCHMARKS names it.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from page import Section, page, row, shown

SECTIONS = pytest.StashKey[dict[str, Section]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SECTIONS] = {}


@pytest.fixture
def section(request: pytest.FixtureRequest) -> Section:
    """The part of the page that belongs to the test's file."""
    return request.config.stash[SECTIONS].setdefault(Path(request.module.__file__).name, Section())


@pytest.fixture
def report(section: Section) -> Iterator[Callable[..., None]]:
    """Notes a measurement for the page; at the end of the test, those that miss their targets fail it.

    `values` is one number, or one for each repetition, whose median is held against `at_least` or `at_most`; `why` is
    the reason that the page gives where the target is missed.
    """
    missed = []

    def note(what: str, values: float | Sequence[float], **details: float | str | None) -> None:
        found = row(what, values, **details)
        section.rows.append(found)
        print(f"\n{what}: {shown(found.values)} (target {found.target or 'none'}) {found.figures}")
        if found.off is not None:
            missed.append(f"{what}: {shown(found.values)}, target {found.target}")

    yield note
    if missed:
        pytest.fail("; ".join(missed), pytrace=False)


def pytest_sessionfinish(session: pytest.Session) -> None:
    path, sections = os.environ.get("HEADWORK_BENCHMARKS"), session.config.stash[SECTIONS]
    if path and sections:
        Path(path).write_text(page(sections), encoding="utf-8")
