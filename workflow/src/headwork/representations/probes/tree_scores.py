"""Scores of predicted distances and depths against dependency trees (Hewitt and Manning 2019, section 3.2).

    UUAS    share of the arcs that are in the minimum spanning tree of the distances; punctuation is left out
    DSpr    Spearman's correlation of each word's predicted and gold distances to all words of its sentence
    root    share of sentences whose least deep word is the root; punctuation is left out
    NSpr    Spearman's correlation of the predicted and gold depths of a sentence's words

Correlations are averaged over a sentence, over the sentences of one length, then over lengths 5 to 50, punctuation
included. As in the released code, a word's distance to itself counts. Only arcs between two words that are no
punctuation are scored; the released code also scores those that its spanning-tree routine adds where punctuation
governs a word.
"""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.stats import rankdata

from headwork.parses.conllu import Sentence
from headwork.parses.scores import main_label

SHORTEST, LONGEST = 5, 50  # lengths of the sentences whose correlations count, as published
NEVER_ZERO = 1e-6  # scipy takes smaller distances in a full matrix for arcs that are not there

Matrices = Sequence[np.ndarray]
"""One of each sentence: distances (word, word), or depths (word)."""
PerSentence = Float[np.ndarray, " sentence"]


def real_words(sentence: Sentence) -> list[int]:
    """The places from 0 of the words that are no punctuation."""
    return [place for place, word in enumerate(sentence.words) if main_label(word.deprel) != "punct"]


def arcs(sentence: Sentence) -> list[tuple[int, int, str]]:
    """(dependent, head, relation), places from 0, of all arcs between two words that are no punctuation."""
    words, real = sentence.words, set(real_words(sentence))
    return [
        (place, words[place].head - 1, words[place].deprel)
        for place in sorted(real)
        if words[place].head and words[place].head - 1 in real
    ]


def spanning_tree(distances: Float[np.ndarray, "word word"], sentence: Sentence) -> set[frozenset[int]]:
    """The undirected arcs of the minimum spanning tree of the words that are no punctuation, places from 0."""
    real = real_words(sentence)
    tree = minimum_spanning_tree(np.maximum(distances[np.ix_(real, real)], NEVER_ZERO)).tocoo()
    return {frozenset((real[one], real[other])) for one, other in zip(tree.row, tree.col, strict=True)}


def found_arcs(found: Matrices, sentences: Sequence[Sentence]) -> Int[np.ndarray, "sentence 2"]:
    """For each sentence the number of arcs that are in its spanning tree, and of all."""
    rows = []
    for distances, sentence in zip(found, sentences, strict=True):
        gold = [frozenset(arc[:2]) for arc in arcs(sentence)]
        tree = spanning_tree(distances, sentence) if gold else set()
        rows.append((sum(arc in tree for arc in gold), len(gold)))
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def uuas(found: Matrices, sentences: Sequence[Sentence]) -> tuple[float, int]:
    """Undirected unlabelled attachment score: the share of arcs that are in the spanning trees, and their number."""
    hits, count = found_arcs(found, sentences).sum(0).tolist()
    return hits / count if count else 0.0, count


def correlations(found: Matrices, gold: Matrices) -> PerSentence:
    """Spearman's, of each sentence: of distances the mean over its words, of depths one value."""
    values = []
    for ours, theirs in zip(found, gold, strict=True):
        one, other = (rankdata(part, axis=-1) - (part.shape[-1] + 1) / 2 for part in (ours, theirs))
        scale = np.sqrt(np.square(one).sum(-1) * np.square(other).sum(-1))
        of_rows = np.divide((one * other).sum(-1), scale, out=np.zeros(scale.shape), where=scale > 0)
        values.append(float(of_rows.mean()))
    return np.array(values)


def mean_of_lengths(values: PerSentence, lengths: Int[np.ndarray, " sentence"]) -> float:
    """The mean over the sentences of each length, then over lengths 5 to 50; NaN without such a sentence."""
    fit = (lengths >= SHORTEST) & (lengths <= LONGEST)
    counts = np.bincount(lengths[fit])
    sums = np.bincount(lengths[fit], values[fit])
    return float((sums[counts > 0] / counts[counts > 0]).mean()) if fit.any() else float("nan")


def rank_correlation(found: Matrices, gold: Matrices) -> float:
    """DSpr of distances, NSpr of depths."""
    return mean_of_lengths(correlations(found, gold), np.array([each.shape[-1] for each in gold]))


def found_roots(depths: Matrices, sentences: Sequence[Sentence]) -> Bool[np.ndarray, " sentence"]:
    """Whether each sentence's least deep word that is no punctuation is the root; of equal ones the first counts."""
    found = []
    for own, sentence in zip(depths, sentences, strict=True):
        real = real_words(sentence)
        found.append(bool(real) and sentence.words[real[int(np.argmin(own[real]))]].head == 0)
    return np.array(found)


def resampled(
    statistic: Callable[[Int[np.ndarray, " sentence"]], float], sentences: int, draws: int, seed: int
) -> tuple[float, float]:
    """The 95 % interval of a statistic of the numbers of sentences, by bootstrap over sentences."""
    chance = np.random.default_rng(seed)
    values = [statistic(chance.integers(sentences, size=sentences)) for _ in range(draws)]
    low, high = np.nanpercentile(values, [2.5, 97.5]) if np.isfinite(values).any() else (np.nan, np.nan)
    return float(low), float(high)
