"""Snakemake's records of published files, so that a clone that pulled them knows that they are up to date.

Snakemake keeps one record a file in .snakemake/metadata, named after the file's path in base64. A clone goes on writing
there, so its folder cannot itself be pulled: `keep` copies the records of published files, and of what they were made
from, to results/records, which is published, and `use` copies them back beside the clone's own.

Models are too large to publish. What is known of them is not: `keep` also copies `TRAINING` of every model, and
`REMOVAL` of its closed heads, so that learning curves and tables of sweeps are made without the models. Of a scale that
publishes weights it copies the `PARSER` too, which gives other trees if it is trained on another processor. `use` puts
these files, and pulled weights, where they were made; what starts from pulled weights is not trained again.

    python -m headwork.run.records keep
    python -m headwork.run.records use

`read_record` gives what the record of one file says: the rule that made it, from what, and when.
"""

import argparse
import base64
import json
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

METADATA, PUBLISHED = Path(".snakemake/metadata"), Path("results/records")
PULLED = re.compile(
    r"results/\w+/((heads|relevance|representations|papers)/|pruning/((disabling|measures|ranking)/|[^/]*$))"
)
# the other files of a scale, such as corpora and models, are not pulled, but Snakemake asks for their records too
UNPUBLISHED = re.compile(r"results/(?!atlas/|gallery/)\w+/")
TRAINING = ("run.json", "history.csv", "gates.csv", "scores.json", "config.json")
REMOVAL = ("removal.json", "speed.json")
PARSER = ("tagger.pt", "parser.pt", "training.json")
FOLDERS = {"models/*": TRAINING, "pruning/*": REMOVAL, "parses/parsers/*": PARSER}  # of a scale
CARD = shutil.ignore_patterns("README.md")  # of published weights, for their readers


@dataclass(frozen=True)
class Record:
    """How one file was made.

    rule      the Snakemake rule
    inputs    path -> SHA-256 of the file, "" where Snakemake did not compute one (large files)
    began     start of the job, seconds since the epoch
    ended     its end
    """

    rule: str
    inputs: Mapping[str, str]
    began: float
    ended: float

    @property
    def seconds(self) -> float:
        """Duration of the job."""
        return self.ended - self.began


def read_record(path: str | Path, metadata: Path | None) -> Record | None:
    """The record of a file by its path relative to the working folder; None if Snakemake has none."""
    if metadata is None:
        return None
    name = base64.urlsafe_b64encode(Path(path).as_posix().encode()).decode()
    record = metadata / name
    if not record.is_file():
        return None
    known = json.loads(record.read_text(encoding="utf-8"))
    sums = known.get("input_checksums") or {}
    inputs = {given: sums.get(given, "").removeprefix("sha256:") for given in known.get("input") or ()}
    return Record(known["rule"], inputs, known["starttime"], known["endtime"])


def keep() -> int:
    """Copy the records of all phases, and the files of `FOLDERS`, to results/records; give the number of records."""
    shutil.rmtree(PUBLISHED, ignore_errors=True)
    PUBLISHED.mkdir(parents=True)
    kept = [file for file in sorted(METADATA.iterdir()) if file.is_file() and _phase(file)]
    for file in kept:
        shutil.copyfile(file, PUBLISHED / file.name)
    results = Path("results")
    for kind, names in FOLDERS.items():
        files = [file for file in results.glob(f"*/{kind}/*") if file.name in names]
        if names is PARSER:
            files = [file for file in files if (results / file.parts[1] / "weights").exists()]
        for file in files:
            copy = PUBLISHED / file.relative_to(results)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
    return len(kept)


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
    METADATA.mkdir(parents=True, exist_ok=True)
    files = [
        file
        for file in sorted(PUBLISHED.glob("*"))
        if file.is_file()
        and (
            _phase(file) is PULLED
            or not (METADATA / file.name).exists()
            or (_path(file) or "").rpartition("/")[0] in renewed
        )
    ]
    for file in files:
        shutil.copyfile(file, METADATA / file.name)
    return len(files)


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


def _path(file: Path) -> str | None:
    """The path that a record is of; None for a name that is no base64."""
    try:
        return base64.b64decode(file.name, altchars=b"-_", validate=True).decode()
    except ValueError:
        return None


def _phase(file: Path) -> re.Pattern[str] | None:
    """What the path that a record is of belongs to; None for other files."""
    path = _path(file)
    return path and next((phase for phase in (PULLED, UNPUBLISHED) if phase.match(path)), None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("keep", "use"))
    print({"keep": keep, "use": use}[parser.parse_args().what](), "records")
