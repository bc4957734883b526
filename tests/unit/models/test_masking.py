"""Masked pieces: how many, which, and what stands in their place."""

import numpy as np
import pytest
from toy_text import tokenizer_of, write_paragraphs

from headwork.errors import InputError
from headwork.models.objectives.masking import Masking
from headwork.models.training.batches import IGNORED
from headwork.settings.models import MaskingSettings


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    return tokenizer_of(write_paragraphs(tmp_path_factory.mktemp("masking"), {}))


@pytest.fixture(scope="module")
def segment(tokenizer):
    """[CLS] and 60 words, some unknown, [SEP], 38 words, [SEP]"""
    words = np.random.default_rng(0).integers(5, len(tokenizer), 98)
    words[[7, 70]] = tokenizer.unk_token_id
    return np.concatenate([[2], words[:60], [3], words[60:], [3]])


def test_shares(tokenizer, segment):
    """15 % of 96 pieces are 14; of 28,000 chosen 80 % are [MASK], 10 % random, 10 % kept, within 4 deviations."""
    masking, chance = Masking(tokenizer, MaskingSettings()), np.random.default_rng(1)
    masked = kept = other = 0
    chosen_at = np.zeros(len(segment))
    for _ in range(2000):
        read, labels = masking(segment, chance)
        chosen = labels != IGNORED
        assert chosen.sum() == 14
        assert (labels[chosen] == segment[chosen]).all()
        assert (read[~chosen] == segment[~chosen]).all()
        masked += (read[chosen] == tokenizer.mask_token_id).sum()
        kept += (read[chosen] == segment[chosen]).sum()
        other += ((read != segment) & (read != tokenizer.mask_token_id)).sum()
        chosen_at += chosen
    assert masked / 28_000 == pytest.approx(0.8, abs=4 * (0.8 * 0.2 / 28_000) ** 0.5)
    # one random piece in so many is the one that stood there
    ordinary = len(tokenizer) - 5
    assert other / 28_000 == pytest.approx(0.1 * (1 - 1 / ordinary), abs=4 * (0.1 * 0.9 / 28_000) ** 0.5)
    assert masked + kept + other == 28_000
    special = np.isin(segment, tokenizer.all_special_ids)
    assert special.sum() == 5
    assert not chosen_at[special].any()
    rates = chosen_at[~special] / 2000
    assert np.abs(rates - 14 / 96).max() < 5 * (14 / 96 * 82 / 96 / 2000) ** 0.5


def test_random_pieces_are_any_ordinary_ones(tokenizer, segment):
    masking = Masking(tokenizer, MaskingSettings(share=1.0, mask=0.0, random=1.0))
    drawn = np.concatenate([masking(segment, np.random.default_rng(seed))[0] for seed in range(20)])
    ordinary = set(range(len(tokenizer))) - set(tokenizer.all_special_ids)
    assert set(drawn) - set(tokenizer.all_special_ids) == ordinary


def test_only_some_pieces_are_chosen_and_drawn_and_special_ones_never(tokenizer, segment):
    masking = Masking(tokenizer, MaskingSettings(share=1.0, mask=0.0, random=1.0))
    masking.only(np.array([*tokenizer.all_special_ids, *segment[1:21]]))
    ordinary = set(segment[1:21]) - set(tokenizer.all_special_ids)
    for seed in range(20):
        read, labels = masking(segment, np.random.default_rng(seed))
        chosen = labels != IGNORED
        assert (chosen == np.isin(segment, list(ordinary))).all()
        assert set(read[chosen]) <= ordinary


def test_a_seed_is_a_mask(tokenizer, segment):
    masking = Masking(tokenizer, MaskingSettings())
    first, again, other = (masking(segment, np.random.default_rng(s))[1] for s in ([3, 1], [3, 1], [3, 2]))
    assert (first == again).all()
    assert (first != other).any()
    # the known places of one seed, so that a change of the drawing does not go unseen
    ordinary = np.flatnonzero(~np.isin(segment, [0, 1, 2, 3, 4]))
    chosen = np.random.default_rng([3, 1]).permutation(ordinary)[:14]
    assert (np.flatnonzero(first != IGNORED) == np.sort(chosen)).all()


def test_short_segments_have_one_masked_piece(tokenizer):
    masking = Masking(tokenizer, MaskingSettings(mask=1.0, random=0.0))
    read, labels = masking(np.array([2, 9, 3, 8, 3]), np.random.default_rng(0))
    assert (labels != IGNORED).sum() == (read == tokenizer.mask_token_id).sum() == 1


def test_shares_that_make_no_sense(tokenizer):
    with pytest.raises(ValueError, match=r"mask \(0\.8\) and random \(0\.3\) are shares of one whole"):
        MaskingSettings(random=0.3)


def test_a_vocabulary_without_a_mask(tmp_path):
    from toy_corpus import tokenizer_of as translating
    from toy_corpus import write_corpus

    with pytest.raises(InputError, match="the tokenizer has no mask token"):
        Masking(translating(write_corpus(tmp_path, {})), MaskingSettings())
