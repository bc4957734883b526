"""What all settings have in common: types of values, and one sentence for each mistake.

A part of the config is a `Settings` model with its keys, their types, defaults and bounds. Below each key a string says
what it means; `docs/config` is made of these. Nothing here imports torch: a plan reads all of them.
"""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError, model_validator

from headwork.errors import InputError
from headwork.settings.sentences import NAMES, setting_error

T = TypeVar("T")
Kind = TypeVar("Kind", bound="Settings")
Several = Annotated[tuple[T, ...], Strict(False)]
"""A YAML list, as a tuple."""
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
NonNegative = Annotated[float, Field(ge=0)]
Id = Annotated[str, Field(pattern=NAMES)]
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


def require(condition: bool, message: str) -> None:
    """Raise `InputError(message)` unless the condition holds."""
    if not condition:
        raise InputError(message)
