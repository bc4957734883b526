"""What all settings have in common: types of values, and one sentence for each mistake.

A part of the config is a `Settings` model with its keys, their types, defaults and bounds. Below each key a string says
what it means; `docs/config` is made of these. Nothing here imports torch: a plan reads all of them.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError, model_validator

from headwork.errors import InputError, SettingError

T = TypeVar("T")
Kind = TypeVar("Kind", bound="Settings")
Several = Annotated[tuple[T, ...], Strict(False)]
"""A YAML list, as a tuple."""
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
NonNegative = Annotated[float, Field(ge=0)]
Id = Annotated[str, Field(pattern="^[a-z0-9][a-z0-9-]*$")]
"""A name that is part of paths."""


def part_of(number: int, share: float) -> int:
    """⌊share · number⌋, of the share as it is written: 63 of 90 for 0.7, though 90 * 0.7 is 62.99999999999999."""
    return int(round(number * share, 9))


class Settings(BaseModel):
    """A part of the config. Values keep their types: no text is read as a number, and no number as a truth value.

    A missing part (``null``) has all its defaults. Not a number and infinity are refused, since they pass comparisons.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    @model_validator(mode="before")
    @classmethod
    def _of_nothing(cls, given: Any) -> Any:
        return {} if given is None else given

    @classmethod
    def read(cls: type[Kind], given: Mapping[str, Any] | BaseModel | None, name: str) -> Kind:
        """The settings that the mapping `given`, called `name` in messages, stands for; settings as they are.

        Raises `SettingError` for an unknown key (with its likely spelling), a missing key, or a value that is not of
        the key's type or out of its bounds.
        """
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise setting_error(error, cls, name, given) from error


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
        case "string_pattern_mismatch" if first["ctx"]["pattern"] == Id.__metadata__[0].metadata[0].pattern:
            problem = f"{first['input']!r} is no name; write small letters, digits and hyphens"
            return SettingError(name, _in(given, place), problem)
    problem = f"it is {first['input']!r}, but {_said(first['type'], first['msg'])}"
    if first["type"] == "string_type" and isinstance(first["input"], int | float):
        text = f'"{first["input"]}"'
        problem += f"; YAML reads numbers and truth values: quote the text, as {text}, in a command twice, as '{text}'"
    if first["type"] == "literal_error":
        choices = re.findall(r"'(.*?)'", first["ctx"]["expected"])
        if meant := get_close_matches(str(first["input"]), choices, n=1):
            problem = f"it is {first['input']!r}; did you mean '{meant[0]}'?"
    return SettingError(name, _in(given, place), problem)


def require(condition: bool, message: str) -> None:
    """Raise `InputError(message)` unless the condition holds."""
    if not condition:
        raise InputError(message)


def spelling(key: str, known: Sequence[str]) -> str:
    """Return the end of an error sentence: the likely spelling of an unknown key, or the known keys."""
    meant = get_close_matches(key, known, n=1)
    return f"did you mean '{meant[0]}'?" if meant else f"known keys are {', '.join(known)}"


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
