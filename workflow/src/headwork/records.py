"""Snakemake's records of published files, so that a clone that pulled them knows that they are up to date.

Snakemake keeps one record a file in .snakemake/metadata, named after the file's path in base64. A clone goes on writing
there, so its folder cannot itself be pulled: `keep` copies the records of published files to results/records, which is
published, and `use` copies them back beside the clone's own.

    python -m headwork.records keep
    python -m headwork.records use
"""

import argparse
import base64
import re
import shutil
from pathlib import Path

METADATA, PUBLISHED = Path(".snakemake/metadata"), Path("results/records")
# models, corpora and parses stay where they were made
PHASES = re.compile(r"results/\w+/(heads|relevance|pruning|representations|papers)/")


def keep() -> int:
    """Copy the records of published phases to results/records, and give their number."""
    shutil.rmtree(PUBLISHED, ignore_errors=True)
    PUBLISHED.mkdir(parents=True)
    kept = [file for file in sorted(METADATA.iterdir()) if file.is_file() and PHASES.match(_path(file.name))]
    for file in kept:
        shutil.copyfile(file, PUBLISHED / file.name)
    return len(kept)


def use() -> int:
    """Copy the records in results/records, if there are any, to where Snakemake looks for them; gives their number."""
    METADATA.mkdir(parents=True, exist_ok=True)
    files = sorted(PUBLISHED.glob("*"))
    for file in files:
        shutil.copyfile(file, METADATA / file.name)
    return len(files)


def _path(name: str) -> str:
    """The path that a record is of; empty for a name that is no base64, as of long paths, which have folders."""
    try:
        return base64.b64decode(name, altchars=b"-_", validate=True).decode()
    except ValueError:
        return ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("keep", "use"))
    print({"keep": keep, "use": use}[parser.parse_args().what](), "records")
