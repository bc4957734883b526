"""Adversarial triggers: what is taken from which text, and how it is set into others."""

import numpy as np
import pytest

from headwork.relevance.attributions.triggers import (
    Trigger,
    distinct,
    inserted,
    of_chance,
    parts_of,
    trigger_of,
)

CLS, SEP = 2, 3
SPECIAL = {0, CLS, SEP}
PAIR, SECOND = [CLS, 10, 11, 12, 13, SEP, 20, 21, SEP], 6  # [CLS] A [SEP] B [SEP]
DOUBLE = [*PAIR[:6], SEP, *PAIR[6:]]  # <s> A </s></s> B </s>


def maps(*entries, heads=2):
    found = np.full((heads, len(PAIR), len(PAIR)), -0.1)
    for head, query, key, value in entries:
        found[head, query, key] = value
    return found


def test_the_parts_of_a_text():
    assert parts_of(PAIR, SECOND).pieces == [[10, 11, 12, 13], [20, 21]]
    assert parts_of(PAIR[:6], 6).pieces == [[10, 11, 12, 13]]
    assert parts_of(DOUBLE, 7) == ([[10, 11, 12, 13], [20, 21]], [1, 7])


def test_the_two_largest_entries_of_one_head():
    found = trigger_of(maps((0, 3, 7, 0.5), (1, 2, 1, 0.9), (1, 4, 7, 0.3)), PAIR, SECOND, SPECIAL)
    # head 1 has the largest; the 0.5 of head 0 does not count
    assert found.pieces == (10, 11, 13, 21)
    assert found.parts == (0, 0, 0, 1)
    assert found.places == pytest.approx((0, 0.25, 0.75, 0.5))
    assert found.score == pytest.approx(1.2)


def test_a_small_second_entry_is_left_out():
    found = trigger_of(maps((1, 2, 1, 0.9), (1, 4, 7, 0.1)), PAIR, SECOND, SPECIAL)
    assert found.pieces == (10, 11)
    assert found.score == pytest.approx(1.0)


def test_special_pieces_are_no_triggers():
    found = trigger_of(maps((0, 0, 5, 9.0), (0, 0, 7, 0.5), (1, 1, 2, 0.4)), PAIR, SECOND, SPECIAL)
    assert found.pieces == (21,)
    assert trigger_of(maps(), PAIR, SECOND, SPECIAL) is None


def test_pieces_go_to_the_same_relative_place_of_the_same_part():
    trigger = Trigger((90, 91), (0, 1), (0.5, 0.0), 1.0)
    text, second = inserted(PAIR, SECOND, trigger, 32)
    # round(5 x 0.5) = 2 in part one, the front of part two
    assert text.tolist() == [CLS, 10, 11, 90, 12, 13, SEP, 91, 20, 21, SEP]
    assert second == 7
    alone, second = inserted(PAIR[:6], 6, trigger, 32)
    assert alone.tolist() == [CLS, 91, 10, 11, 90, 12, 13, SEP]  # round(6 x 0.5) = 3
    assert second == len(alone)
    text, second = inserted(DOUBLE, 7, trigger, 11)
    assert text.tolist() == [CLS, 10, 11, 90, 12, SEP, SEP, 91, 20, 21, SEP]
    assert second == 7


def test_two_pieces_at_one_place_stand_side_by_side():
    text, _ = inserted(PAIR, SECOND, Trigger((90, 91), (0, 0), (1.0, 1.0), 1.0), 32)
    assert sorted(text[1:7].tolist()) == [10, 11, 12, 13, 90, 91]
    text, _ = inserted(PAIR, SECOND, Trigger((90, 91), (0, 0), (0.5, 0.5), 1.0), 32)
    assert text[1:7].tolist() == [10, 11, 12, 90, 91, 13]


@pytest.mark.parametrize("longest", [9, 10, 11, 32])
def test_what_is_too_long_is_cut_and_the_trigger_stays(longest):
    trigger = Trigger((90, 91), (0, 1), (0.5, 0.5), 1.0)
    text, second = inserted(PAIR, SECOND, trigger, longest)
    assert len(text) == min(longest, len(PAIR) + 2)
    assert text[0] == CLS
    assert text[-1] == text[second - 1] == SEP
    assert {90, 91} <= set(text.tolist())
    assert text.tolist().index(90) < second <= text.tolist().index(91)


def test_random_pieces_are_about_as_frequent():
    frequencies = {piece: piece for piece in range(100, 200)}
    trigger = Trigger((150, 101), (0, 1), (0.1, 0.9), 1.0)
    seen = set()
    for seed in range(50):
        other = of_chance(trigger, frequencies, np.random.default_rng(seed), 3)
        assert abs(other.pieces[0] - 150) <= 3
        assert other.pieces[0] != 150
        assert 100 <= other.pieces[1] <= 104
        assert (other.parts, other.places) == (trigger.parts, trigger.places)
        seen.add(other.pieces[0])
    assert len(seen) == 6


def test_the_best_are_tried_each_once():
    triggers = [Trigger((n,), (0,), (0.5,), score) for n, score in ((1, 0.1), (2, 0.9), (1, 0.5), (3, 0.01))]
    assert [(one.pieces[0], one.score) for one in distinct(triggers, 5, 0.02)] == [(2, 0.9), (1, 0.5)]
    assert len(distinct(triggers, 1)) == 1
