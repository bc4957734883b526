"""Senses by nearest centroid, the semantic probe, joined sentences, projections: by hand and on planted vectors."""

import numpy as np
import pytest
import torch
from sklearn.neighbors import NearestCentroid

from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word
from headwork.representations.geometry.concatenation import cosines, joined, meetings, ratio
from headwork.representations.geometry.senses import (
    Occurrence,
    ambiguous,
    centroids,
    most_frequent,
    nearest,
    occurrences,
    score,
)
from headwork.representations.probes.semantic import groups, loss, random_matrix, train
from headwork.representations.projections.vectors import project
from headwork.settings.representations import Projection, SemanticProbe


def word(form, sense=None, upos="NOUN"):
    return Word(form, lemma=form, upos=upos, misc={"Sense": sense} if sense else {})


def occurrence(lemma, sense, other=()):
    own = Sentence([word("a"), word(lemma, sense), word(".", upos="PUNCT")])
    return Occurrence(own, 1, f"{lemma}/NOUN", (sense, *other))


def planted(number, seed=0, size=12):
    """Six lemmas of two senses, which one direction tells apart, beside much that has nothing to do with them."""
    chance = np.random.default_rng(seed)
    of_lemma = np.random.default_rng(99).normal(size=(6, size))
    found, vectors = [], []
    for _ in range(number):
        lemma, sense = int(chance.integers(6)), int(chance.random() < 0.4)
        vector = 3 * of_lemma[lemma] + 2 * chance.normal(size=size)
        vector[0] = (2 * sense - 1) + 0.4 * chance.normal()
        found.append(occurrence(f"w{lemma}", f"w{lemma}%{sense}"))
        vectors.append(vector)
    return found, np.array(vectors, dtype=np.float32)


def f1(found, vectors, known, matrix=None):
    means = centroids(known[0], known[1] if matrix is None else known[1] @ matrix.T)
    return score(found, nearest(found, vectors if matrix is None else vectors @ matrix.T, means)).f1


def test_annotated_words_of_sentences():
    own = Sentence([word("the"), word("Bank", "bank%1"), word("bank", "bank%2;bank%3", "VERB")])
    one, other = occurrences([own])
    assert (one.place, one.lemma, one.sense) == (1, "bank/NOUN", "bank%1")
    assert (other.place, other.lemma, other.senses) == (2, "bank/VERB", ("bank%2", "bank%3"))
    # a noun and a verb of two senses each are no lemma of four
    assert ambiguous([one, other], at_least=1) == set()
    assert ambiguous([one, occurrence("bank", "bank%9")], at_least=1) == {"bank/NOUN"}
    assert ambiguous([one, occurrence("bank", "bank%9")]) == set()


def test_most_frequent_senses_and_scores_by_hand():
    text = [occurrence("a", "a%2"), occurrence("a", "a%1"), occurrence("a", "a%2"), occurrence("b", "b%1")]
    assert most_frequent(text) == {"a/NOUN": "a%2", "b/NOUN": "b%1"}
    asked = [
        occurrence("a", "a%2"),
        occurrence("a", "a%1"),
        occurrence("b", "b%9", ("b%1",)),
        occurrence("c", "c%1"),
    ]
    found = score(asked, ["a%2", "a%2", "b%1", None])
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == pytest.approx(2 / 4)
    assert found.f1 == pytest.approx(2 * (2 / 3) * 0.5 / (2 / 3 + 0.5))
    assert (found.right, found.n) == (2, 4)
    assert score([], []).f1 == 0


def test_nearest_centroids_are_those_of_scikit_learn():
    known, asked = planted(400), planted(200, seed=1)
    for lemma in {each.lemma for each in known[0]}:
        rows, other = (np.flatnonzero([each.lemma == lemma for each in part[0]]) for part in (known, asked))
        theirs = NearestCentroid().fit(known[1][rows], [known[0][row].sense for row in rows])
        own = [asked[0][row] for row in other]
        ours = nearest(own, asked[1][other], centroids(known[0], known[1]), metric="l2")
        assert ours == theirs.predict(asked[1][other]).tolist()
    assert nearest([occurrence("new", "new%1")], np.ones((1, 12), np.float32), centroids(*known)) == [None]


def test_the_semantic_probe_finds_a_planted_direction():
    known, asked = planted(600), planted(300, seed=1)
    settings = SemanticProbe(rate=0.02, steps=150, clamp=0.5)
    before = f1(*asked, known)
    for k in (12, 3):
        matrix = train(*known, k, settings)
        assert matrix.shape == (k, 12)
        assert f1(*asked, known, matrix) > max(before, f1(*asked, known, random_matrix(k, 12))) + 0.02
    assert np.array_equal(train(*known, 3, settings), train(*known, 3, settings))


def test_the_semantic_probe_learns_nothing_from_shuffled_senses():
    found, vectors = planted(600)
    order = np.random.default_rng(0).permutation(len(found))
    shuffled = [
        occurrence(each.lemma.split("/")[0], f"{each.lemma.split('/')[0]}%{found[other].sense[-1]}")
        for each, other in zip(found, order, strict=True)
    ]
    matrix = train(shuffled, vectors, 3, SemanticProbe(rate=0.02, steps=150, clamp=0.5))
    wrong = planted(300, seed=1)
    right = f1(
        *wrong, (found, vectors), train(found, vectors, 3, SemanticProbe(rate=0.02, steps=150, clamp=0.5))
    )
    assert f1(*wrong, (shuffled, vectors), matrix) < right - 0.2


