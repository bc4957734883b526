"""Readers of the tables of probes for trees and senses (see `headwork.papers.tables.readers`)."""

from pathlib import Path

import pandas as pd

from headwork.papers.tables.readers import csv_table

MAKER = "the representations phase"


def read_attention(path: str | Path) -> pd.DataFrame:
    """Accuracy of every attention probe: task, split, features, accuracy, sd, labels, n."""
    return csv_table(path, ("task", "split", "features", "accuracy", "sd", "labels", "n"), MAKER)


def read_relations(path: str | Path) -> pd.DataFrame:
    """Scores of the attention probe by relation: relation, precision, recall, predicted, n."""
    return csv_table(path, ("relation", "precision", "recall", "predicted", "n"), MAKER)


def read_structural(path: str | Path) -> pd.DataFrame:
    """Scores of structural probes by layer: probe, layer, uuas, spearman, arcs, sentences."""
    return csv_table(path, ("probe", "layer", "uuas", "spearman", "arcs", "sentences"), MAKER)


def read_edges(path: str | Path) -> pd.DataFrame:
    """Squared length of the arcs of each relation: relation, mean, sd, n."""
    return csv_table(path, ("relation", "mean", "sd", "n"), MAKER)


def read_embeddings(path: str | Path) -> pd.DataFrame:
    """Agreement of embeddings with tree distances: embedding, spearman, error, sentences."""
    return csv_table(path, ("embedding", "spearman", "error", "sentences"), MAKER)


def read_senses(path: str | Path) -> pd.DataFrame:
    """Scores of word senses: system, layer, words, precision, recall, f1, right, n."""
    return csv_table(path, ("system", "layer", "words", "precision", "recall", "f1", "n"), MAKER)


def read_semantic(path: str | Path) -> pd.DataFrame:
    """The same after maps to few dimensions: dimension, matrix, words, f1, sd, n."""
    return csv_table(path, ("dimension", "matrix", "words", "f1", "sd", "n"), MAKER)


def read_concatenation(path: str | Path) -> pd.DataFrame:
    """Words alone and in joined sentences: layer, vectors, kind, own, other, ratio, misclassified, n."""
    numbers = ("own", "other", "ratio", "misclassified", "lost", "won", "n")
    beside = ("lost_beside_random", "won_beside_random")
    return csv_table(path, ("layer", "vectors", "kind", *numbers, *beside), MAKER)


def read_contexts(path: str | Path) -> pd.DataFrame:
    """2-D projection of the contexts of one word: word, sense, layer, x, y, text."""
    return csv_table(path, ("word", "sense", "layer", "x", "y", "text"), MAKER, keep_default_na=False)
