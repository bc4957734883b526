"""The structural probe: its equation, a planted tree, scores by hand."""

import networkx
import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from small_trees import sentence

from headwork.errors import InputError
from headwork.representations.geometry.tree_embeddings import exact, path_lengths
from headwork.representations.probes.structural import (
    DEPTH,
    DISTANCE,
    Example,
    StructuralProbe,
    depth_loss,
    loss,
    permuted,
    predicted,
    train,
)
from headwork.representations.probes.tree_scores import (
    found_roots,
    mean_of_lengths,
    rank_correlation,
    resampled,
    spanning_tree,
    uuas,
)
from headwork.settings.representations import StructuralProbeSettings


def random_heads(words, chance):
    order = chance.permutation(words) + 1
    heads = [0] * words
    for place in range(1, words):
        heads[order[place] - 1] = int(order[chance.integers(place)])
    return heads


def planted(number, seed, size=24, shuffled=False):
    """Layer 0: the exact embedding of the tree, turned by a hidden map, and noise beside it; layer 1: noise."""
    chance = np.random.default_rng(seed)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(size, size)))[0]
    examples = []
    for _ in range(number):
        words = int(chance.integers(5, 9))
        heads = random_heads(words, chance)
        points = exact(random_heads(words, chance) if shuffled else heads)
        signal = np.pad(points, ((0, 0), (0, 8 - points.shape[1])))
        states = np.concatenate([signal, 2 * chance.normal(size=(words, size - 8))], axis=1) @ turn
        both = np.stack([states, chance.normal(size=states.shape)])
        examples.append(Example.of(sentence(heads), torch.from_numpy(both).float()))
    return examples


def test_the_distance_is_that_of_the_equation():
    torch.manual_seed(0)
    probe = StructuralProbe(layers=2, size=5, rank=3, seed=1)
    states = torch.randn(2, 4, 6, 5)
    found = probe(states)
    layer, row, one, other = 1, 2, 3, 5
    difference = probe.transform[layer] @ (states[layer, row, one] - states[layer, row, other])
    assert found[layer, row, one, other].item() == pytest.approx(difference.square().sum().item(), rel=1e-4)
    assert found.diagonal(dim1=2, dim2=3).abs().max() < 1e-6


def test_the_loss_is_that_of_the_equation_and_knows_no_padding():
    torch.manual_seed(0)
    probe = StructuralProbe(layers=1, size=3)
    states, distances = torch.randn(1, 2, 4, 3), torch.rand(2, 4, 4)
    present = torch.tensor([[True] * 4, [True, True, False, False]])
    found = probe(states)[0]
    found = found.detach()
    by_hand = [
        sum(abs(distances[row, i, j] - found[row, i, j]) for i in range(n) for j in range(n)) / n**2
        for row, n in ((0, 4), (1, 2))
    ]
    assert loss(probe, states, distances, present).item() == pytest.approx(float(sum(by_hand)) / 2, rel=1e-5)


def test_a_planted_tree_is_found_and_noise_and_other_trees_are_not():
    settings = StructuralProbeSettings(rate=0.02, epochs=30)
    learned, seen = planted(150, seed=1), planted(40, seed=2)
    probe = train(learned, settings)
    sentences = [example.sentence for example in seen]
    gold = [example.distances.double().numpy() for example in seen]
    found = [predicted(probe, example) for example in seen]
    assert uuas([each[0] for each in found], sentences)[0] > 0.95
    assert rank_correlation([each[0] for each in found], gold) > 0.9
    assert uuas([each[1] for each in found], sentences)[0] < 0.5
    wrong = train(planted(150, seed=1, shuffled=True), settings)
    other = planted(40, seed=2, shuffled=True)
    assert (
        uuas([predicted(wrong, example)[0] for example in other], [each.sentence for each in other])[0] < 0.5
    )
    again = train(learned, settings)
    assert torch.equal(again.transform, probe.transform)


def test_layers_do_not_see_each_other():
    both = planted(20, seed=3)
    alone = [Example(each.sentence, each.states[:1], each.distances) for each in both]
    settings = StructuralProbeSettings(epochs=3)
    assert torch.allclose(train(both, settings).transform[0], train(alone, settings).transform[0], atol=1e-6)


