"""stanza's published models of a language: fetched by stanza, which checks their sums, into a folder of our own."""

import shutil
from pathlib import Path

import requests
import stanza

from headwork.errors import InputError

PROCESSORS = "tokenize,pos,lemma,depparse"


def fetch_models(language: str, package: str, folder: Path, work: Path, **where: str) -> None:
    """Bring a package's models to `folder`, with stanza's resources.json; `work` holds them until all have come.

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
