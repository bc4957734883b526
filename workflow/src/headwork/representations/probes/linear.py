"""Linear classifiers on pairs of words, and the controls they must be compared with (Coenen et al. 2019, section 3).

Logistic regressions (for relations one against the rest) with an L2 penalty, trained by stochastic gradient descent on
standardised features. The paper does not give the penalty's weight: it is chosen on a fifth of the training part.

attention          A[i, j] of every head, as published
both-directions    A[i, j] and A[j, i]
distance           no attention: how far the second word stands from the first
random-labels      attention, and a label drawn for each pair of word forms (Hewitt and Liang 2019): what the probe can
                   learn by heart
majority           no probe: the most frequent label
"""

from collections.abc import Callable
from numbers import Real
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import precision_recall_fscore_support
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from headwork.representations.probes.attention import NONE, Pairs
from headwork.settings.base import require
from headwork.settings.representations import PairProbe

Features = Float[np.ndarray, "pair feature"]
Rows = Int[np.ndarray, " row"]

SPLITS = ("sentence", "pair")
TASKS = ("exists", "relation")
CONTROL = "random-labels"
VALIDATION = 0.2


class Task(NamedTuple):
    """The pairs that a task is about, and the label of each."""

    rows: Rows
    labels: np.ndarray


def task(pairs: Pairs, name: str, min_count: int, seed: int = 0) -> Task:
    """``exists``: as many pairs with an arc as without; ``relation``: pairs with an arc, as they are distributed.

    Raises InputError if there are not two labels.
    """
    linked = pairs.relations != NONE
    if name == "exists":
        with_arc, without = np.flatnonzero(linked), np.flatnonzero(~linked)
        size = min(len(with_arc), len(without))
        chance = np.random.default_rng(seed)
        rows = np.sort(np.concatenate([chance.permutation(part)[:size] for part in (with_arc, without)]))
        labels = linked[rows].astype(str)
    else:
        names, counts = np.unique(pairs.relations[linked], return_counts=True)
        rows = np.flatnonzero(np.isin(pairs.relations, names[counts >= min_count]))
        labels = pairs.relations[rows]
    require(
        len(np.unique(labels)) > 1,
        f"attention probe: the {len(set(pairs.sentences))} sentences have no two labels of {min_count} pairs each to "
        f"tell apart ({name}); give more trees, or lower `min_count`",
    )
    return Task(rows, labels)


def distances(offsets: Int[np.ndarray, " pair"], window: int) -> Features:
    """One column for each distance from -window to window; what is farther counts as that far."""
    places = np.clip(offsets, -window, window) + window
    return np.eye(2 * window + 1, dtype=np.float32)[places]


def random_labels(labels: np.ndarray, kinds: Int[np.ndarray, " pair"], seed: int = 0) -> np.ndarray:
    """A label for each kind, drawn as often as labels are: equal kinds have equal labels."""
    _, kind = np.unique(kinds, return_inverse=True)
    return np.random.default_rng(seed).choice(labels, kind.max() + 1)[kind]


