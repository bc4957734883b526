"""Snakemake's records of published files, so that a clone that pulled them knows that they are up to date.

Snakemake keeps one record a file in .snakemake/metadata, named after the file's path in base64. A clone goes on writing
there, so its folder cannot itself be pulled: `keep` copies the records of published files, and of what they were made
from, to results/records, which is published, and `use` copies them back beside the clone's own. Pulled weights then
stand where the models trained to them would, so that what starts from these models can go on without training them.

    python -m headwork.records keep
    python -m headwork.records use
"""

import argparse
import base64
import os
import re
import shutil
from pathlib import Path

METADATA, PUBLISHED = Path(".snakemake/metadata"), Path("results/records")
PULLED = re.compile(r"results/\w+/(heads|relevance|pruning|representations|papers)/")
# the other files of a scale, such as corpora and models, are not published, but Snakemake asks for their records too
UNPUBLISHED = re.compile(r"results/(?!atlas/|gallery/)\w+/")
# made beside the weights for their readers, or with files that are not published
BESIDE_WEIGHTS = shutil.ignore_patterns("README.md", "scores.json")


def keep() -> int:
    """Copy the records of all phases to results/records, and give their number."""
    shutil.rmtree(PUBLISHED, ignore_errors=True)
    PUBLISHED.mkdir(parents=True)
    kept = [file for file in sorted(METADATA.iterdir()) if file.is_file() and _phase(file)]
    for file in kept:
        shutil.copyfile(file, PUBLISHED / file.name)
    return len(kept)


def use() -> int:
    """Copy the records in results/records to where Snakemake looks for them, and give their number.

    Pulled files have replaced the clone's own, and so do their records; a model of the clone's own keeps its record,
    and its place: results/<scale>/weights/<run> is copied to models/<run> where none is.
    """
    for weights in Path("results").glob("*/weights/*/"):
        model = weights.parents[1] / "models" / weights.name
        if not model.exists():
            part = model.with_name(f".{weights.name}.part")  # a copy that was killed is begun again
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(weights, part, ignore=BESIDE_WEIGHTS, copy_function=_copy_of_old)
            part.rename(model)
    METADATA.mkdir(parents=True, exist_ok=True)
    files = [
        file
        for file in sorted(PUBLISHED.glob("*"))
        if _phase(file) is PULLED or not (METADATA / file.name).exists()
    ]
    for file in files:
        shutil.copyfile(file, METADATA / file.name)
    return len(files)


def _copy_of_old(source: str, copy: str) -> None:
    shutil.copyfile(source, copy)
    os.utime(copy, (0, 0))  # older than all that is made from it


def _phase(file: Path) -> re.Pattern[str] | None:
    """What the path that a record is of belongs to; None for other files, and for a name that is no base64."""
    try:
        path = base64.b64decode(file.name, altchars=b"-_", validate=True).decode()
    except ValueError:
        return None
    return next((phase for phase in (PULLED, UNPUBLISHED) if phase.match(path)), None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("keep", "use"))
    print({"keep": keep, "use": use}[parser.parse_args().what](), "records")
