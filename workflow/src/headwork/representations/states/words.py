"""The states of words, and of whole sentences, from those of tokens in `states.hidden_states`."""

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from headwork.representations.states.hidden_states import States
from headwork.settings.representations import FromPieces


def sentences_in(states: States) -> Int[np.ndarray, " sentence"]:
    """The numbers of the lines that the model had positions for, in order."""
    return states.index["sentence"].unique().astype(np.int64)


def word_vectors(
    states: States, layer: int, from_pieces: FromPieces = "mean"
) -> Float[np.ndarray, "word width"]:
    """The vectors of all words of all sentences, in order: the mean of a word's pieces, or the first or last of them.

    Special tokens belong to no word.
    """
    real, starts = _words(states)
    if from_pieces == "first":
        return states.layer(layer, real[starts])
    if from_pieces == "last":
        return states.layer(layer, real[np.append(starts[1:], len(real)) - 1])
    return _means(states.layer(layer, real), starts)


def word_embeddings(
    states: States, table: Float[np.ndarray, "piece width"]
) -> Float[np.ndarray, "word width"]:
    """The vectors of all words without context and position: the mean of their pieces' rows of the embedding table."""
    real, starts = _words(states)
    return _means(table[states.index["piece"].to_numpy()[real]], starts)


def split_by_sentence(
    states: States, vectors: Float[np.ndarray, "_ width"]
) -> list[Float[np.ndarray, "_ width"]]:
    """The vectors of all words, one array for each sentence."""
    real, starts = _words(states)
    of = states.index["sentence"].to_numpy()[real[starts]]
    return np.split(vectors, np.flatnonzero(np.diff(of)) + 1)


def _words(states: States) -> tuple[Int[np.ndarray, " token"], Int[np.ndarray, " word"]]:
    """The rows of the index that belong to words, and where among them each word begins."""
    index = states.index
    real = np.flatnonzero(index["word"] >= 0)
    places = index[["sentence", "word"]].to_numpy()[real]
    return real, np.flatnonzero((np.diff(places, axis=0, prepend=-1) != 0).any(axis=1))


def _means(
    tokens: Float[np.ndarray, "token width"], starts: Int[np.ndarray, " word"]
) -> Float[np.ndarray, "word width"]:
    sums = np.add.reduceat(tokens, starts, axis=0)
    return sums / np.diff(starts, append=len(tokens))[:, None].astype(np.float32)


def by_sentence(states: States, layer: int) -> list[Float[Tensor, "_ width"]]:
    """The vectors of all pieces, special ones included, a tensor a sentence."""
    lengths = states.index.groupby("sentence", sort=False).size()
    return list(torch.from_numpy(states.layer(layer)).split(lengths.tolist()))
