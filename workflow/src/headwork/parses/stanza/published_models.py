"""stanza's published models of a language, downloaded by stanza (with checksums) into a given folder."""

import shutil
from pathlib import Path

import requests
import stanza

from headwork.errors import InputError
from headwork.run.frame import Files
from headwork.settings.parses import PublishedParser

PROCESSORS = "tokenize,pos,lemma,depparse"
WORK = Path(".checkpoints/stanza")


def fetch_parser(input: Files, output: Files, published: PublishedParser) -> None:
    """Fetch a published parser to the folder of its `resources` (json)."""
    folder = output.resources.parent
    fetch_models(published.language, published.package, folder, WORK / folder.name)


def fetch_models(language: str, package: str, folder: Path, work: Path, **where: str) -> None:
    """Download a package's models and stanza's resources.json to `folder`; `work` holds them until complete.

    `where` are stanza's own `resources_url` and `model_url`. Raises InputError if the network or the language fails;
    `folder` then holds what it held before.
    """
    try:
        stanza.download(language, str(work), package, PROCESSORS, verbose=False, **where)
    except (requests.RequestException, ValueError, OSError, KeyError) as error:
        raise InputError(
            f"stanza's models of '{language}' ({package}) were not fetched ({type(error).__name__}); check the network "
            "and the names, and run again"
        ) from error
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(work / language, folder / language, dirs_exist_ok=True)
    shutil.move(work / "resources.json", folder / "resources.json")
    shutil.rmtree(work)
