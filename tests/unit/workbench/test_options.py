"""Settings from the config: defaults, spelling and types."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from headwork.errors import InputError
from headwork.settings.options import options


@dataclass(frozen=True)
class Rules:
    min_words: int = 1
    max_words: int = 100
    length_ratio: int | float = 3
    duplicates: bool = True
    scripts: Mapping[str, str] = field(default_factory=dict)
    sample: int | None = 5


def test_defaults_and_values():
    assert options(Rules, None, "cleaning") == Rules()
    rules = options(Rules, {"length_ratio": 4, "scripts": {"en": "Latin"}, "duplicates": False}, "cleaning")
    assert (rules.length_ratio, rules.scripts, rules.duplicates, rules.max_words) == (
        4,
        {"en": "Latin"},
        False,
        100,
    )
    assert options(Rules, {"sample": None}, "rules").sample is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_word": 3}, "cleaning: unknown key 'max_word'; did you mean 'max_words'"),
        ({"colour": 3}, "cleaning: unknown key 'colour'; known keys are min_words, max_words,"),
        ({"max_words": "60"}, "cleaning: max_words is '60', but must be int"),
        ({"max_words": True}, "cleaning: max_words is True, but must be int"),
        ({"duplicates": 1}, "cleaning: duplicates is 1, but must be bool"),
        ({"scripts": ["Latin"]}, r"cleaning: scripts is \['Latin'\], but must be Mapping"),
        ({"length_ratio": None}, r"cleaning: length_ratio is None, but must be int \| float"),
    ],
)
def test_mistakes(settings, message):
    with pytest.raises(InputError, match=message):
        options(Rules, settings, "cleaning")


def test_lists_become_tuples_and_missing_keys_are_named():
    @dataclass(frozen=True)
    class Shape:
        layers: int
        betas: tuple[float, ...] = (0.9, 0.98)

    assert options(Shape, {"layers": 2, "betas": [0.9, 0.999]}, "shape") == Shape(2, (0.9, 0.999))
    with pytest.raises(InputError, match="shape: the key 'layers' is missing"):
        options(Shape, {}, "shape")
    with pytest.raises(InputError, match=r"shape: betas is 0\.9, but must be list"):
        options(Shape, {"layers": 2, "betas": 0.9}, "shape")


def test_a_mapping_becomes_the_dataclass_that_a_field_is():
    @dataclass(frozen=True)
    class Whole:
        rules: Rules = field(default_factory=Rules)
        scripts: dict = field(default_factory=dict)

    assert options(Whole, {"rules": {"max_words": 7}}, "whole").rules == Rules(max_words=7)
    assert options(Whole, {"rules": None, "scripts": {"en": "Latin"}}, "whole") == Whole(
        scripts={"en": "Latin"}
    )
    with pytest.raises(InputError, match="whole: rules: unknown key 'max_word'; did you mean 'max_words'"):
        options(Whole, {"rules": {"max_word": 7}}, "whole")
    with pytest.raises(InputError, match="whole: rules is 7, but must be Rules"):
        options(Whole, {"rules": 7}, "whole")