@pytest.mark.parametrize("target", [DISTANCE, DEPTH])
def test_the_scale_of_the_vectors_makes_no_difference(target):
    """With Adam's steps of one size, a probe of vectors forty times as long would otherwise not settle."""
    settings = StructuralProbeSettings(rate=0.02, epochs=10)
    plain = planted(60, seed=5)
    factors = torch.tensor([40.0, 0.01])[:, None, None]
    longer = [Example(each.sentence, each.states * factors, each.distances) for each in plain]
    ours, theirs = train(plain, settings, target=target), train(longer, settings, target=target)
    for one, other in zip(plain[:10], longer[:10], strict=True):
        assert predicted(theirs, other, target) == pytest.approx(
            predicted(ours, one, target), rel=0.02, abs=0.02
        )


def test_directions_of_large_variance_make_no_difference():
    """In a trained pre-norm encoder one direction can have half of the variance."""
    settings = StructuralProbeSettings(rate=0.02, epochs=20)
    plain, chance = planted(60, seed=5), np.random.default_rng(9)
    size = plain[0].states.shape[2]
    turn = np.linalg.qr(chance.normal(size=(size, size)))[0]
    stretch = torch.from_numpy(turn * np.where(np.arange(size) < size // 3, 100, 1) @ turn.T).float()
    stretched = [Example(each.sentence, each.states @ stretch, each.distances) for each in plain]

    def error(examples):
        probe = train(examples, settings)
        found = [predicted(probe, each)[0] for each in examples]
        gold = [each.distances.numpy() for each in examples]
        return np.mean([np.abs(one - other).mean() for one, other in zip(found, gold, strict=True)])

    assert error(plain) < 0.1 > error(stretched)


def test_vectors_that_are_all_alike_teach_nothing():
    alike = [
        Example(each.sentence, torch.ones_like(each.states), each.distances) for each in planted(20, seed=6)
    ]
    probe = train(alike, StructuralProbeSettings(epochs=1))
    assert probe.transform.isfinite().all()
    assert predicted(probe, alike[0]) == pytest.approx(0, abs=1e-4)


def test_scores_by_hand():
    # 1 <- 2 -> 3 -> 4, and a full stop on 2
    example = sentence([2, 0, 2, 3, 2], punctuation=[4])
    distances = path_lengths([2, 0, 2, 3, 2])
    assert spanning_tree(distances, example) == {frozenset(pair) for pair in ((0, 1), (1, 2), (2, 3))}
    assert uuas([distances], [example]) == (1.0, 3)
    chain = np.abs(np.subtract.outer(np.arange(5), np.arange(5))).astype(float)
    assert uuas([chain], [example]) == (1.0, 3)
    assert uuas([9 - distances + 9 * np.eye(5)], [example])[0] < 1
    assert rank_correlation([distances], [distances]) == pytest.approx(1)
    assert rank_correlation([-distances], [distances]) == pytest.approx(-1)
    assert np.isnan(rank_correlation([distances[:3, :3]], [distances[:3, :3]]))


def test_spanning_trees_and_correlations_are_those_of_other_libraries():
    chance = np.random.default_rng(0)
    heads = random_heads(9, chance)
    matrix = chance.random((9, 9))
    matrix = matrix + matrix.T
    np.fill_diagonal(matrix, 0)
    graph = networkx.from_numpy_array(matrix)
    theirs = {frozenset(edge) for edge in networkx.minimum_spanning_edges(graph, data=False)}
    assert spanning_tree(matrix, sentence(heads)) == theirs
    gold = path_lengths(heads)
    rows = [spearmanr(one, other).statistic for one, other in zip(matrix, gold, strict=True)]
    assert rank_correlation([matrix], [gold]) == pytest.approx(np.mean(rows))


def test_words_at_one_point_are_neighbours():
    distances = path_lengths([0, 1, 1])
    distances[0, 1] = distances[1, 0] = 0
    assert frozenset((0, 1)) in spanning_tree(distances, sentence([0, 1, 1]))


def exactly(heads, size, scale=1.0):
    """A sentence whose states, times a constant, are the exact embedding of its tree, with the root at the origin."""
    points = exact(heads) * scale
    states = np.pad(points, ((0, 0), (0, size - points.shape[1])))
    return Example.of(sentence(heads), torch.from_numpy(states).float()[None])


def test_losses_on_embedded_trees_have_a_closed_form():
    # Theorem 1 of Coenen et al. (2019): squared distances of these points are tree distances, squared norms depths
    scale, size = 1.7, 12
    trees = [[2, 0, 2, 3], [0, 1, 2, 3, 4, 1], [3, 3, 0]]
    given = [exactly(heads, size, scale) for heads in trees]
    probe = StructuralProbe(1, size)
    probe.transform.data[0] = torch.eye(size)
    distances, depths = [], []
    for example in given:
        present = torch.ones(1, len(example), dtype=torch.bool)
        states = example.states[:, None]
        distances.append(loss(probe, states, example.distances[None], present).item())
        depths.append(depth_loss(probe, states, example.depths[None], present).item())
    excess = scale**2 - 1
    assert distances == pytest.approx([excess * path_lengths(heads).mean() for heads in trees], rel=1e-5)
    from_root = [path_lengths(heads)[heads.index(0)].mean() for heads in trees]
    assert depths == pytest.approx([excess * depth for depth in from_root], rel=1e-5)
    probe.transform.data /= scale
    for example in given:
        present = torch.ones(1, len(example), dtype=torch.bool)
        assert loss(probe, example.states[:, None], example.distances[None], present).item() < 1e-5
        assert depth_loss(probe, example.states[:, None], example.depths[None], present).item() < 1e-5
        assert predicted(probe, example, "depth")[0] == pytest.approx(example.depths.numpy(), abs=1e-5)


def test_the_depth_loss_knows_no_padding():
    torch.manual_seed(0)
    probe = StructuralProbe(layers=1, size=3)
    states, depths = torch.randn(1, 2, 4, 3), torch.rand(2, 4)
    present = torch.tensor([[True] * 4, [True, True, False, False]])
    found = (states[0] @ probe.transform[0].T).square().sum(-1)
    by_hand = [(depths[row, :n] - found[row, :n]).abs().mean().item() for row, n in ((0, 4), (1, 2))]
    assert depth_loss(probe, states, depths, present).item() == pytest.approx(np.mean(by_hand), rel=1e-5)


def test_planted_depths_are_found_in_their_layer():
    learned, seen = planted(150, seed=1), planted(40, seed=2)
    probe = train(learned, StructuralProbeSettings(rate=0.02, epochs=30), target="depth")
    sentences = [example.sentence for example in seen]
    found = [predicted(probe, example, "depth") for example in seen]
    gold = [example.depths.numpy() for example in seen]
    for layer, known in ((0, True), (1, False)):
        own = [each[layer] for each in found]
        scores = found_roots(own, sentences).mean(), rank_correlation(own, gold)
        assert min(scores) > 0.8 if known else max(scores) < 0.5


def test_permuted_trees_keep_their_shape_and_punctuation():
    example = Example.of(sentence([2, 0, 2, 3, 2, 2], punctuation=[4]), torch.randn(1, 6, 3))
    moved = permuted(example, np.random.default_rng(0))
    assert torch.equal(moved.states, example.states)
    assert moved.sentence.forms == example.sentence.forms
    assert [word.deprel for word in moved.sentence.words][4] == "punct"
    assert sorted(moved.distances.sum(1).tolist()) == sorted(example.distances.sum(1).tolist())
    others = [permuted(example, np.random.default_rng(seed)).sentence for seed in range(20)]
    heads = {tuple(word.head for word in each.words) for each in others}
    assert len(heads) > 5
    assert example.sentence.words[0].head == 2  # the sentence itself is as it was


def test_roots_and_means_of_lengths_by_hand():
    examples = [sentence([2, 0, 2], punctuation=[2]), sentence([0, 1])]
    # the full stop is least deep, but punctuation does not count
    assert found_roots([np.array([2.0, 1, 0]), np.array([1.0, 0])], examples).tolist() == [True, False]
    values, lengths = np.array([0.2, 0.4, 0.9, 0.5]), np.array([5, 5, 7, 3])
    assert mean_of_lengths(values, lengths) == pytest.approx((0.3 + 0.9) / 2)
    assert np.isnan(mean_of_lengths(values[3:], lengths[3:]))


def test_the_bootstrap_draws_whole_sentences():
    hits = np.array([0, 1] * 50)
    low, high = resampled(lambda chosen: hits[chosen].mean(), 100, 2000, 0)
    assert (low, high) == pytest.approx((0.4, 0.6), abs=0.015)
    assert resampled(lambda chosen: 0.3, 4, 10, 0) == (pytest.approx(0.3), pytest.approx(0.3))


def test_sentences_of_one_word():
    with pytest.raises(InputError, match="no sentence has two words"):
        train([Example.of(sentence([0]), torch.zeros(1, 1, 4))])
