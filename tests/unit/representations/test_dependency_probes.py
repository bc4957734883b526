"""Probes find trees planted in attention, and no tree where there is none; maps of a model are those of plain loops."""

import numpy as np
import pytest
import torch
from small_trees import sentence
from tiny_bert import tiny_bert

from headwork.errors import InputError
from headwork.heads.streaming.batches import Batch, Side, single_batch
from headwork.representations.probes.dependency import (
    AttentionAndWordsProbe,
    AttentionProbe,
    DistancesAndWordsProbe,
    right_branching,
    train,
    uas,
    with_random_layers,
)
from headwork.representations.probes.word_maps import PADDING, Parsed, WordMaps
from headwork.representations.probes.word_vectors import WordVectors
from headwork.settings.representations import DependencyProbe

FORMS = ["a", "b", "c", "d", "."]
VECTORS = WordVectors({form: number for number, form in enumerate(FORMS, start=1)}, torch.eye(6)[:, 1:])
FAST = DependencyProbe(rate=0.1, epochs=3, sentences=8)


def random_trees(count, seed=0):
    """Each word hangs on a random earlier one, the first on the root; the last is a full stop."""
    chance = np.random.default_rng(seed)
    trees = []
    for _ in range(count):
        size = int(chance.integers(4, 9))
        forms, heads = [FORMS[chance.integers(0, 4)]], [0]
        for place in range(1, size - 1):
            forms.append(FORMS[chance.integers(0, 4)])
            heads.append(int(chance.integers(1, place + 1)))
        trees.append(sentence([*heads, 1], [*forms, "."], [size - 1]))
    return trees


def planted(trees, noise=0.3, seed=0, shuffled=False):
    """Head 2 of three attends from dependents to heads; roots attend to what is before the sentence."""
    generator = torch.manual_seed(seed)
    size = max(map(len, trees))
    maps = noise * torch.rand(len(trees), 3, size, size, generator=generator)
    special = noise * torch.rand(2, len(trees), 3, size, 2, generator=generator)
    heads = torch.full((len(trees), size), PADDING)
    scored = torch.zeros(len(trees), size, dtype=torch.bool)
    for row, tree in enumerate(trees):
        order = np.random.default_rng([seed, row]).permutation(len(tree)) if shuffled else range(len(tree))
        for place, source in enumerate(order):
            head = tree.words[place].head
            heads[row, place], scored[row, place] = head, tree.words[place].deprel != "punct"
            shown = tree.words[source].head
            if shown:
                maps[row, 1, place, shown - 1] += 1
            else:
                special[0, row, 1, place, 0] += 1
    vectors = torch.zeros(len(trees), size, VECTORS.size)
    for row, tree in enumerate(trees):
        vectors[row, : len(tree)] = VECTORS.of(tree.forms)
    return Parsed(maps, special[0], special[1], heads, scored, vectors)


def in_batches(parsed):
    return list(parsed.parts(16))


def probes_of(hidden):
    words = VECTORS.size
    return [AttentionProbe(3), AttentionAndWordsProbe(3, words), DistancesAndWordsProbe(words, hidden)]


def test_attention_probes_find_the_planted_head_and_distances_do_not():
    probes = probes_of(16)
    train(probes, in_batches(planted(random_trees(100))), FAST)
    scores, words = uas(probes, in_batches(planted(random_trees(40, seed=1), seed=1)))
    assert words == sum(len(tree) - 1 for tree in random_trees(40, seed=1))
    assert scores[0] > 0.95
    assert scores[1] > 0.95
    assert scores[2] < 0.75
    # what a word gives in head 2 counts most
    assert probes[0].weights.argmax() == 3 + 1


def test_shuffled_attention_gives_chance():
    probe = AttentionProbe(3)
    train([probe], in_batches(planted(random_trees(100), shuffled=True)), FAST)
    (score,), _ = uas([probe], in_batches(planted(random_trees(40, seed=1), seed=1, shuffled=True)))
    assert score < 0.5


def test_probes_train_side_by_side_as_they_do_alone_and_the_same_again():
    data = in_batches(planted(random_trees(30)))
    alone, first = AttentionProbe(3), AttentionProbe(3)
    second, again = (DistancesAndWordsProbe(VECTORS.size, 8, seed=4) for _ in range(2))
    train([alone], data, FAST)
    train([first, second], data, FAST)
    train([again], data, FAST)
    assert torch.equal(alone.weights, first.weights)
    for one, other in zip(second.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)


def test_scores_of_a_sentence_do_not_depend_on_its_neighbours():
    data = planted(random_trees(6))
    for probe in probes_of(8):
        for parameter in probe.parameters():
            torch.nn.init.normal_(parameter, std=0.3, generator=torch.manual_seed(1))
        together = probe(data)
        for row, alone in enumerate(data.parts(1)):
            words = alone.heads.shape[1]
            torch.testing.assert_close(probe(alone)[0], together[row, :words, : words + 1])


def test_distance_features_by_hand():
    data = planted(random_trees(1))
    words = data.heads.shape[1]
    found = DistancesAndWordsProbe(VECTORS.size, 8).distances(data)[0]
    # ahead, behind, -2, -1, 0, +1, +2, root
    assert found[1, 0].tolist() == [0, 0, 0, 0, 0, 0, 0, 1]
    expected = [1 / words, 0, 0, 0, 0, 1, 0, 0]
    assert found[1, 3].tolist() == pytest.approx(expected)
    expected = [0, 1 / words, 0, 1, 0, 0, 0, 0]
    assert found[1, 1].tolist() == pytest.approx(expected)
    assert found[0, words].tolist() == pytest.approx([(words - 1) / words, *[0] * 7])


