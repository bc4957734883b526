"""The decoder-style probe: its scores by hand, its steps see nothing of what comes, planted tags are found."""

import numpy as np
import pytest
import torch

from headwork.errors import InputError
from headwork.representations.probes.sequence import (
    END,
    SPECIALS,
    START,
    Sentences,
    SequenceProbe,
    score,
    train_decoder,
    written,
)
from headwork.settings.representations import TagDecoder


def test_scores_by_hand():
    gold = [np.array([0, 1, 2]), np.array([0, 0]), np.array([1])]
    found = score(gold, [np.array([0, 1, 1]), np.array([0, 0, 0]), np.array([], dtype=np.int64)])
    assert (found.precision, found.words) == (pytest.approx(2 / 3), 3)
    assert (found.precision_of_all, found.words_of_all) == (pytest.approx(4 / 6), 6)
    assert (found.length_errors, found.sentences) == (pytest.approx(2 / 3), 3)
    nothing = score(gold[:1], [np.array([0])])
    assert np.isnan(nothing.precision)
    assert nothing.length_errors == 1


def test_a_step_sees_what_was_written_and_all_states_but_nothing_later():
    probe = SequenceProbe(16, 3, TagDecoder(heads=2, feed_forward=16), seed=1).eval()
    states, absent = torch.randn(1, 4, 16), torch.tensor([[False, False, False, True]])
    tags = torch.tensor([[START, 2, 3, 4]])
    logits = probe(states, absent, tags)
    later = probe(states, absent, torch.tensor([[START, 2, 4, 3]]))
    torch.testing.assert_close(logits[:, :2], later[:, :2])
    assert not torch.allclose(logits[:, 2], later[:, 2])
    # a place without a piece is not seen, any other is, at the first step already
    hidden, changed = states.clone(), states.clone()
    hidden[0, 3] += 1
    changed[0, 2] += torch.randn(16)
    torch.testing.assert_close(probe(hidden, absent, tags), logits)
    assert not torch.allclose(probe(changed, absent, tags)[:, 0], logits[:, 0])


def test_writing_ends_at_the_end_mark():
    probe = SequenceProbe(8, 3, TagDecoder(heads=2, feed_forward=8)).eval()
    data = Sentences([torch.zeros(3, 8), torch.zeros(5, 8)], [torch.tensor([0]), torch.tensor([0])])
    for parameter in probe.output.parameters():
        torch.nn.init.zeros_(parameter)
    with torch.no_grad():
        probe.output.bias[END] = 1
    assert [len(own) for own in written(probe, data)] == [0, 0]
    with torch.no_grad():
        probe.output.bias[SPECIALS + 2] = 2
    # it never stops: as many tags as the longest sentence of the batch has pieces, and ten
    assert [own.tolist() for own in written(probe, data)] == [[2] * 15, [2] * 15]


def planted(count, seed, shuffled=False):
    """Sentences of 2 to 5 words, each a piece whose state says its tag and its place, and an end mark."""
    generator = torch.Generator().manual_seed(seed)
    states, tags = [], []
    for _ in range(count):
        size = int(torch.randint(2, 6, (1,), generator=generator))
        own = torch.randint(0, 3, (size,), generator=generator)
        vectors = torch.zeros(size + 1, 16)
        vectors[torch.arange(size), own] = 2.0
        vectors[torch.arange(size + 1), 4 + torch.arange(size + 1)] = 2.0
        vectors[size, 12] = 2.0
        states.append(vectors)
        tags.append(torch.randint(0, 3, (size,), generator=generator) if shuffled else own)
    return Sentences(states, tags)


SMALL = TagDecoder(heads=2, feed_forward=32, rate=0.005, epochs=15, sentences=16)


def test_planted_tags_are_found_at_the_right_length():
    data, others = planted(400, 0), planted(60, 1)
    found = score([own.numpy() for own in others.tags], written(train_decoder(data, 3, SMALL), others))
    assert found.precision > 0.9
    assert found.length_errors < 0.1


def test_tags_that_the_states_do_not_hold_are_not_found():
    data, others = planted(400, 0, shuffled=True), planted(60, 1, shuffled=True)
    found = score([own.numpy() for own in others.tags], written(train_decoder(data, 3, SMALL), others))
    assert found.precision < 0.5


def test_a_tag_that_was_not_learned_is_no_tag_to_learn():
    data = planted(20, 0)
    data.tags[0][0] = -1
    probe = train_decoder(data, 3, TagDecoder(heads=2, feed_forward=16, epochs=1))
    assert all(torch.isfinite(weight).all() for weight in probe.parameters())


def test_heads_must_divide_the_width():
    with pytest.raises(InputError, match="3 heads do not divide a width of 16; choose a divisor"):
        SequenceProbe(16, 3, TagDecoder(heads=3))
