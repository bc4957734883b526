"""Provenance of a result: versions, data, machine, commit, settings, as one JSON file."""

import os
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from headwork.corpora.sources.hashes import sha256
from headwork.run.commit import commit

PACKAGES = [
    "torch",
    "transformers",
    "tokenizers",
    "accelerate",
    "safetensors",
    "ctranslate2",
    "sacrebleu",
    "numpy",
]


def versions(*packages: str) -> dict[str, str]:
    """The installed version of each package, and Python's."""
    return {"python": platform.python_version(), **{name: version(name) for name in packages or PACKAGES}}


def hardware() -> dict[str, Any]:
    """The machine: processor, cores it may use, memory in GiB, GPU if there is one."""
    import torch

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": round(memory, 1),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "system": platform.platform(),
    }


def processor() -> str:
    """The name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def provenance(settings: Mapping[str, Any], inputs: Iterable[str | Path], **facts: Any) -> dict[str, Any]:
    """Return a run's settings, SHA-256 of its inputs by file name, facts, versions and machine."""
    return {
        "settings": dict(settings),
        "inputs": {Path(path).name: sha256(path) for path in inputs},
        **facts,
        "commit": commit(),
        "versions": versions(),
        "hardware": hardware(),
    }
