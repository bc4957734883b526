"""A model of the Hugging Face hub as files: fetched by huggingface_hub into its cache, checked, then copied.

Only safetensors, config and tokenizer are fetched, at one revision; code and pickled weights never are. huggingface_hub
resumes what broke off. `offline`, or HF_HUB_OFFLINE=1, looks into the cache and nowhere else.
"""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import snapshot_download
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from headwork.corpora.hashes import sha256
from headwork.errors import InputError
from headwork.options import require
from headwork.outputs import write_json

WEIGHTS = "model.safetensors"
FILES = (WEIGHTS, "config.json", "tokenizer.json", "tokenizer_config.json")


@dataclass(frozen=True)
class NamedModel:
    """An architecture that is a model: a folder or a name of the hub.

    revision   of the hub: the commit, so that it is the same model tomorrow; None: the newest
    sha256     what its model.safetensors must be; None: not checked, and recorded
    offline    nothing is fetched: the model is looked for among those fetched before

    Raises `InputError` for a folder with a revision or a checksum, which nothing would compare with it.
    """

    model: str
    revision: str | None = None
    sha256: str | None = None
    offline: bool = False

    def __post_init__(self) -> None:
        require(
            not Path(self.model).is_dir() or self.revision is self.sha256 is None,
            f"architecture: {self.model} is a folder, and `revision` and `sha256` are of models of the hub; "
            "leave them out",
        )


def fetch_model(
    named: NamedModel, output: Path, cache: Path | None = None, endpoint: str | None = None
) -> None:
    """Copy `FILES` of a model of the hub to the folder `output`, with hub.json: name, commit and SHA-256.

    `cache` and `endpoint` are huggingface_hub's own unless given. Raises `InputError` for a model that is not there, is
    not free, cannot be reached, has no safetensors or no tokenizer.json, brings code of its own, or has weights with
    another checksum; `output` then holds what it held before.
    """
    snapshot = _snapshot(named, cache, endpoint)
    missing = [name for name in FILES if not (snapshot / name).is_file()]
    if missing:
        raise InputError(
            f"{named.model}: has no {missing[0]}; only safetensors with a tokenizer.json are loaded: save it so once, "
            "with `save_pretrained` of transformers, and give that folder as `model`"
        )
    config = json.loads((snapshot / "config.json").read_text(encoding="utf-8"))
    if "auto_map" in config:
        raise InputError(
            f"{named.model}: needs code of its own, and code of the hub is not run; choose a model of transformers"
        )
    found = sha256(snapshot / WEIGHTS)
    if named.sha256 not in (None, found):
        (snapshot / WEIGHTS).resolve().unlink()
        (snapshot / WEIGHTS).unlink(missing_ok=True)
        raise InputError(
            f"{named.model}: its {WEIGHTS} has sha256 {found}, not {named.sha256}, and was removed; run again, and if "
            "that does not help mend `sha256` or `revision`"
        )
    output.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(snapshot / name, output / name)
    write_json(
        output / "hub.json", {"model": named.model, "revision": snapshot.name, WEIGHTS: {"sha256": found}}
    )


def _snapshot(named: NamedModel, cache: Path | None, endpoint: str | None) -> Path:
    """The folder in huggingface_hub's cache, with the model's files in it."""
    try:
        return Path(
            snapshot_download(
                named.model,
                revision=named.revision,
                allow_patterns=list(FILES),
                local_files_only=named.offline,
                cache_dir=cache,
                endpoint=endpoint,
            )
        )
    except GatedRepoError as error:
        raise InputError(
            f"{named.model}: is not free; accept its terms on the hub, and log in with `hf auth login`"
        ) from error
    except (LocalEntryNotFoundError, ConnectionError) as error:
        remedy = (
            "fetch it once without `offline`"
            if named.offline
            else "check the network and run again: it goes on"
        )
        raise InputError(
            f"{named.model}: is not in the cache of models, and was not fetched; {remedy}"
        ) from error
    except (HfHubHTTPError, HFValidationError) as error:
        revision = named.revision or "main"
        raise InputError(
            f"{named.model}: there is no such folder, and the hub has no such model at revision {revision}; check "
            "`model` and `revision`"
        ) from error
    except OSError as error:
        raise InputError(
            f"{named.model}: the download broke off ({type(error).__name__}); check the network and the space, and run "
            "again: it goes on where it stopped"
        ) from error
