"""What is said of a mistake in settings: one sentence for what pydantic found, and the likely spelling of a name."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from math import isfinite
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from headwork.errors import SettingError

CLOSE = 0.75  # of a choice to what was written; in doubt (gpu: cpu or cuda?) all choices are named
MOST = 60  # keys that are listed
NAMES = "^[a-z0-9][a-z0-9-]*$"


def setting_error(
    error: ValidationError, kind: type[BaseModel], name: str, given: Any = None
) -> SettingError:
    """The first mistake that pydantic found, in one sentence, with the keys that lead to it."""
    first = min(error.errors(include_url=False), key=lambda each: each["type"] == "missing")
    *above, last = place = first["loc"] or ("",)
    match first["type"]:
        case "extra_forbidden":
            steps = _in(given, above)
            problem = f"unknown key '{last}'; {spelling(str(last), _keys(kind, above))}"
            return SettingError(name, [*steps, last], problem, shown=len(steps))
        case "missing":
            return SettingError(name, _in(given, above), f"the key '{last}' is missing")
        case "value_error":
            return SettingError(name, _in(given, place), str(first["ctx"]["error"]))
        case "string_pattern_mismatch" if first["ctx"]["pattern"] == NAMES:
            problem = f"{first['input']!r} is no name; write small letters, digits and hyphens"
            return SettingError(name, _in(given, place), problem)
    problem = f"it is {first['input']!r}, but {_said(first['type'], first['msg'])}"
    if first["type"] == "string_type" and isinstance(first["input"], int | float):
        problem = f"it is {first['input']!r}, read as a number or truth value, where text is needed; "
        problem += (
            "in a file put it in quotes, in a command write a path with ./ and a name with a letter first"
        )
    if first["type"] == "literal_error":
        choices = re.findall(r"'(.*?)'", first["ctx"]["expected"])
        meant = get_close_matches(str(first["input"]), choices, n=1, cutoff=CLOSE)
        if meant:
            problem = f"it is {first['input']!r}; did you mean '{meant[0]}'?"
    if first["type"] == "float_type" and (number := _written_out(first["input"])):
        problem = f"it is {first['input']!r}, which YAML reads as text; write {number}"
    return SettingError(name, _in(given, place), problem)


def _written_out(text: Any) -> str | None:
    """The number that a text stands for, such as ``1e-3``, as YAML 1.1 reads numbers: with a point."""
    try:
        number = float(text)
    except (TypeError, ValueError):
        return None
    written = repr(number) if "." in repr(number) else repr(number).replace("e", ".0e")
    return written if isfinite(number) else None


def spelling(key: str, known: Sequence[str]) -> str:
    """Return the end of an error sentence: the likely spelling of an unknown key, or some of the known keys."""
    if meant := get_close_matches(key, known, n=1):
        return f"did you mean '{meant[0]}'?"
    more = f" and {len(known) - MOST} others" if len(known) > MOST else ""
    return f"known keys are {', '.join(known[:MOST])}{more}"


def _said(problem: str, message: str) -> str:
    """pydantic's words for what a value should be, within a sentence."""
    said = "Input should be a mapping of keys" if problem == "model_type" else message
    return re.sub(r"^\w+ should", "must", said.partition(", unable to")[0].replace(" after validation", ""))


def _in(given: Any, place: Sequence[str | int]) -> list[str | int]:
    """The keys and indices of a place; pydantic also names which of several kinds of settings it took a value for."""
    steps, value = [], given
    for step in place:
        within = range(len(value)) if isinstance(value, list | tuple) else value
        if isinstance(value, list | tuple | Mapping) and step in within:
            value = value[step]
            steps.append(step)
    return steps


def _keys(kind: Any, place: Sequence[str | int]) -> list[str]:
    """The keys of the settings at that place below those of a kind."""
    for step in place:
        kind = _below(kind, step)
    return next((list(model.model_fields) for model in _models(kind)), [])


def _below(kind: Any, step: str | int) -> Any:
    """What an annotation says of the part at a key or index; or of the settings that are called so, one of several."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind.model_fields[step].annotation if step in kind.model_fields else kind
    parts = get_args(kind)
    if get_origin(kind) is Annotated:
        return _below(parts[0], step)
    if get_origin(kind) is dict:
        return parts[1]
    if get_origin(kind) is tuple:
        return parts[0]
    models = _models(kind)
    return next((model for model in models if model.__name__ == step), models and _below(models[0], step))


def _models(kind: Any) -> list[type[BaseModel]]:
    """The settings within an annotation such as ``dict[str, Recipe]``."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [kind]
    return [model for part in get_args(kind) for model in _models(part)]
