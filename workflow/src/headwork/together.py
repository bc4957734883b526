"""The work of several rules in one process, step after step: importing torch and transformers takes seconds each time.

A step is what Snakemake would hand to the script of one rule. What a step made is kept beside the results until the
last one is done, since Snakemake removes all files of a job that was killed: the next job goes on from there.
"""

import gc
import hashlib
import json
import os
import runpy
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

KEY = "key"  # file beside the kept files, written last


class Named(dict[str, Any]):
    """Files or parameters by name, as a script reads them: ``input.model`` or ``input["model"]``."""

    __getattr__ = dict.__getitem__


def run_steps(
    steps: Sequence[Mapping[str, Any]], unrecorded: Sequence[Mapping[str, Any]], kept: str | Path, of_all: Any
) -> None:
    """Run the script of each step in turn, or bring back what it made before the job was killed.

    A step has `script`, `log`, `wildcards`, and `input`, `output` and `params` by name; `unrecorded` has further
    parameters of each step, which change no result. `of_all` is the `snakemake` object of the job, whose threads,
    resources and config hold for each. `kept` is a folder for what steps made: files of a step whose settings or inputs
    have changed since are made anew; it is removed at the end.
    """
    kept = Path(kept)
    for number, step in enumerate(steps):
        folder, key = kept / str(number), _key(step)
        if (folder / KEY).is_file() and (folder / KEY).read_text() == key:
            _copy((folder / str(place), path) for place, path in enumerate(_files(step["output"])))
            for log in step["log"]:  # Snakemake has emptied it
                Path(log).write_text("made before the job was killed\n", encoding="utf-8")
            continue
        _run(step, unrecorded[number], of_all)
        if number + 1 < len(steps):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            _copy((path, folder / str(place)) for place, path in enumerate(_files(step["output"])))
            (folder / KEY).write_text(key)
    shutil.rmtree(kept, ignore_errors=True)


def _run(step: Mapping[str, Any], unrecorded: Mapping[str, Any], of_all: Any) -> None:
    """Run a step's script, when the garbage of the steps before it is gone."""
    parts = {name: Named(step[name]) for name in ("input", "output", "params", "wildcards")}
    parts["params"] |= unrecorded
    given = SimpleNamespace(
        **parts, log=step["log"], threads=of_all.threads, resources=of_all.resources, config=of_all.config
    )
    gc.unfreeze()  # see headwork.run.frame
    gc.collect()
    runpy.run_path(step["script"], init_globals={"snakemake": given})


def _files(named: Mapping[str, str | Sequence[str]]) -> list[Path]:
    """All files of these names."""
    return [Path(file) for files in named.values() for file in ([files] if isinstance(files, str) else files)]


def _key(step: Mapping[str, Any]) -> str:
    """A hash of what a step is given: its settings, and the contents of its files."""
    found = hashlib.sha256(json.dumps(step, sort_keys=True, default=str).encode())
    for path in _files(step["input"]):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                found.update(file.read_bytes())
    return found.hexdigest()


def _copy(pairs: Iterable[tuple[Path, Path]]) -> None:
    """Copy files and folders by hard links, which take no space."""
    for old, new in pairs:
        new.parent.mkdir(parents=True, exist_ok=True)
        if old.is_dir():
            shutil.copytree(old, new, copy_function=os.link, dirs_exist_ok=True)
        else:
            new.unlink(missing_ok=True)
            os.link(old, new)