@pytest.mark.parametrize("settings", [{"contexts": 1}, {"at_least": 1}])
def test_contexts_without_pairs_teach_nothing(settings):
    found = [occurrence("bank", f"bank%{sense}") for sense in (1, 2)]
    if "contexts" in settings:
        found *= 2
    with pytest.raises(InputError, match="no two contexts are of the same sense"):
        train(found, np.eye(len(found), dtype=np.float32), 2, SemanticProbe(**settings))


def test_the_loss_is_that_of_the_equation():
    found = [occurrence("a", f"a%{n % 2}") for n in range(5)] + [occurrence("b", "b%0")] * 3
    vectors = np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32)
    contexts = groups(found, vectors, SemanticProbe())
    assert contexts.vectors.shape == (1, 5, 4)  # b has one sense
    matrix = torch.from_numpy(random_matrix(3, 4))
    points = vectors[:5] @ matrix.numpy().T
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    same, different = [], []
    for i in range(5):
        for j in range(i):
            (same if i % 2 == j % 2 else different).append(float(points[i] @ points[j]))
    around = (0.1, -0.2)
    expected = np.mean(np.clip(different, -0.3, -0.1)) - np.mean(np.clip(same, 0, 0.2))
    assert loss(matrix, contexts, around, 0.1).item() == pytest.approx(expected, abs=1e-5)
    with pytest.raises(InputError, match="no lemma has two senses that are seen 9 times"):
        groups(found, vectors, SemanticProbe(at_least=9))


def test_sentences_are_joined_without_the_stop_between_them():
    one = Sentence([word("ants"), word("sleep"), word(".", upos="PUNCT")])
    both, second = joined(one, Sentence([word("bees"), word("fly"), word(".", upos="PUNCT")]))
    assert both.forms == ["ants", "sleep", "and", "bees", "fly", "."]
    assert both.forms[second] == "bees"


def test_meetings_are_of_one_lemma_in_two_senses():
    found, vectors = planted(80)
    known = centroids(found, vectors)
    met = meetings(found, known, 20)
    assert len(met) == 40
    for one in met:
        lemma = one.word.lemma.split("/")[0]
        assert one.other != one.word.sense
        assert one.joined.sentence.forms.count(lemma) == 2
        assert one.at_random.sentence.forms.count(lemma) == 1
        assert {
            one.joined.sentence.forms[one.joined.place],
            one.at_random.sentence.forms[one.at_random.place],
        } == {lemma}
    assert [one.word.place for one in meetings(found, known, 20)] == [one.word.place for one in met]
    assert meetings([each for each in found if each.sense.endswith("0")], known, 5) == []


def test_a_pair_is_taken_in_one_order_only():
    found = [occurrence("x", "x%0"), occurrence("x", "x%1")]
    known = centroids(found, np.eye(2, dtype=np.float32))
    met = meetings([*found, occurrence("y", "y%0")], known, 5)
    assert sorted(one.word.sense for one in met) == ["x%0", "x%1"]


def test_ratios_by_hand():
    found = [occurrence("x", "x%0"), occurrence("x", "x%1")]
    known = centroids(found, np.array([[1.0, 0], [0, 1]], dtype=np.float32))
    met = meetings([*found, occurrence("y", "y%0")], known, 1)
    vectors = np.array([[4, 3] if one.word.sense == "x%0" else [1, 0] for one in met], dtype=np.float32)
    found = cosines(met, vectors, known)
    expected = [[0.8, 0.6] if one.word.sense == "x%0" else [0, 1] for one in met]
    assert found == pytest.approx(np.array(expected))
    alone = np.array([[1.0, 0.5]] * 2)
    result = ratio(found, alone, found[:, ::-1])
    assert result.ratio == pytest.approx((0.8 + 0) / (0.6 + 1))
    assert (result.misclassified, result.lost, result.won, result.n) == (0.5, 0.5, 0, 2)
    assert (result.lost_beside_random, result.won_beside_random) == (0.5, 0.5)
    assert np.isnan(ratio(found[:0], alone[:0], alone[:0]).ratio)


# numba compiles UMAP for most of a minute
@pytest.mark.parametrize("method", [pytest.param("umap", marks=pytest.mark.long), "tsne"])
def test_projections_keep_groups_apart_and_are_the_same_again(method):
    chance = np.random.default_rng(0)
    vectors = np.concatenate(
        [chance.normal(size=(30, 8)) + 8 * shift for shift in (np.eye(8)[0], np.eye(8)[1])]
    )
    settings = Projection(method=method, neighbours=8, metric="euclidean")
    points = project(vectors, settings)
    assert points.shape == (60, 2)
    assert np.array_equal(points, project(vectors, settings))
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    assert np.mean((distances.argmin(1) < 30) == (np.arange(60) < 30)) > 0.95


def test_bad_settings_of_projections():
    with pytest.raises(InputError, match="3 vectors; give four or more"):
        project(np.zeros((3, 2)))
