"""docs/benchmarks.md: the machine, a line for each ratio that has a target, and what some files add below the table."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import distributions, version
from pathlib import Path
from statistics import median
from typing import NamedTuple

import torch
from own_process import PEERS

SHOWN = ("torch", "transformers", "numpy", "captum", "snakemake")
SHOWN_PEERS = ("torch", "transformers", "transformer-lens", "bertviz", "opennmt-py")


class Row(NamedTuple):
    """A ratio and its target.

    `values` are its repetitions, `figures` what was divided by what, `why` the reason if the target is missed.
    """

    what: str
    values: tuple[float, ...]
    target: str
    off: float | None
    figures: str
    why: str = ""

    @property
    def held(self) -> str:
        """The target, and if it is missed, by how much and why."""
        missed = f"; missed by {self.off:.0%}{self.why and f': {self.why}'}" if self.off is not None else ""
        return f"{self.target}{missed}"


@dataclass
class Section:
    """What one file of benchmarks found: rows, and paragraphs (Markdown) below the table of all rows."""

    rows: list[Row] = field(default_factory=list)
    below: list[str] = field(default_factory=list)


def row(
    what: str,
    values: float | Sequence[float],
    at_least: float | None = None,
    at_most: float | None = None,
    figures: str = "",
    why: str = "",
) -> Row:
    """A row whose median is held against a target."""
    each = tuple(values) if isinstance(values, Sequence) else (values,)
    found = median(each)
    if at_least is not None:
        off = 1 - found / at_least if found < at_least else None
        return Row(what, each, f"≥ {at_least:g}", off, figures, why)
    if at_most is not None:
        off = found / at_most - 1 if found > at_most else None
        return Row(what, each, f"≤ {at_most:g}", off, figures, why)
    return Row(what, each, "", None, figures)


def shown(values: Sequence[float]) -> str:
    """The median, and the range of the repetitions if there are several."""
    spread = f" ({min(values):.3g} to {max(values):.3g})" if len(values) > 1 else ""
    return f"{rounded(median(values))}{spread}"


def rounded(value: float) -> str:
    """Three digits, thousands with a comma."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def page(sections: dict[str, Section]) -> str:
    """The page, of sections by file name: a title row for each file, whose docstring describes the comparison."""
    rows = [each for section in sections.values() for each in section.rows if each.target]
    missed = sum(each.off is not None for each in rows)
    lines, below = [], []
    for file, section in sections.items():
        text = (Path(__file__).parent / file).read_text(encoding="utf-8")
        title = " ".join(text.split('"""')[1].strip().split("\n\n")[0].split()).rstrip(".")
        lines.append((f"**[{title}](../tests/benchmarks/{file})**", "", ""))
        lines += [(each.what, shown(each.values), each.held) for each in section.rows if each.target]
        below += section.below
    parts = [
        "# Benchmarks",
        "Made by `make peers bench` with nothing else running. A ratio is the median of its repetitions (range), both "
        "sides from one run. Seconds are CPU seconds of one thread, MiB are beyond what the process held before. The "
        "linked files describe the comparisons; `pytest -m benchmark -s tests/benchmarks/FILE` repeats one and prints "
        "what was divided by what.",
        f"{date.today():%B %Y}, {machine()}. {versions()} {len(rows) - missed} of {len(rows)} targets are met.",
        table(["benchmark", "measured", "target"], lines),
        *below,
    ]
    return "\n\n".join(parts) + "\n"


def machine() -> str:
    """The processor, its cores and instructions, and the memory."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    name = names[0] if names else platform.processor() or platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    kind = torch.backends.cpu.get_cpu_capability()
    return f"{name} ({os.cpu_count()} cores, {kind}, {memory:.0f} GiB), Python {platform.python_version()}"


def versions() -> str:
    """The versions of what is compared, here and in the peers' environment."""
    here = ", ".join(f"{name} {version(name)}" for name in SHOWN)
    folders = [str(each) for each in PEERS.glob("lib/python*/site-packages")]
    found = {each.name.lower(): each.version for each in distributions(path=folders)} if folders else {}
    theirs = ", ".join(f"{name} {found[name]}" for name in SHOWN_PEERS if name in found)
    return f"{here}. " + (f"Peers: {theirs}." if theirs else "Without peers (`make peers` installs them).")
