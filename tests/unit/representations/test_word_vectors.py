"""Vectors bring words together that stand among the same words; files of vectors are read or refused."""

import gzip

import numpy as np
import pytest
import torch

from headwork.errors import InputError
from headwork.representations.probes.word_vectors import _together, ppmi, read_vectors, train_vectors
from headwork.settings.representations import WordVectorSettings

SMALL = WordVectorSettings(size=4, window=2, min_count=1)


def two_topics(sentences=400):
    """Animals with animals, tools with tools."""
    chance = np.random.default_rng(0)
    topics = [["cat", "dog", "cow", "Horse"], ["saw", "file", "drill", "rasp"]]
    return [chance.choice(topics[number % 2], 6).tolist() for number in range(sentences)]


def test_words_of_one_topic_are_nearer():
    vectors = train_vectors(two_topics(), SMALL)
    table = torch.nn.functional.normalize(
        vectors.of(["cat", "dog", "cow", "horse", "saw", "file", "drill", "rasp"])
    )
    near = table @ table.T
    assert near[:4, :4].min() > near[:4, 4:].max() + 0.5
    assert near[4:, 4:].min() > near[4:, :4].max() + 0.5


def test_co_occurrence_equals_a_plain_loop():
    chance = np.random.default_rng(1)
    ids = [chance.integers(0, 6, size) for size in (5, 1, 9, 0, 4)]  # 0: a rare word
    expected = np.zeros((5, 5))
    for sentence in ids:
        for one, word in enumerate(sentence):
            for other, context in enumerate(sentence):
                if one != other and abs(one - other) <= 3 and word and context:
                    expected[word - 1, context - 1] += 1
    np.testing.assert_array_equal(_together(ids, 5, 3).toarray(), expected)


def test_vectors_are_those_of_numpys_decomposition():
    text = two_topics(60)
    vectors = train_vectors(text, SMALL)
    known = sorted({word.lower() for sentence in text for word in sentence})
    ids = [np.array([known.index(word.lower()) + 1 for word in sentence]) for sentence in text]
    full = ppmi(_together(ids, len(known), 2)).toarray()
    left, strengths, _ = np.linalg.svd(full)
    rows = vectors.of(known).numpy()
    # the inner products of the rows of U √Σ, whatever their signs
    np.testing.assert_allclose(rows @ rows.T, (left[:, :4] * strengths[:4]) @ left[:, :4].T, atol=1e-4)


def test_unknown_words_have_no_vector_and_case_does_not_matter():
    vectors = train_vectors(two_topics(), SMALL)
    rows = vectors.of(["CAT", "cat", "zebra"])
    assert torch.equal(rows[0], rows[1])
    assert rows[0].any()
    assert not rows[2].any()
    assert vectors.size == 4


def test_rare_words_have_no_vector():
    text = [*two_topics(), ["zebra", "cat"]]
    vectors = train_vectors(text, WordVectorSettings(size=4, window=2, min_count=2))
    assert "zebra" not in vectors.index


def test_too_little_text():
    with pytest.raises(InputError, match=r"the text has 2 words .* too few for vectors of 4 numbers"):
        train_vectors([["a", "b"]], SMALL)


@pytest.fixture
def glove(tmp_path):
    path = tmp_path / "vectors.txt.gz"
    path.write_bytes(gzip.compress(b"the 1 2 3\ncat 0.5 -1 2e-1\nsat 0 0 1\n"))
    return path


def test_vectors_of_a_file(glove):
    vectors = read_vectors(glove)
    torch.testing.assert_close(vectors.of(["Cat", "dog"]), torch.tensor([[0.5, -1, 0.2], [0, 0, 0]]))
    assert list(read_vectors(glove, ["SAT", "dog"]).index) == ["sat"]


def test_words_with_spaces_in_them(tmp_path):
    (tmp_path / "vectors.txt").write_text("the 1 2\n. . . 3 4\nat name@domain.com 5 6\n")
    vectors = read_vectors(tmp_path / "vectors.txt")
    assert vectors.of([". . .", "at name@domain.com"]).tolist() == [[3, 4], [5, 6]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("the 1 2\ncat 1\n", "vectors.txt:2: 1 numbers after the word, but 2 in the first line"),
        ("400000 3\nthe 1 2 -3\n", "vectors.txt:2: 3 numbers after the word, but 1 in the first line"),
        ("the 1 2\ncat one two\n", "vectors.txt:2: what follows 'cat' are not numbers"),
    ],
)
def test_files_that_are_no_vectors(tmp_path, text, message):
    path = tmp_path / "vectors.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_vectors(path)
