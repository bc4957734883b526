"""The files of a model of the Hugging Face hub, at one revision, from huggingface_hub's cache.

huggingface_hub resumes interrupted downloads. With `offline`, or HF_HUB_OFFLINE=1, only the cache is used.
"""

import shutil
from pathlib import Path

from huggingface_hub import snapshot_download
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from headwork.corpora.sources.hashes import sha256
from headwork.errors import InputError, Unavailable
from headwork.models.loading.fetching.files import FILES, OPTIONAL, WEIGHTS


def copy_from_hub(
    model: str,
    folder: Path,
    revision: str | None = None,
    weights_sha256: str | None = None,
    offline: bool = False,
    cache: Path | None = None,
    endpoint: str | None = None,
) -> str:
    """Copy the files of a model of the hub to `folder`, and return the commit that they are of.

    `cache` and `endpoint` are huggingface_hub's own unless given. Raises `Unavailable` for a model that is not there,
    is not free or cannot be reached, and `InputError` for weights with another checksum, which are removed.
    """
    snapshot = _snapshot(model, revision, offline, cache, endpoint)
    weights = snapshot / WEIGHTS
    if weights_sha256 is not None and weights.is_file() and (found := sha256(weights)) != weights_sha256:
        weights.resolve().unlink()
        weights.unlink(missing_ok=True)
        raise InputError(
            f"{model}: its {WEIGHTS} has sha256 {found}, not {weights_sha256}, and was removed; run again, and if that "
            "does not help mend `sha256` or `revision`"
        )
    for name in (*FILES, *OPTIONAL):
        if (snapshot / name).is_file():
            shutil.copyfile(snapshot / name, folder / name)
    return snapshot.name


def _snapshot(
    model: str, revision: str | None, offline: bool, cache: Path | None, endpoint: str | None
) -> Path:
    """The folder in huggingface_hub's cache, with the model's files in it."""
    try:
        return Path(
            snapshot_download(
                model,
                revision=revision,
                allow_patterns=[*FILES, *OPTIONAL],
                local_files_only=offline,
                cache_dir=cache,
                endpoint=endpoint,
            )
        )
    except GatedRepoError as error:
        raise Unavailable(
            f"{model}: is not free; accept its terms on the hub, and log in with `hf auth login`"
        ) from error
    except (LocalEntryNotFoundError, ConnectionError) as error:
        remedy = (
            "fetch it once without `offline`" if offline else "check the network and run again: it goes on"
        )
        raise Unavailable(f"{model}: is not in the cache of models, and was not fetched; {remedy}") from error
    except (HfHubHTTPError, HFValidationError) as error:
        raise Unavailable(
            f"{model}: there is no such folder, and the hub has no such model at revision {revision or 'main'}; check "
            "`model` and `revision`"
        ) from error
    except OSError as error:
        raise Unavailable(
            f"{model}: the download broke off ({type(error).__name__}); check the network and the space, and run "
            "again: it goes on where it stopped"
        ) from error