def split(groups: np.ndarray, by: str, test_share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to train on and to score on: whole groups (sentences), or single pairs, as published.

    Pairs of one sentence share words and weights, so a split by pairs lets the probe see what it is scored on.
    """
    if by == "sentence":
        splits = GroupShuffleSplit(1, test_size=test_share, random_state=seed).split(groups, groups=groups)
    else:
        splits = ShuffleSplit(1, test_size=test_share, random_state=seed).split(groups)
    return next(splits)


def classifier(alpha: Real, epochs: int, seed: int) -> Pipeline:
    """Standardised features into a logistic regression that is trained by averaged stochastic gradient descent.

    To save memory features are standardised in place: give it an array that is not needed afterwards.
    """
    descent = {"max_iter": epochs, "tol": None, "average": True, "random_state": seed}
    regression = SGDClassifier(loss="log_loss", penalty="l2", alpha=alpha, **descent)
    return make_pipeline(StandardScaler(copy=False), regression)


def best_alpha(
    features: Features, labels: np.ndarray, groups: np.ndarray, by: str, settings: PairProbe
) -> Real:
    """The penalty under which a probe trained on most of these rows does best on the rest of them."""
    if len(settings.alphas) == 1:
        return settings.alphas[0]
    fit, held = split(groups, by, VALIDATION, seed=0)
    fitted = (
        classifier(each, settings.epochs, 0).fit(features[fit], labels[fit]) for each in settings.alphas
    )
    scores = [probe.score(features[held], labels[held]) for probe in fitted]
    return settings.alphas[int(np.argmax(scores))]


class Scored(NamedTuple):
    """Accuracies of a probe, one a seed; and the labels and predictions of the first seed."""

    accuracies: list[float]
    majority: float
    n: int
    gold: np.ndarray
    predicted: np.ndarray


def score(features: Features, labels: np.ndarray, groups: np.ndarray, by: str, settings: PairProbe) -> Scored:
    """Train and score a probe with every seed; the penalty is chosen on the first one's training part."""
    accuracies, alpha, first = [], None, None
    for seed in range(settings.seeds):
        fit, held = split(groups, by, settings.test_share, seed)
        if alpha is None:
            alpha = best_alpha(features[fit], labels[fit], groups[fit], by, settings)
        probe = classifier(alpha, settings.epochs, seed).fit(features[fit], labels[fit])
        predicted = probe.predict(features[held])
        accuracies.append(float((predicted == labels[held]).mean()))
        if first is None:
            names, counts = np.unique(labels[fit], return_counts=True)
            majority = float((labels[held] == names[counts.argmax()]).mean())
            first = (majority, len(held), labels[held], predicted)
    return Scored(accuracies, *first)


def probe_pairs(pairs: Pairs, settings: PairProbe | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All probes: task, split, features, accuracy (mean over seeds), sd, labels, n; and relation, precision, recall, n.

    `n` is the number of pairs scored on with the first seed. The second table is of attention, split by sentence.
    Raises InputError if there are too few sentences or labels for a probe.
    """
    settings = settings or PairProbe()
    sentences = len(np.unique(pairs.sentences))
    require(
        sentences >= 10,
        f"attention probe: {sentences} sentences with trees are too few to train on some and score on others; "
        "give 10 or more",
    )
    inputs: dict[str, Callable[[Rows], Features]] = {
        "attention": lambda rows: pairs.vectors[rows, : pairs.heads],
        "both-directions": lambda rows: pairs.vectors[rows],
        "distance": lambda rows: distances(pairs.offsets[rows], settings.window),
        CONTROL: lambda rows: pairs.vectors[rows, : pairs.heads],
    }
    table, relations = [], pd.DataFrame()
    for name in TASKS:
        rows, labels = task(pairs, name, settings.min_count)
        groups, count = pairs.sentences[rows], len(np.unique(labels))
        for by in SPLITS:
            for kind, features in inputs.items():
                own = random_labels(labels, pairs.forms[rows]) if kind == CONTROL else labels
                scored = score(features(rows), own, groups, by, settings)
                values = (np.mean(scored.accuracies), np.std(scored.accuracies), count, scored.n)
                table.append((name, by, kind, *values))
                if kind == "attention":
                    table.append((name, by, "majority", scored.majority, 0.0, count, scored.n))
                    if (name, by) == ("relation", "sentence"):
                        relations = of_relations(scored.gold, scored.predicted)
    columns = ["task", "split", "features", "accuracy", "sd", "labels", "n"]
    return pd.DataFrame(table, columns=columns), relations


def of_relations(gold: np.ndarray, predicted: np.ndarray) -> pd.DataFrame:
    """relation, precision, recall, predicted (how often), n: of every relation there is, most frequent first."""
    names = np.unique(gold)
    scores = precision_recall_fscore_support(gold, predicted, labels=names, zero_division=0)
    table = pd.DataFrame({"relation": names, "precision": scores[0], "recall": scores[1]})
    table = table.assign(predicted=[int((predicted == name).sum()) for name in names], n=scores[3])
    return table.sort_values(["n", "relation"], ascending=[False, True], ignore_index=True)
