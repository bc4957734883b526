"""The network learns planted patterns, learns nothing from shuffled labels, and is the same at every run."""

import pytest
import torch
from sklearn.metrics import f1_score

from headwork.errors import InputError
from headwork.heads.patterns.network import agreement, classify, cross_validate, learn, square
from headwork.settings.heads import NetworkSettings

SETTINGS = NetworkSettings(side=16, channels=(8, 16), epochs=15, batch=16, folds=3)


def noisy(seed, each=30):
    """Maps of three kinds (stripes, diagonals, even ones) of several lengths, with noise."""
    torch.manual_seed(seed)
    squares, labels = [], []
    for number in range(3 * each):
        length = 14 + number % 7
        scores = torch.randn(length, length)
        kind = number % 3
        if kind == 0:
            scores[:, int(torch.randint(length, ()))] += 6
        elif kind == 1:
            scores += 6 * torch.eye(length).roll(int(torch.randint(-1, 2, ())), 1)
        squares.append(square(scores.softmax(-1), 16))
        labels.append((0, 1, 4)[kind])
    return torch.stack(squares), torch.tensor(labels)


@pytest.fixture(scope="module")
def maps():
    return noisy(0)


def test_planted_patterns_are_learned(maps):
    found = cross_validate(*maps, SETTINGS)
    assert found.f1 > 0.9
    assert list(found.of_classes) == ["vertical", "diagonal", "heterogeneous"]
    expected = f1_score(maps[1].numpy(), found.predicted.numpy(), average="macro")
    assert found.f1 == pytest.approx(expected)
    unseen, labels = noisy(1)
    network = learn(*maps, SETTINGS)
    assert agreement(classify(network, unseen).tolist(), labels.tolist()) > 0.9


def test_shuffled_labels_teach_nothing(maps):
    squares, labels = maps
    shuffled = labels[torch.randperm(len(labels), generator=torch.Generator().manual_seed(4))]
    assert cross_validate(squares, shuffled, SETTINGS).f1 < 0.6


def test_the_same_seed_gives_the_same_network(maps):
    few = [part[:30] for part in maps]
    one, other = (learn(*few, SETTINGS) for _ in range(2))
    for name, weight in one.state_dict().items():
        assert torch.equal(weight, other.state_dict()[name]), name


def test_squares_keep_what_a_map_looks_like():
    even = square(torch.full((21, 21), 1 / 21), 16)
    torch.testing.assert_close(even, torch.full((16, 16), 1 / 21))
    stripe = torch.zeros(20, 20)
    stripe[:, 10] = 1
    found = square(stripe, 16)
    assert found.mean(0).argmax() == 8
    assert found.mean().item() == pytest.approx(1 / 20, rel=0.1)


def test_a_class_of_too_few_maps_is_refused(maps):
    squares, labels = maps
    labels = labels.clone()
    labels[0] = 3
    with pytest.raises(InputError, match="only 1 maps are labelled block, for 3 folds; label more"):
        cross_validate(squares, labels, SETTINGS)
