"""The page of benchmarks says what is missed and by how much."""

import pytest
from page import Section, page, row, shown
from test_growth import exponent


@pytest.mark.parametrize(
    ("values", "limits", "held"),
    [
        ([2.0, 4.0, 3.0], {"at_least": 3}, "≥ 3"),
        ([2.0, 2.8, 2.4], {"at_least": 3}, "≥ 3; missed by 20%"),
        ([2.0, 0.9], {"at_most": 1, "why": "slow"}, "≤ 1; missed by 45%: slow"),
        (1.2, {"at_most": 1}, "≤ 1; missed by 20%"),
        (0.9, {"at_most": 1}, "≤ 1"),
        (0.9, {}, ""),
    ],
)
def test_a_median_is_held_against_its_target(values, limits, held):
    assert row("ratio", values, **limits).held == held


def test_the_page_has_ratios_with_targets_the_machine_and_what_stands_below():
    missed = row("theirs / ours", 1.0, at_least=1.5, figures="2 and 2 CPU s", why="both are slow")
    text = page({"test_lrp_speed.py": Section([missed, row("other", 7.0)], ["| a table |"])})
    assert "0 of 1 targets are met" in text
    assert "| theirs / ours | 1 | ≥ 1.5; missed by 33%: both are slow |" in text
    assert text.index("theirs / ours") < text.index("| a table |")
    assert "other" not in text  # it has no target
    assert "[Relevance against a plain forward pass](../tests/benchmarks/test_lrp_speed.py)" in text
    assert "torch 2." in text


def test_spread_is_shown():
    assert shown([3.0, 1.0, 2.0]) == "2 (1 to 3)"


def test_the_exponent_is_that_of_the_largest_sizes():
    assert exponent([1, 10, 100, 1000], [5, 1, 100, 10_000]) == pytest.approx(2)
