"""docs/benchmarks.md: the machine, and for each file of benchmarks its ratios and tables."""

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
    def met(self) -> str:
        """Whether the target is met, and if not, by how much it is missed and why."""
        if not self.target:
            return ""
        return "yes" if self.off is None else f"no, by {self.off:.0%}{self.why and f': {self.why}'}"


@dataclass
class Section:
    """What one file of benchmarks found: rows, and paragraphs (Markdown) below them."""

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
    """The median, and the range and number of repetitions if there are several."""
    spread = f" ({min(values):.3g} to {max(values):.3g}, n = {len(values)})" if len(values) > 1 else ""
    return f"{rounded(median(values))}{spread}"


def rounded(value: float) -> str:
    """Three digits, thousands with a comma."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def page(sections: dict[str, Section]) -> str:
    """The page, of sections by file name."""
    rows = [each for section in sections.values() for each in section.rows if each.target]
    missed = sum(each.off is not None for each in rows)
    parts = [
        "# Benchmarks",
        "Made by `make peers bench` with nothing else running. Both sides of a ratio come from one run; it is a median "
        "with its range where there are repetitions. Seconds are CPU seconds of one thread, MiB are beyond what the "
        "process held before, unless said otherwise. `pytest -m benchmark -s tests/benchmarks/FILE` repeats one part.",
        f"{date.today():%B %Y}, {machine()}. {versions()} {len(rows) - missed} of {len(rows)} targets are met.",
    ]
    for file, section in sections.items():
        text = (Path(__file__).parent / file).read_text(encoding="utf-8")
        title, *rest = text.split('"""')[1].strip().split("\n\n")
        parts += [f"## {' '.join(title.split()).rstrip('.')}", *(" ".join(each.split()) for each in rest)]
        if section.rows:
            lines = [
                (each.what, shown(each.values), each.target, each.met, each.figures) for each in section.rows
            ]
            parts.append(table(["ratio", "measured", "target", "met", "from"], lines))
        parts += [*section.below, f"[{file}](../tests/benchmarks/{file})"]
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
