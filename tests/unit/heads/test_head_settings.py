"""Settings of measurements of heads: what their types do not say."""

from typing import get_args

import pytest

from headwork.errors import SettingError
from headwork.settings.heads import (
    HeadSettings,
    Kind,
    PatternRunSettings,
    SegmentRunSettings,
    TaskRunSettings,
)
from headwork.sites import KINDS


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (
            SegmentRunSettings,
            {"entropy": {"drop_special_keys": True}},
            "`entropy`: smoothing is over all keys; set drop_special_keys to false, or smoothing to 0",
        ),
        (PatternRunSettings, {"network": {"side": 8}}, "`network`: side is 8; it must be 16 or more"),
        (TaskRunSettings, {"readable": [3]}, "`readable`: it is .*3.*, but .* at least 2 items"),
        (
            HeadSettings,
            {"split": "test", "relations": {"names": ["nsubject"]}},
            "`relations`: relation 'nsubject' is not a relation of .*; did you mean 'nsubj'",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(kind, given, message):
    with pytest.raises(SettingError, match=message):
        kind.read(given, "config")


def test_a_share_or_a_number_of_types_are_not_rare():
    """Below 1 the number is a share, so its type must be kept."""
    for number in (0.5, 3):
        given = {"split": "test", "relations": {}, "rare": {"not_among": number}}
        found = HeadSettings.read(given, "heads").rare.not_among
        assert (found, type(found)) == (number, type(number))


def test_kinds_are_those_of_sites():
    assert get_args(Kind) == KINDS
