"""Edge probes: their equations written out, the scalar mix's gradient, and layers in which a label was planted."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from headwork.representations.probes.edge import (
    EdgeProbes,
    Targets,
    counts,
    f1,
    normalised,
    probabilities,
    train_edges,
)
from headwork.representations.probes.edge_summaries import (
    centre_of_gravity,
    differences,
    divergence,
    divergence_of_gains,
    expected_layer,
)
from headwork.settings.representations import EdgeProbeSettings

LAYERS, SIZE = 4, 6


def probes(depths=(1, 3), seeds=(0, 5), spans=2, labels=3, hidden=5):
    """Probes with mixing weights that differ, so that a mistake in the mix would show."""
    own = EdgeProbes(depths, seeds, SIZE, spans, labels, hidden)
    chance = torch.Generator().manual_seed(1)
    with torch.no_grad():
        own.mix.copy_(torch.randn(own.mix.shape, generator=chance))
        own.gamma.copy_(torch.tensor([0.7, 1.3])[: len(depths)])
        for bias in (*own.project_bias, own.inner_bias, own.outer_bias):
            bias.copy_(torch.randn(bias.shape, generator=chance))
    return own


def by_hand(own, probe, states, spans):
    """The logits of one target of one probe; `spans` are lists of tokens."""
    open_ = own.open[probe]
    shares = torch.softmax(own.mix[probe][open_], 0)
    pooled = []
    for number, tokens in enumerate(spans):
        points = []
        for token in tokens:
            mixed = own.gamma[probe] * sum(share * states[layer, token] for layer, share in enumerate(shares))
            points.append(mixed @ own.project[number][probe] + own.project_bias[number][probe, 0])
        scores = torch.stack([(point @ own.attend[number][probe])[0] for point in points])
        weights = torch.softmax(scores, 0)
        pooled.append(sum(weight * point for weight, point in zip(weights, points, strict=True)))
    hidden = torch.tanh(torch.cat(pooled) @ own.inner[probe] + own.inner_bias[probe, 0])
    hidden = (hidden - hidden.mean()) / torch.sqrt(hidden.var(unbiased=False) + 1e-5)
    return hidden @ own.outer[probe] + own.outer_bias[probe, 0]


def test_pooling_and_classifier_are_those_of_the_equations():
    torch.manual_seed(0)
    own, states = probes(), torch.randn(LAYERS, 9, SIZE)
    spans = [[[0, 1, 2], [7]], [[3], [4, 5]]]  # span, target
    given = []
    for targets in spans:
        tokens = [token for target in targets for token in target]
        of = [number for number, target in enumerate(targets) for _ in target]
        given.append((states[:, tokens], torch.tensor(of)))
    found = own(given, 2)
    for probe in range(2):
        for target in range(2):
            expected = by_hand(own, probe, states, [spans[0][target], spans[1][target]])
            assert found[probe, target].tolist() == pytest.approx(expected.tolist(), abs=1e-5)


def test_vectors_of_very_different_size_are_pooled_without_overflow():
    own, states = probes(), torch.randn(LAYERS, 4, SIZE)
    states[:, 2:] *= 1e4
    of = torch.tensor([0, 0, 1, 1])
    found = own.pooled(states, of, 2, 0)
    assert found.isfinite().all()
    assert torch.equal(found[:, :1], own.pooled(states[:, :2], of[:2], 1, 0))
    found.sum().backward()
    assert own.mix.grad.isfinite().all()


def test_a_probe_does_not_see_the_layers_above_its_depth():
    own = probes()
    assert own.weights.sum(1).tolist() == pytest.approx([1, 1])
    assert own.weights[0, 2:].tolist() == [0, 0]
    states = torch.randn(LAYERS, 5, SIZE)
    other = states.clone()
    other[2:] += 1
    assert torch.equal(own.mixed(states)[0], own.mixed(other)[0])
    assert not torch.equal(own.mixed(states)[1], own.mixed(other)[1])


def test_the_gradient_of_the_scalar_mix_is_that_of_finite_differences():
    torch.manual_seed(0)
    own = probes().double()
    states = torch.randn(LAYERS, 4, SIZE, dtype=torch.float64)
    spans = [(states[:, :3], torch.tensor([0, 0, 1])), (states[:, 2:], torch.tensor([0, 1]))]
    gold = torch.tensor([[1.0, 0, 0], [0, 1, 0]], dtype=torch.float64).expand(2, -1, -1)

    def loss():
        return functional.binary_cross_entropy_with_logits(own(spans, 2), gold)

    loss().backward()
    step = 1e-6
    for parameter, place in ((own.mix, (1, 2)), (own.mix, (0, 0)), (own.gamma, (1,))):
        with torch.no_grad():
            values = []
            for sign in (1, -1):
                parameter[place] += sign * step
                values.append(loss().item())
                parameter[place] -= sign * step
        assert parameter.grad[place].item() == pytest.approx(
            (values[0] - values[1]) / (2 * step), rel=1e-4, abs=1e-9
        )
    assert own.mix.grad[0, 2:].tolist() == [0, 0]


def planted(layer, number=400, seed=0):
    """Words whose label can be told from the vector in one layer only; elsewhere there is noise."""
    chance = np.random.default_rng(seed)
    states = chance.normal(size=(LAYERS, number, SIZE))
    labels = chance.integers(3, size=number)
    states[layer, np.arange(number), labels] += 6
    gold = torch.zeros(number, 3)
    gold[np.arange(number), labels] = 1
    starts = np.arange(number)[:, None]
    return torch.from_numpy(states).float(), Targets(starts, np.ones_like(starts), gold)


@pytest.mark.parametrize("layer", range(LAYERS))
def test_a_label_planted_in_one_layer_is_found_there(layer):
    settings = EdgeProbeSettings(hidden=8, dropout=0.0, rate=0.01, steps=150, batch=100)
    own = train_edges(*planted(layer), range(LAYERS), [0, 1], settings)
    states, targets = planted(layer, seed=1)
    found = counts(
        probabilities(own, states, targets), targets.labels.numpy() > 0, np.zeros(len(targets), dtype=int)
    )
    scores = np.median(f1(found.sum(1)).reshape(2, LAYERS), axis=0)
    assert (scores[:layer] < 0.5).all()
    assert (scores[layer:] > 0.9).all()
    if layer:  # from layer 0 on there is nothing to gain
        assert expected_layer(scores) == pytest.approx(layer, abs=0.25)
        assert divergence_of_gains(scores) > 1
    weights = own.weights.detach().numpy().reshape(2, LAYERS, LAYERS)[:, -1]
    assert weights.argmax(1).tolist() == [layer, layer]
    assert abs(centre_of_gravity(weights) - layer).max() < 0.8


def test_training_is_the_same_with_the_same_seed():
    settings = EdgeProbeSettings(hidden=4, steps=5, batch=20)
    one, other = (train_edges(*planted(1), range(LAYERS), [3], settings) for _ in range(2))
    assert torch.equal(one.mix, other.mix)
    assert torch.equal(one.outer, other.outer)
    # probes of a seed start alike, those of another seed do not
    start = EdgeProbes([0, 3, 0], [0, 0, 1], SIZE, 1, 2, 4)
    assert torch.equal(start.project[0][0], start.project[0][1])
    assert not torch.equal(start.project[0][0], start.project[0][2])


def test_targets_know_their_tokens():
    targets = Targets(np.array([[4, 0], [1, 7]]), np.array([[2, 1], [3, 1]]), torch.zeros(2, 1))
    tokens, of = targets.tokens(np.array([1, 0]), 0)
    assert tokens.tolist() == [1, 2, 3, 4, 5]
    assert of.tolist() == [0, 0, 0, 1, 1]
    assert targets.tokens(np.array([1]), 1)[0].tolist() == [7]


def test_scores_by_hand():
    found = np.array([[[0.9, 0.6, 0.1], [0.2, 0.3, 0.4]]])
    gold = np.array([[True, False, False], [False, True, False]])
    # one hit, one false alarm, and one miss; a label that is unknown to the probe is missed
    assert counts(found, gold, np.array([0, 1])).tolist() == [[[1, 1, 0], [0, 0, 2]]]
    assert f1(np.array([1, 1, 2])) == pytest.approx(2 / 5)
    assert f1(np.zeros(3)) == 0
    vectors = normalised(torch.tensor([[[3.0, 5.0]]]))
    assert vectors.flatten().tolist() == pytest.approx([-1, 1], abs=1e-4)


def test_summaries_by_hand():
    assert centre_of_gravity(np.array([0.5, 0, 0.5])) == 1
    scores = np.array([0.2, 0.6, 0.5, 0.6])
    assert differences(scores).tolist() == pytest.approx([0.4, -0.1, 0.1])
    assert expected_layer(scores) == pytest.approx((0.4 - 0.2 + 0.3) / 0.4)
    # the fall is clipped: 0.8 and 0.2 of three layers
    assert divergence_of_gains(scores) == pytest.approx(0.8 * np.log2(2.4) + 0.2 * np.log2(0.6))
    assert divergence(np.full(4, 0.25)) == pytest.approx(0)
    assert divergence(np.array([1.0, 0, 0, 0])) == pytest.approx(2)
    assert np.isnan(expected_layer(np.array([0.3, 0.5, 0.3])))
    assert np.isnan(divergence_of_gains(np.array([0.5, 0.4])))
