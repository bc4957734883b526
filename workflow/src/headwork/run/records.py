"""Snakemake's records of published files, so that a clone that pulled them knows that they are up to date.

Snakemake keeps one record a file (`headwork.run.metadata`). A clone goes on writing there, so its folder cannot itself
be pulled: `keep` copies the records of published files, and of what they were made from, to one compressed file a scale
in results/records, which is published, and `use` copies them back beside the clone's own. A published record also says
for good which code made the file, under `headwork.run.made_by.KEY`.

Models are too large to publish. What is known of them is not: `keep` also copies `TRAINING` of every model, and
`REMOVAL` of its closed heads, so that learning curves and tables of sweeps are made without the models. Of a scale that
publishes weights it copies the `PARSER` too, which gives other trees if it is trained on another processor. `use` puts
these files, and pulled weights, where they were made; what starts from pulled weights is not trained again.
"""

import gzip
import json
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headwork.run.made_by import KEY, made_by, runs_of
from headwork.run.metadata import record_file, records

PUBLISHED = Path("results/records")
NOT_NEEDED = ("conda_env",)  # the same long text in each, by which Snakemake does not judge
PULLED = re.compile(
    r"results/\w+/((heads|relevance|representations|studies)/|pruning/((disabling|measures|ranking)/|[^/]*$))"
)
# the other files of a scale, such as corpora and models, are not pulled, but Snakemake asks for their records too
UNPUBLISHED = re.compile(r"results/(?!atlas/|gallery/)\w+/")
TRAINING = ("run.json", "history.csv", "gates.csv", "scores.json", "config.json")
REMOVAL = ("removal.json", "speed.json")
PARSER = ("tagger.pt", "parser.pt", "training.json")
FOLDERS = {"models/*": TRAINING, "pruning/*": REMOVAL, "parses/parsers/*": PARSER}  # of a scale
CARD = shutil.ignore_patterns("README.md")  # of published weights, for their readers


def keep() -> int:
    """Copy the records of all phases, and the files of `FOLDERS`, to results/records; give the number of records."""
    shutil.rmtree(PUBLISHED, ignore_errors=True)
    PUBLISHED.mkdir(parents=True)
    runs, kept = runs_of(), defaultdict(list)
    for path, file in records():
        if _phase(path):
            record = json.loads(file.read_text(encoding="utf-8"))
            if KEY not in record and (found := made_by(record, runs)):
                record[KEY] = found
            kept[Path(path).parts[1]].append((path, record))
    for scale, records_of_scale in kept.items():
        _write(PUBLISHED / f"{scale}.jsonl.gz", records_of_scale)
    results = Path("results")
    for kind, names in FOLDERS.items():
        files = [file for file in results.glob(f"*/{kind}/*") if file.name in names]
        if names is PARSER:
            files = [file for file in files if (results / file.parts[1] / "weights").exists()]
        for file in files:
            copy = PUBLISHED / file.relative_to(results)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
    return sum(map(len, kept.values()))


def use() -> int:
    """Copy the records in results/records to where Snakemake looks for them, and give their number.

    Pulled files have replaced the clone's own, and so do their records. A model of the clone's own keeps its place and
    its records; where there is none, or one that was pulled before, its folder is made of what was pulled. So it is
    with a parser.
    """
    results = Path("results")
    sources = defaultdict(list)
    for kind in FOLDERS:
        for folder in PUBLISHED.glob(f"*/{kind}/"):
            sources[results / folder.relative_to(PUBLISHED)].append(folder)
    for folder in results.glob("*/weights/*/"):
        sources[folder.parents[1] / "models" / folder.name].append(folder)
    renewed = {str(model) for model, pulled in sorted(sources.items()) if _put(model, pulled)}
    used = 0
    for path, record in _read():
        file = record_file(path)
        if _phase(path) is PULLED or not file.exists() or path.rpartition("/")[0] in renewed:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(record), encoding="utf-8")
            used += 1
    return used


def _write(file: Path, records_of_scale: list[tuple[str, dict[str, Any]]]) -> None:
    """Write records, one a line, to a file with the same bytes for the same records."""
    with file.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
        for path, record in records_of_scale:
            kept = {name: value for name, value in record.items() if name not in NOT_NEEDED}
            packed.write((json.dumps({"path": path} | kept) + "\n").encode())


def _read() -> Iterator[tuple[str, dict[str, Any]]]:
    """All published records, with their paths."""
    for file in sorted(PUBLISHED.glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                yield record.pop("path"), record


def _put(model: Path, pulled: list[Path]) -> bool:
    """Make the folder of a model of what was pulled, unless it is the clone's own."""
    times = [file.stat().st_mtime for file in model.glob("*")]
    if model.exists() and (not times or any(times)):
        return False
    part = model.with_name(f".{model.name}.part")  # a copy that was killed is begun again
    shutil.rmtree(part, ignore_errors=True)
    for source in pulled:
        shutil.copytree(source, part, ignore=CARD, copy_function=_copy_of_old, dirs_exist_ok=True)
    shutil.rmtree(model, ignore_errors=True)
    part.rename(model)
    return True


def _copy_of_old(source: str, copy: str) -> None:
    shutil.copyfile(source, copy)
    os.utime(copy, (0, 0))  # older than all that is made from it, and known as pulled


def _phase(path: str) -> re.Pattern[str] | None:
    """What a path that has a record belongs to; None for other files."""
    return next((phase for phase in (PULLED, UNPUBLISHED) if phase.match(path)), None)
