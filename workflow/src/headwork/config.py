"""The config: read, with overlays, and checked against its JSON schema."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from headwork.errors import InputError
from headwork.options import spelling


def read_config(*paths: str | Path) -> dict[str, Any]:
    """The config of the first file with the others laid over it, key by key, as Snakemake merges them.

    Raises `InputError` for a file that is not there.
    """
    config: dict[str, Any] = {}
    for path in paths:
        if not Path(path).is_file():
            raise InputError.at(path, "no such config file")
        _lay_over(config, yaml.safe_load(Path(path).read_text(encoding="utf-8")))
    return config


def _lay_over(config: dict[str, Any], overlay: Mapping[str, Any]) -> None:
    for key, value in overlay.items():
        if isinstance(value, Mapping) and isinstance(config.get(key), dict):
            _lay_over(config[key], value)
        else:
            config[key] = value


def check(settings: dict[str, Any], schema: str | Path, name: str) -> None:
    """Raise `InputError` with place and remedy if `settings` (called `name`) do not fit the schema."""
    validator = Draft202012Validator(yaml.safe_load(Path(schema).read_text(encoding="utf-8")))
    error = best_match(validator.iter_errors(settings))
    if error is not None:
        raise InputError(f"{name}: {_sentence(error)}")


def _sentence(error: ValidationError) -> str:
    place = ".".join(str(step) for step in error.absolute_path)
    where = f"`{place}`: " if place else ""
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        unknown = [key for key in error.instance if key not in known]
        return f"{where}unknown key '{unknown[0]}'; {spelling(str(unknown[0]), known)}"
    if error.validator == "anyOf" and all(set(part) == {"required"} for part in error.validator_value):
        keys = " or ".join("', '".join(part["required"]) for part in error.validator_value)
        return f"{where}it needs one of the keys {keys}"
    return f"{where}{error.message}"
