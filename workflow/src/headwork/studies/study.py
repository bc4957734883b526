"""Studies as data: their files, read and checked, and the runs that they assign to domains and pairs at a scale.

workflow/studies/<study>/study.yaml describes the items in the paper's own terms (domain `news`, pair `EN-RU`).
"""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from headwork.errors import InputError, SettingError
from headwork.settings.config import located, read_yaml
from headwork.settings.run_sheets import STUDIES
from headwork.settings.sentences import spelling
from headwork.settings.studies import Claim, Study

DEFAULT = "miniature"  # the scale that others are laid over


def read_study(path: str | Path) -> Study:
    """Read a study from workflow/studies/<study>/study.yaml; its key is the name of the folder.

    Raises `InputError` with file and line for a missing file, invalid YAML, a missing or unknown key, an invalid value,
    and a claim that is shown in no item.
    """
    path = Path(path)
    key = path.absolute().parent.name
    if not path.is_file():
        known = sorted(study.parent.name for study in path.parent.parent.glob("*/study.yaml"))
        raise InputError.at(path, f"there is no study '{key}'; {spelling(key, known)}")
    content = read_yaml(path)
    items = content.get("items")
    if isinstance(items, Mapping):
        named = [{"study": key, "key": name, **(entry or {})} for name, entry in items.items()]
        content["items"] = named
    try:
        study = Study.read({"key": key, **content}, str(path))
    except SettingError as error:
        steps = error.steps
        if steps[:1] == ("items",) and len(steps) > 1:
            steps = ("items", list(items)[steps[1]], *steps[2:])
        raise located(SettingError(str(path), steps, error.problem, error.shown), [path]) from error
    keys = [item.key for item in study.items]
    for number, given in enumerate(study.claims):
        try:
            claim = Claim.read(given, str(path))
        except SettingError as error:
            steps = ("claims", number, *error.steps)
            raise located(SettingError(str(path), steps, error.problem), [path]) from error
        if absent := next((item for item in claim.shown_in if item not in keys), None):
            problem = f"`shown_in` names no item '{absent}'; {spelling(absent, keys)}"
            raise located(SettingError(str(path), ("claims", number), problem), [path])
    return study


def read_studies(folder: str | Path) -> dict[str, Study]:
    """All studies of workflow/studies, by key; raises `InputError` as `read_study`."""
    return {path.parent.name: read_study(path) for path in sorted(Path(folder).glob("*/study.yaml"))}


def at_scale(studies: Mapping[str, Study], config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Study -> its settings under a config: `runs`, `untrained`, `sweeps`, `shown_as`.

    What the config says itself (``studies: <study>:``) is laid over the settings of the scale whose rows it reads
    (``runs: {studies: scale}``), and these over those of the default scale. Raises `InputError` for a study that is not
    there.
    """
    own = config.get("studies") or {}
    if not isinstance(own, Mapping):
        raise SettingError("config", ("studies",), f"it is {own!r}, but must be a mapping of keys")
    for key, settings in own.items():
        if not isinstance(settings, Mapping | None):
            raise SettingError(
                "config", ("studies", key), f"it is {settings!r}, but must be a mapping of keys"
            )
        if key not in studies:
            absent = f"no study '{key}'; {spelling(key, list(studies))}"
            raise SettingError("config", ("studies", key), absent)
    scales = dict.fromkeys((config["runs"].get(STUDIES), DEFAULT))
    found: dict[str, dict[str, Any]] = {}
    for key, study in studies.items():
        found[key] = deepcopy(own.get(key) or {})
        for below in (*(study.scales.get(scale, {}) for scale in scales), {"runs": {}}):
            _lay_under(found[key], below)
    return found


def _lay_under(settings: dict[str, Any], below: Mapping[str, Any]) -> None:
    """Add what settings lack, key by key, in place."""
    for key, value in below.items():
        if isinstance(value, Mapping) and isinstance(settings.setdefault(key, {}), dict):
            _lay_under(settings[key], value)
        else:
            settings.setdefault(key, value)
