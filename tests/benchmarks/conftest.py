"""`make bench`: ratios of two ways of doing the same thing, held against targets and written to docs/benchmarks.md.

Only ratios are held against targets, since both sides come from one run on one machine. A page is written where
$HEADWORK_BENCHMARKS names it.
"""

import os
import platform
from collections.abc import Callable, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

SHOWN = ("torch", "transformers", "numpy")


class Row(NamedTuple):
    """One line of the page."""

    file: str
    what: str
    values: tuple[float, ...]
    target: str
    met: bool


ROWS = pytest.StashKey[list[Row]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[ROWS] = []


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Notes a measurement for the page, then holds it against its target.

    `values` is one number, or one for each repetition, whose median is held against `at_least` or `at_most`.
    """

    def note(
        what: str,
        values: float | Sequence[float],
        at_least: float | None = None,
        at_most: float | None = None,
    ) -> None:
        each = tuple(values) if isinstance(values, Sequence) else (values,)
        found = _median(each)
        if at_least is not None:
            met, target = found >= at_least, f"≥ {at_least:g}"
        elif at_most is not None:
            met, target = found <= at_most, f"≤ {at_most:g}"
        else:
            met, target = True, ""
        file = Path(request.module.__file__).name
        request.config.stash[ROWS].append(Row(file, what, each, target, met))
        print(f"\n{what}: {_shown(each)} (target {target or 'none'})")
        assert met, f"{what}: {found:.3g}, target {target}"

    return note


def _median(values: Sequence[float]) -> float:
    return float(torch.tensor(values, dtype=torch.float64).quantile(0.5))


def _shown(values: Sequence[float]) -> str:
    spread = f" ({min(values):.3g} to {max(values):.3g}, n = {len(values)})" if len(values) > 1 else ""
    return f"{_median(values):.3g}{spread}"


def pytest_sessionfinish(session: pytest.Session) -> None:
    path, rows = os.environ.get("HEADWORK_BENCHMARKS"), session.config.stash[ROWS]
    if path and rows:
        Path(path).write_text(page(rows), encoding="utf-8")


def page(rows: Sequence[Row]) -> str:
    """The page: the machine, and a table for each file of benchmarks."""
    versions = ", ".join(f"{name} {version(name)}" for name in SHOWN)
    missed = sum(not row.met for row in rows)
    parts = [
        "# Benchmarks",
        "Made by `make bench` with nothing else running. Each number is a ratio of two ways of doing the same thing, "
        "taken in one run: median, range and number of repetitions where there are several. Times are CPU seconds of "
        "one thread.",
        f"{date.today():%B %Y}, {_processor()}, Python {platform.python_version()}, {versions}. "
        f"{len(rows) - missed} of {len(rows)} targets are met.",
    ]
    for file in dict.fromkeys(row.file for row in rows):
        summary = (Path(__file__).parent / file).read_text(encoding="utf-8").split('"""')[1].split("\n\n")[0]
        lines = [f"| {row.what} | {_shown(row.values)} | {row.target} | {'yes' if row.met else 'no'} |"
                 for row in rows if row.file == file]  # fmt: skip
        table = "\n".join(["| ratio | measured | target | met |", "|---|---|---|---|", *lines])
        parts += [
            f"## {' '.join(summary.split()).rstrip('.')}",
            f"[{file}](../tests/benchmarks/{file})",
            table,
        ]
    return "\n\n".join(parts) + "\n"


def _processor() -> str:
    """The processor's name, as Linux tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]} ({len(names)} cores)" if names else platform.processor() or platform.machine()
