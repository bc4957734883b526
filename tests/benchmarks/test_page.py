"""The page of benchmarks says what is missed and by how much."""

import pytest
from page import Section, page, row, shown
from test_growth import exponent


@pytest.mark.parametrize(
    ("values", "limits", "met"),
    [
        ([2.0, 4.0, 3.0], {"at_least": 3}, "yes"),
        ([2.0, 2.8, 2.4], {"at_least": 3}, "no, by 20%"),
        ([2.0, 0.9], {"at_most": 1, "why": "slow"}, "no, by 45%: slow"),
        (1.2, {"at_most": 1}, "no, by 20%"),
        (0.9, {"at_most": 1}, "yes"),
        (0.9, {}, ""),
    ],
)
def test_a_median_is_held_against_its_target(values, limits, met):
    assert row("ratio", values, **limits).met == met


def test_the_page_has_targets_tables_and_the_machine():
    missed = row("theirs / ours", 1.0, at_least=1.5, figures="2 and 2 CPU s", why="both are slow")
    text = page({"test_lrp_speed.py": Section([missed, row("other", 7.0)], ["| a table |"])})
    assert "0 of 1 targets are met" in text
    assert "| theirs / ours | 1 | ≥ 1.5 | no, by 33%: both are slow | 2 and 2 CPU s |" in text
    assert text.index("| other | 7 |") < text.index("| a table |")
    assert "torch 2." in text


def test_spread_is_shown():
    assert shown([3.0, 1.0, 2.0]) == "2 (1 to 3, n = 3)"


def test_the_exponent_is_that_of_the_largest_sizes():
    assert exponent([1, 10, 100, 1000], [5, 1, 100, 10_000]) == pytest.approx(2)
