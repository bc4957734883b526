"""Conversion of a mapping from the config into a checked, frozen dataclass with defaults."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from headwork.errors import InputError
from headwork.settings.base import Settings, require, spelling

__all__ = ["options", "require", "spelling"]

Options = TypeVar("Options")


def options(kind: type[Options], settings: Mapping[str, Any] | None, name: str) -> Options:
    """Return `settings`, called `name` in messages, as an instance of the dataclass `kind`.

    Lists become tuples, which can be frozen. A mapping for a field that is itself a dataclass becomes one, called
    ``name: field``. Raises `InputError` for an unknown key (with its likely spelling), a missing key, or a value of the
    wrong type; the dataclass's own `__post_init__` may raise it for an invalid value.
    """
    if issubclass(kind, Settings):
        return kind.read(settings, name)
    known, types = [field.name for field in fields(kind)], get_type_hints(kind)
    settings = {
        key: _part(types.get(key), value, f"{name}: {key}") for key, value in (settings or {}).items()
    }
    for key, value in settings.items():
        if key not in known:
            raise InputError(f"{name}: unknown key '{key}'; {spelling(str(key), known)}")
        if not _is_of(value, types[key]):
            raise InputError(f"{name}: {key} is {value!r}, but must be {_called(types[key])}")
    for field in fields(kind):
        if field.name not in settings and field.default is MISSING and field.default_factory is MISSING:
            raise InputError(f"{name}: the key '{field.name}' is missing")
    return kind(
        **{key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
    )


def _part(wanted: Any, value: Any, name: str) -> Any:
    """Convert a mapping where a dataclass is expected; return any other value unchanged."""
    is_part = (
        isinstance(wanted, type)
        and (is_dataclass(wanted) or issubclass(wanted, Settings))
        and (value is None or isinstance(value, Mapping))
    )
    return options(wanted, value, name) if is_part else value


def _is_of(value: Any, wanted: Any) -> bool:
    """Whether the value has that type, by its outermost part; integers are accepted as floats."""
    if isinstance(wanted, UnionType):
        return any(_is_of(value, part) for part in get_args(wanted))
    plain = get_origin(wanted) or wanted
    if plain is Any:
        return True
    if isinstance(value, bool) and plain in (int, float):
        return False
    if plain is float:
        return isinstance(value, int | float)
    return isinstance(value, list | tuple) if plain is tuple else isinstance(value, plain)


def _called(wanted: Any) -> str:
    if isinstance(wanted, UnionType):
        return " | ".join(_called(part) for part in get_args(wanted))
    plain = get_origin(wanted) or wanted
    return {"NoneType": "None", "tuple": "list"}.get(plain.__name__, plain.__name__)
