"""A sentence's split depends on the sentence alone; no sentence stands in two."""

import numpy as np
import pytest

from headwork.corpora.parallel.splits import (
    BEYOND_LIMIT,
    DUPLICATE,
    IN_DEV_OR_TEST,
    IN_TEST,
    KEEP,
    SPLITS,
    Members,
    decide,
    hash_of,
    sentence_hash,
    split_of,
)
from headwork.errors import InputError
from headwork.settings.corpora import Shares


def members(**pairs):
    """Members from split=[(pair hash, sentence hash), ...], all of one file whose duplicates are dropped."""
    found = {split: Members() for split in SPLITS}
    for split, hashes in pairs.items():
        for line, (pair, sentence) in enumerate(hashes, 1):
            found[split].add(pair, sentence, line, (0, "a.en", True))
    return found


def test_the_hash_is_the_same_in_every_process():
    assert [hash_of("Да , да"), hash_of("Да , да", 1)] == [17363434872932539443, 6057470497089717264]


def test_shares_are_met():
    shares = Shares(dev=0.1, test=0.2)
    found = [split_of(sentence_hash(f"sentence {number}", shares), shares) for number in range(20_000)]
    # four standard deviations of a binomial count
    assert found.count("test") == pytest.approx(4000, abs=4 * np.sqrt(20_000 * 0.2 * 0.8))
    assert found.count("dev") == pytest.approx(2000, abs=4 * np.sqrt(20_000 * 0.1 * 0.9))


def test_case_does_not_make_another_sentence():
    assert sentence_hash("The End .", Shares()) == sentence_hash("the end .", Shares())


@pytest.mark.parametrize(("dev", "test"), [(0.5, 0.5), (0, 1)])
def test_shares_that_leave_nothing(dev, test):
    with pytest.raises(InputError, match=r"dev .* and test .* are shares and must leave some to train"):
        Shares.read({"dev": dev, "test": test}, "splits")


def test_a_split_that_is_a_whole_source_has_no_share_unless_it_is_given():
    assert Shares(seed=4).beside({"test", None}) == Shares(dev=0.02, test=0, seed=4)
    assert Shares(test=0.3).beside({"dev", "test"}) == Shares(dev=0, test=0.3)


def test_duplicates_keep_the_first():
    found = decide(members(train=[(5, 1), (3, 2), (5, 1), (5, 1)]), None)
    assert found["train"].tolist() == [KEEP, KEEP, DUPLICATE, DUPLICATE]


def test_duplicates_stay_where_nothing_is_cleaned():
    found = members(test=[(5, 1)])
    found["test"].add(5, 1, 1, (1, "standard.en", False))
    found["test"].add(5, 1, 1, (2, "more.en", True))
    assert decide(found, None)["test"].tolist() == [KEEP, KEEP, DUPLICATE]


def test_test_comes_before_dev_and_dev_before_train():
    found = decide(members(train=[(1, 10), (2, 20), (3, 30)], dev=[(4, 20), (5, 30)], test=[(6, 30)]), None)
    assert found["train"].tolist() == [KEEP, IN_DEV_OR_TEST, IN_DEV_OR_TEST]
    assert found["dev"].tolist() == [KEEP, IN_TEST]
    assert found["test"].tolist() == [KEEP]


def test_limit_is_a_choice_that_does_not_depend_on_the_order():
    pairs = [(number * 7919 % 1000, number) for number in range(100)]
    chosen = {}
    for name, order in (("forth", pairs), ("back", pairs[::-1])):
        kept = decide(members(train=order), 30)["train"]
        assert set(kept.tolist()) == {KEEP, BEYOND_LIMIT}
        chosen[name] = {pair for pair, decision in zip(order, kept, strict=True) if decision == KEEP}
    assert chosen["forth"] == chosen["back"]
    assert len(chosen["forth"]) == 30


def test_places_are_kept_by_stretches():
    found = Members()
    for number, place in enumerate([(0, "a", True)] * 3 + [(1, "b", False)] * 2):
        found.add(number, number, number + 1, place)
    assert list(found.stretches()) == [(slice(0, 3), (0, "a", True)), (slice(3, 5), (1, "b", False))]
    assert [found.place(number)[1] for number in range(5)] == ["a", "a", "a", "b", "b"]


def test_no_split_need_have_members():
    assert [len(found) for found in decide(members(), 5).values()] == [0, 0, 0]
