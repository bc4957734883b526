# What is checked before Snakemake reads the config, and how a run ends that cannot go on.
import os
import sys
from pathlib import Path

from headwork.settings.base import require
from headwork.settings.config import read_yaml
from headwork.run.directional import escaped
from headwork.errors import InputError


def stop(error):
    """End with this sentence alone: Snakemake would print an exception with lines of this file around it."""
    sys.exit(escaped(str(error)))


try:
    require(
        Path("config/config.yaml").is_file(),
        "config/config.yaml: there is no such file here; run snakemake in the clone, or add --directory and its folder",
    )
    require(
        os.access(".", os.W_OK),
        f"{Path.cwd()}: this folder cannot be written to; make a clone where you may write",
    )
    require(
        workflow.resource_settings.cores != 0,
        "--cores 0: without a core no job can run; give 1 or more, or all",
    )
    # Snakemake starts the jobs' Python by its path, which it does not quote
    require(
        not set(sys.executable) & set(" \t'\"$&;()<>|*?`\\"),
        f"{sys.executable}: jobs cannot be started by a Python in a folder with spaces or quotes in its name; move the "
        "clone, or make the environment elsewhere: make env VENV=FOLDER",
    )
    # Snakemake read the overlays, and would have taken the last of two equal keys
    for path in ("config/config.yaml", *workflow.overwrite_configfiles):
        read_yaml(Path(path))
except InputError as error:
    stop(error)
