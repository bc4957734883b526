"""Trees from maps: against networkx, by hand, planted, and from noise."""

import networkx as nx
import numpy as np
import pytest
import torch
from hand_made import table_of
from small_trees import sentence

from headwork.errors import InputError
from headwork.heads.streaming.batches import Side, single_batch
from headwork.parses.conllu import Sentence, Word
from headwork.representations.geometry.induced_trees import (
    KEYS,
    ROOT,
    InducedTrees,
    arborescence,
    baselines,
    branching,
)


def by_networkx(scores, root):
    """The same by another implementation: arcs lead from heads to dependents."""
    graph = nx.DiGraph()
    for dependent in range(len(scores)):
        for head in range(len(scores)):
            if dependent not in (head, root):
                graph.add_edge(head, dependent, weight=scores[dependent, head])
    tree = nx.maximum_spanning_arborescence(graph)
    heads = np.full(len(scores), ROOT)
    for head, dependent in tree.edges:
        heads[dependent] = head
    return heads


@pytest.mark.parametrize("seed", range(20))
def test_equals_networkx(seed):
    chance = np.random.default_rng(seed)
    words = int(chance.integers(2, 9))
    scores, root = chance.random((words, words)), int(chance.integers(words))
    assert arborescence(scores, root).tolist() == by_networkx(scores, root).tolist()


def test_a_circle_is_broken_where_it_costs_least():
    # words 1 and 2 prefer each other; hanging 1 on the root loses 0.9 - 0.5, hanging 2 there 0.8 - 0.1
    scores = np.array([[0, 0, 0], [0.5, 0, 0.9], [0.1, 0.8, 0]])
    assert arborescence(scores, 0).tolist() == [ROOT, 0, 1]


def test_weights_of_nothing_still_make_a_tree():
    heads = arborescence(np.zeros((5, 5)), 3)
    assert heads[3] == ROOT
    assert all(head >= 0 for place, head in enumerate(heads) if place != 3)


TREES = (sentence([2, 0, 2, 3, 2], punctuation=[4]), sentence([0, 1, 2]))


def tree_batch(trees):
    size = max(map(len, trees)) + 1
    ids = torch.zeros(len(trees), size, dtype=torch.int64)
    words = torch.full_like(ids, -1)
    for row, tree in enumerate(trees):
        ids[row, : len(tree)], ids[row, len(tree)] = 5, 1
        words[row, : len(tree)] = torch.arange(len(tree))
    return single_batch(Side(ids, ids != 0, words >= 0, words, tuple(trees)), "encoder")


def induced(maps, trees=TREES):
    return table_of(InducedTrees(), maps, tree_batch(trees)).set_index(["head", "key"])


def planted(trees=TREES):
    """Head 1 looks from dependents at their heads, head 2 from heads at their dependents, head 3 at the next word."""
    size = max(map(len, trees)) + 1
    maps = torch.full((len(trees), 3, size, size), 0.01)
    for row, tree in enumerate(trees):
        for place, word in enumerate(tree.words):
            if word.head:
                maps[row, 0, place, word.head - 1] = 0.9
                maps[row, 1, word.head - 1, place] = 0.9
            maps[row, 2, place, place + 1] = 0.9
    return maps


def test_planted_trees_are_found_the_way_they_were_planted():
    table = induced(planted())
    assert table.loc[(1, "all/dependent-to-head"), "value"] == 1
    assert table.loc[(2, "all/head-to-dependent"), "value"] == 1
    assert table.loc[(1, "all/head-to-dependent"), "value"] < 1
    # roots do not count, and without punctuation the full stop does not
    assert table.loc[(1, "all/dependent-to-head"), "count"] == 4 + 2
    assert table.loc[(1, "all but punct/dependent-to-head"), "count"] == 3 + 2
    assert set(table.reset_index()["key"]) == set(KEYS)


def test_a_head_that_looks_at_the_next_word_is_right_branching():
    expected = baselines(TREES).set_index(["baseline", "key"])
    table = induced(planted())
    found = table.loc[(3, "all/dependent-to-head"), "value"]
    assert found == expected.loc[("right-branching", "all"), "value"]


def test_branching_by_hand():
    assert branching(4, 1, 1).tolist() == [1, ROOT, 3, 1]
    assert branching(4, 1, -1).tolist() == [1, ROOT, 1, 2]
    table = baselines([TREES[1]]).set_index(["baseline", "key"])["value"]
    assert table["left-branching", "all"] == 1  # each word hangs on the one before it
    # of two words one hangs on the root whatever its neighbours are: the last
    assert table["right-branching", "all"] == 0
    assert 0 < table["random", "all"] < 1


def test_noise_finds_no_more_than_random_trees():
    torch.manual_seed(1)
    chance = np.random.default_rng(1)
    trees = [
        sentence([0, *(int(chance.integers(1, place + 1)) for place in range(1, 12))]) for _ in range(60)
    ]
    table = induced(torch.rand(60, 4, 13, 13), trees)["value"]
    random = baselines(trees, draws=20).set_index(["baseline", "key"])["value"]["random", "all"]
    found = table.xs("all/dependent-to-head", level="key")
    assert found.to_numpy() == pytest.approx(random, abs=0.05)


def test_what_hangs_on_nothing_has_no_tree():
    statistic = InducedTrees()
    with pytest.raises(InputError, match="'w1' of 'w0 w1' has no head; parse the text"):
        statistic.start(tree_batch([Sentence([Word("w0", head=0, deprel="root"), Word("w1")])]))