def test_right_branching_by_hand():
    chain = sentence([2, 0, 2], ["a", "b", "."], [2])
    assert right_branching([chain, chain]) == 1 / 2
    with pytest.raises(InputError, match="no word to be scored"):
        right_branching([sentence([1], ["."], [0])])


def model_of():
    return tiny_bert(range(20), initializer_range=0.5).base_model


def batch_of(trees):
    rows = [[-1, *(place for place in range(len(tree)) for _ in range(1 + place % 2)), -1] for tree in trees]
    longest = max(map(len, rows))
    words = torch.tensor([row + [-1] * (longest - len(row)) for row in rows])
    present = torch.tensor([[True] * len(row) + [False] * (longest - len(row)) for row in rows])
    return single_batch(Side((words + 2) * present, present, words >= 0, words, tuple(trees)), "encoder")


def test_word_maps_of_a_model_equal_plain_loops():
    trees, model = random_trees(5), model_of()
    batch = batch_of(trees)
    (found,) = WordMaps(model, [batch], VECTORS)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        kept = torch.cat(model(**batch.inputs, output_attentions=True).attentions, dim=1)
    model.set_attn_implementation("sdpa")
    for row, tree in enumerate(trees):
        words = batch.queries["encoder"].words[row]
        length = int(batch.queries["encoder"].present[row].sum())
        groups = [(words == place).nonzero()[:, 0].tolist() for place in range(len(tree))]
        groups = [[0], *groups, [length - 1]]
        between = torch.stack(
            [torch.stack([kept[row][:, v][:, :, w].sum(2).mean(1) for w in groups], dim=-1) for v in groups],
            dim=1,
        )
        torch.testing.assert_close(between.sum(2), torch.ones(4, len(groups)))
        inner = slice(1, len(tree) + 1)
        torch.testing.assert_close(found.maps[row, :, : len(tree), : len(tree)], between[:, inner, inner])
        torch.testing.assert_close(found.to_special[row, :, : len(tree)], between[:, inner][..., [0, -1]])
        got = between[:, [0, -1]][..., inner].transpose(1, 2)
        torch.testing.assert_close(found.from_special[row, :, : len(tree)], got)
        assert found.heads[row].tolist()[: len(tree)] == [word.head for word in tree.words]
        assert found.scored[row].sum() == len(tree) - 1
        torch.testing.assert_close(found.vectors[row, : len(tree)], VECTORS.of(tree.forms))
        assert not found.maps[row, :, len(tree) :].any()


def test_an_untrained_model_gives_no_better_trees_than_distances_and_the_stream_is_the_same_again():
    trees, model = random_trees(60), model_of()
    batches = [batch_of(trees[start : start + 10]) for start in range(0, 60, 10)]
    streams = [WordMaps(model, batches, VECTORS, seed=2) for _ in range(2)]
    assert len(streams[0]) == 6
    first, second = AttentionProbe(4), AttentionProbe(4)
    train([first], streams[0], FAST)
    train([second], streams[1], FAST)
    assert torch.equal(first.weights, second.weights)
    orders = {str([parsed.heads.tolist() for parsed in streams[0]]) for _ in range(3)}
    assert len(orders) > 1
    (score,), _ = uas([first], streams[0])
    assert score < 0.6


def test_a_sentence_without_cls_has_nothing_before_it():
    tree = random_trees(1)[0]
    side = batch_of([tree]).queries["encoder"]
    bare = Side(side.ids[:, 1:], side.present[:, 1:], side.real[:, 1:], side.words[:, 1:], (tree,))
    (found,) = WordMaps(model_of(), [single_batch(bare, "encoder")], VECTORS)
    assert not found.to_special[..., 0].any()
    assert not found.from_special[..., 0].any()
    total = found.maps.sum(-1) + found.to_special.sum(-1)
    torch.testing.assert_close(total, torch.ones_like(total))


def test_random_layers_keep_the_embeddings_alone():
    model = model_of()
    fresh, again, other = (with_random_layers(model, seed) for seed in (1, 1, 2))
    for name, weight in model.named_parameters():
        new = fresh.get_parameter(name)
        if "embeddings" in name:
            assert torch.equal(weight, new), name
        elif name.endswith("weight") and "LayerNorm" not in name:
            assert not torch.equal(weight, new), name
    query = "encoder.layer.0.attention.self.query.weight"
    assert torch.equal(fresh.state_dict()[query], again.state_dict()[query])
    assert not torch.equal(fresh.state_dict()[query], other.state_dict()[query])


def test_text_without_trees():
    side = batch_of(random_trees(1)).queries["encoder"]
    bare = single_batch(Side(side.ids, side.present, side.real, side.words), "encoder")
    with pytest.raises(InputError, match="no encoder text with trees"):
        WordMaps(model_of(), [bare], VECTORS)
    with pytest.raises(InputError, match="no encoder text with trees"):
        WordMaps(model_of(), [Batch({}, {}, {})], VECTORS)
