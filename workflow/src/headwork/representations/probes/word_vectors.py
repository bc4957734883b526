"""Word vectors that know nothing of context: GloVe's where they lie on disk, else trained on the text at hand.

Levy and Goldberg (2014, section 3.3 and 5): the shifted positive pointwise mutual information of words and the words
around them,

    M[w, c] = max(0, ln(#(w, c) · D / (#w · #c)) - ln k)        with #c smoothed to #c^0.75 (Levy et al. 2015)

and of its truncated singular value decomposition M ≈ U Σ Vᵀ the rows of U √Σ. Words are lower-cased.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from scipy import sparse
from sklearn.utils.extmath import randomized_svd
from torch import Tensor

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.settings.base import require
from headwork.settings.representations import WordVectorSettings


@dataclass(frozen=True)
class WordVectors:
    """A vector for each known word; row 0 of `table`, all zero, is for every other."""

    index: Mapping[str, int]
    table: Float[Tensor, "row size"]

    @property
    def size(self) -> int:
        """The vectors' length."""
        return self.table.shape[1]

    def of(self, words: Sequence[str]) -> Float[Tensor, "word size"]:
        """The vectors of these words, whatever their case."""
        return self.table[[self.index.get(word.lower(), 0) for word in words]]


def train_vectors(
    sentences: Iterable[Sequence[str]], settings: WordVectorSettings | None = None
) -> WordVectors:
    """Vectors of the words of these sentences; the same text and seed give the same vectors.

    Raises InputError if the text has fewer frequent words than a vector has numbers.
    """
    settings = settings or WordVectorSettings()
    text = [[word.lower() for word in sentence] for sentence in sentences]
    counts = Counter(word for sentence in text for word in sentence)
    known = sorted(word for word, count in counts.items() if count >= settings.min_count)
    require(
        len(known) > settings.size,
        f"word vectors: the text has {len(known)} words that stand there {settings.min_count} times or more; "
        f"that is too few for vectors of {settings.size} numbers: give more text, or lower `size`",
    )
    index = {word: number for number, word in enumerate(known, start=1)}
    ids = [np.array([index.get(word, 0) for word in sentence], dtype=np.int64) for sentence in text]
    association = ppmi(_together(ids, len(known), settings.window), settings.shift, settings.smoothing)
    left, strengths, _ = randomized_svd(association, settings.size, random_state=settings.seed)
    vectors = np.vstack([np.zeros(settings.size), left * np.sqrt(strengths)])
    return WordVectors(index, torch.from_numpy(vectors).float())


def _together(ids: Sequence[np.ndarray], words: int, window: int) -> sparse.csr_array:
    """How often two words (numbers from 1) stand within the window of each other: a symmetric matrix."""
    gap = np.zeros(window, dtype=np.int64)  # no window reaches from one sentence into the next
    flat = np.concatenate([part for sentence in ids for part in (sentence, gap)])
    counts = sparse.csr_array((words, words), dtype=np.float64)
    for distance in range(1, window + 1):
        word, other = flat[:-distance], flat[distance:]
        both = (word > 0) & (other > 0)
        pairs = (np.ones(both.sum()), (word[both] - 1, other[both] - 1))
        counts += sparse.coo_array(pairs, shape=(words, words)).tocsr()
    return (counts + counts.T).tocsr()


def ppmi(counts: sparse.csr_array, shift: int | float = 1, smoothing: int | float = 0.75) -> sparse.csr_array:
    """Shifted positive pointwise mutual information of rows (words) and columns (contexts)."""
    found = counts.tocoo()
    context = counts.sum(axis=0) ** smoothing
    share = context / context.sum()
    row, column = found.coords
    values = np.log(found.data / (counts.sum(axis=1)[row] * share[column])) - np.log(shift)
    positive = values > 0
    return sparse.coo_array((values[positive], (row[positive], column[positive])), shape=counts.shape).tocsr()


def read_vectors(path: str | Path, words: Iterable[str] | None = None) -> WordVectors:
    """Vectors from a text file as GloVe's: a word a line and its numbers, with spaces between them.

    `words`, if given, are those that are wanted: others are not kept. Raises InputError for a line whose numbers are no
    numbers or not as many as the first line's.
    """
    wanted = None if words is None else {word.lower() for word in words}
    index: dict[str, int] = {}
    vectors: list[np.ndarray] = []
    size = None
    for number, text in lines(Path(path)):
        # some words of GloVe's 840B have spaces in them, but none ends in a number after one
        word, *columns = text.rstrip().rsplit(" ", size or -1)
        size = size or len(columns)
        if len(columns) != size or re.search(r" -?\d\S*$", word):
            found = text.rstrip().count(" ")
            other = f"{found} numbers after the word, but {size} in the first line; get the file again"
            raise InputError.at(path, other, number)
        if word in index or (wanted is not None and word not in wanted):
            continue
        try:
            vectors.append(np.array(columns, dtype=np.float32))
        except ValueError:
            strange = f"what follows {word!r} are not numbers; is this a GloVe file?"
            raise InputError.at(path, strange, number) from None
        index[word] = len(vectors)
    table = np.vstack([np.zeros((1, size or 0), dtype=np.float32), *vectors])
    return WordVectors(index, torch.from_numpy(table))
