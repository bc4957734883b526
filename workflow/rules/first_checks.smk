# What is checked before Snakemake reads the config, and how a run ends that cannot go on.
import sys
from pathlib import Path

from headwork.settings.config import read_yaml
from headwork.run.directional import escaped
from headwork.errors import InputError


def stop(error):
    """End with this sentence alone: Snakemake would print an exception with lines of this file around it."""
    sys.exit(escaped(str(error)))


try:
    read_yaml(Path("config/config.yaml"))
except InputError as error:
    stop(error)
