"""Attribution trees: a planted one is found, every token has one parent, and the threshold prunes."""

import numpy as np
import pytest

from headwork.relevance.attributions.trees import CLS, Edge, attribution_tree, random_edges
from headwork.settings.relevance import TreeSettings


def planted():
    """[CLS] <- 3 in layer 3; 3 <- 1 and 5 in layer 2; 5 <- 4 in layer 1; also edges that come too early or too late."""
    layers = np.zeros((3, 6, 6))
    layers[2, CLS, 3] = 1.0
    layers[1, 3, 1], layers[1, 3, 5], layers[1, 5, 2] = 1.0, 0.8, 0.9
    layers[0, 5, 4], layers[0, 2, 4], layers[0, 1, 5], layers[0, 3, 1] = 0.6, 1.0, 0.7, 0.9
    return layers


def test_a_planted_tree_is_found():
    tree = attribution_tree(planted())
    assert [edge[:3] for edge in tree.edges] == [(3, 0, 3), (2, 3, 1), (2, 3, 5), (1, 5, 4)]
    assert [edge.score for edge in tree.edges[1:]] == pytest.approx([1.0, 0.8, 0.6])
    assert tree.nodes() == [0, 3, 1, 5, 4]
    assert tree.distances() == {2: [2, 2], 1: [1]}


def test_the_score_of_the_roots_edge_is_a_share_of_what_cls_reads():
    layers = planted()
    layers[2, CLS, 1], layers[2, CLS, CLS] = 2.0, 8.0
    assert attribution_tree(layers).edges[0] == Edge(3, CLS, 3, 0.5)
    # other rows of the last layer have no say, and the rest of the tree stays
    layers[2, 2, 3] = 4.0
    assert attribution_tree(layers).edges[0] == Edge(3, CLS, 3, 0.5)
    assert attribution_tree(layers).edges[1:] == attribution_tree(planted()).edges[1:]
    layers[2, CLS] = -1.0
    assert attribution_tree(layers).edges[0].score == 0


def random_layers(seed):
    return np.random.default_rng(seed).normal(size=(4, 12, 12)) ** 3


@pytest.mark.parametrize("seed", range(5))
def test_every_token_has_one_parent_and_it_is_above(seed):
    tree = attribution_tree(random_layers(seed), TreeSettings(threshold=0.2))
    read = [edge.read for edge in tree.edges]
    assert len(set(read)) == len(read)
    assert CLS not in read
    entered = {CLS: 5, **{edge.read: edge.layer for edge in tree.edges}}
    assert all(entered[edge.reader] > edge.layer for edge in tree.edges)


def test_a_higher_threshold_has_fewer_edges():
    sizes = [
        len(attribution_tree(random_layers(1), TreeSettings(threshold=t)).edges)
        for t in (0.0, 0.1, 0.3, 0.6, 0.95)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_the_order_of_equal_edges_is_that_of_their_places():
    layers = np.zeros((2, 5, 5))
    layers[0, 2, [1, 3]] = layers[0, 2, 4] = 1.0
    assert [edge.read for edge in attribution_tree(layers).edges] == [2, 1, 3, 4]


def test_attributions_of_nothing_and_below_zero():
    tree = attribution_tree(np.zeros((3, 4, 4)))
    assert len(tree.edges) == 1
    assert len(attribution_tree(-np.ones((3, 4, 4))).edges) == 1


def test_random_edges_are_as_many_in_each_layer():
    tree = attribution_tree(planted())
    found = random_edges(tree, 6, np.random.default_rng(0))
    count = lambda edges: sorted(edge.layer for edge in edges)  # noqa: E731
    assert count(found) == count(tree.edges)
    assert len({edge[:3] for edge in found}) == len(found)
    assert all(edge.reader != edge.read for edge in found)
