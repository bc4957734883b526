"""Pairs of words and the probes on them: vectors by hand, planted structure, controls, bad input."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from small_trees import WORDS, random_words, sentence
from tiny_bert import tiny_bert, word_tokenizer

from headwork.errors import InputError
from headwork.heads.streaming.batches import single_batches
from headwork.heads.streaming.parsed import parsed_texts
from headwork.representations.probes.attention import NONE, Pairs, draw, pairs_of
from headwork.representations.probes.linear import (
    classifier,
    distances,
    of_relations,
    probe_pairs,
    random_labels,
    split,
    task,
)
from headwork.settings.representations import PairProbe


def sentences(number, seed=0):
    """Every word hangs on the next but one or the next; the last but the full stop is the root."""
    chance = np.random.default_rng(seed)
    found = []
    for words in random_words(number, chance, 4, 7):
        last = len(words) - 1
        nexts = [min(place + int(chance.integers(1, 3)), last) for place in range(1, last)]
        found.append(sentence([*nexts, 0, last], words, [last]))
    return found


def test_pairs_of_a_sentence():
    relations = ["det", "root", "obj", "amod", "nmod", "conj", "punct"]
    own = sentence([2, 0, 2, 5, 3, 3, 2], WORDS, [6], relations)
    found = draw(own, np.random.default_rng(0))
    pairs = list(zip(found.first, found.second, found.relations, strict=True))
    arcs = [pair for pair in pairs if pair[2]]
    assert arcs == [(0, 1, "det"), (2, 1, "obj"), (3, 4, "amod"), (4, 2, "nmod"), (5, 2, "conj")]
    others = [pair[:2] for pair in pairs if not pair[2]]
    assert len(set(others)) == len(arcs)
    linked = {frozenset((one, other)) for one, other, _ in arcs}
    assert all(one != other and frozenset((one, other)) not in linked for one, other in others)
    # the full stop is in no pair
    assert 6 not in {place for pair in others for place in pair}
    assert len(draw(sentence([2, 0]), np.random.default_rng(0)).first) == 1
    assert len(draw(sentence([0]), np.random.default_rng(0)).first) == 0


def test_vectors_are_the_weights_of_all_heads_both_ways():
    tokenizer = word_tokenizer(WORDS)
    model = tiny_bert(tokenizer).base_model
    trees = sentences(7)
    batches = single_batches(parsed_texts(trees, tokenizer, model, "trees"), "encoder", 0, 40)
    pairs = pairs_of(model, batches)
    assert pairs.heads == 4
    chance, row = np.random.default_rng(0), 0
    model.set_attn_implementation("eager")
    for number, tree in enumerate(tree for batch in batches for tree in batch.queries["encoder"].sentences):
        ids = tokenizer(" ".join(tree.forms), return_tensors="pt")
        with torch.no_grad():
            maps = torch.cat(model(**ids, output_attentions=True).attentions, dim=1)[0, :, 1:-1, 1:-1].numpy()
        drawn = draw(tree, chance)
        for one, other, relation in zip(drawn.first, drawn.second, drawn.relations, strict=True):
            expected = np.concatenate([maps[:, one, other], maps[:, other, one]])
            assert pairs.vectors[row] == pytest.approx(expected, abs=1e-6)
            facts = pairs.relations[row], pairs.offsets[row], pairs.sentences[row]
            assert facts == (relation, other - one, number)
            row += 1
    assert row == len(pairs)


def test_a_text_without_arcs():
    tokenizer = word_tokenizer(WORDS)
    model = tiny_bert(tokenizer).base_model
    trees = [sentence([0, 1], ["ant", "."], [1])] * 3
    batches = single_batches(parsed_texts(trees, tokenizer, model, "trees"), "encoder", 0, 40)
    with pytest.raises(InputError, match="no word depends on another; give sentences with trees"):
        pairs_of(model, batches)


def made_up(number=4000, heads=6, seed=0):
    """Head 1 gives much from dependents to heads, head 2 of subjects only, head 3 of objects; the others are noise."""
    chance = np.random.default_rng(seed)
    relations = chance.choice(np.array([NONE, "nsubj", "obj"]), number, p=[0.5, 0.3, 0.2])
    vectors = chance.random((number, 2 * heads)).astype(np.float32)
    vectors[:, 0] += 2 * (relations != NONE)
    vectors[:, 1] += 2 * (relations == "nsubj")
    vectors[:, 2] += 2 * (relations == "obj")
    offsets, sentences = chance.integers(-4, 5, number), np.arange(number) // 8
    return Pairs(vectors, relations, offsets, sentences, chance.integers(0, 300, number))


SETTINGS = PairProbe(alphas=(1e-5, 1e-3), seeds=2, min_count=20)


def accuracies(pairs, settings=SETTINGS):
    table, relations = probe_pairs(pairs, settings)
    by_task = table.set_index(["task", "split", "features"]).sort_index()
    return by_task["accuracy"], relations.set_index("relation")


def test_a_planted_head_is_found_and_controls_find_nothing():
    found, relations = accuracies(made_up())
    for split_by in ("sentence", "pair"):
        for task_name, chance in (("exists", 0.5), ("relation", 0.6)):
            own = found[task_name, split_by]
            assert own["attention"] > 0.97
            assert own["both-directions"] > 0.97
            assert own["majority"] == pytest.approx(chance, abs=0.05)
            assert own["distance"] == pytest.approx(chance, abs=0.06)
            assert own["random-labels"] == pytest.approx(chance, abs=0.09)
    assert (relations[["precision", "recall"]] > 0.95).all(axis=None)
    shuffled = made_up()
    order = np.random.default_rng(1).permutation(len(shuffled))
    found, _ = accuracies(replace(shuffled, vectors=shuffled.vectors[order]))
    assert found["exists", "sentence", "attention"] == pytest.approx(0.5, abs=0.05)


def test_a_split_by_pairs_leaks_what_sentences_share():
    # in each sentence pairs are either all arcs or none, and heads know only which sentence it is
    pairs = made_up(heads=60)
    chance = np.random.default_rng(3)
    kinds = chance.random(500) < 0.5
    own = chance.normal(size=(500, 120)).astype(np.float32)
    leaky = replace(
        pairs,
        vectors=own[pairs.sentences],
        relations=np.where(kinds[pairs.sentences], np.array("nsubj"), np.array(NONE)),
    )
    rows, labels = task(leaky, "exists", 20)
    accuracy = {}
    for by in ("sentence", "pair"):
        fit, held = split(leaky.sentences[rows], by, 0.3, 0)
        probe = classifier(1e-5, 10, 0).fit(leaky.vectors[rows][fit], labels[fit])
        accuracy[by] = probe.score(leaky.vectors[rows][held], labels[held])
    assert accuracy["pair"] > accuracy["sentence"] + 0.1


def test_no_sentence_is_on_both_sides():
    groups = np.arange(900) // 9
    fit, held = split(groups, "sentence", 0.3, 5)
    assert not set(groups[fit]) & set(groups[held])
    assert len(set(groups[held])) == 30
    fit, held = split(groups, "pair", 0.3, 5)
    assert set(groups[fit]) & set(groups[held])
    assert sorted([*fit, *held]) == list(range(900))


def test_tasks_distances_and_random_labels_by_hand():
    pairs = made_up(1000)
    rows, labels = task(pairs, "exists", 20)
    assert np.unique(labels, return_counts=True)[1].tolist() == [len(rows) // 2] * 2
    rows, labels = task(pairs, "relation", 20)
    assert (pairs.relations[rows] == labels).all()
    assert set(labels) == {"nsubj", "obj"}
    found = distances(np.array([-9, -1, 2, 9]), 2)
    assert found.argmax(1).tolist() == [0, 1, 4, 4]
    assert found.sum(1).tolist() == [1] * 4
    names = random_labels(np.array(["a", "b"] * 50), np.arange(100) % 7)
    assert all(len(set(names[np.arange(100) % 7 == kind])) == 1 for kind in range(7))


def test_precision_and_recall_by_hand():
    table = of_relations(np.array(["a", "a", "b", "b", "b", "c"]), np.array(["a", "b", "b", "b", "a", "b"]))
    table = table.set_index("relation")
    assert table.index.tolist() == ["b", "a", "c"]
    assert table.loc["b"].tolist() == pytest.approx([2 / 4, 2 / 3, 4, 3])
    assert table.loc["c"].tolist() == [0, 0, 0, 1]


def test_too_little_for_a_probe():
    with pytest.raises(InputError, match="1 sentences with trees are too few to train on some"):
        probe_pairs(replace(made_up(), sentences=np.zeros(4000, dtype=np.int64)))
    with pytest.raises(InputError, match="no two labels of 3000 pairs each to tell apart"):
        probe_pairs(made_up(), PairProbe(min_count=3000, seeds=1, alphas=(1e-4,)))
