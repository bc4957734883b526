"""GLUE's scores of a task's development set, each with its number of examples and a bootstrap interval.

Accuracy, F1 of the second label (MRPC, QQP), Matthews's correlation (CoLA), and for scores Pearson's and Spearman's
correlation (STS-B), as scikit-learn and scipy compute them (Wang et al. 2019).

The bootstrap samples examples with replacement. For labels only the contingency table of gold against predicted
matters, so that tables are sampled from a multinomial: equivalent, and as fast for 40,000 examples as for 400.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.stats import pearsonr, rankdata, spearmanr
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, matthews_corrcoef

from headwork.corpora.annotated.glue import Task
from headwork.errors import InputError
from headwork.settings.models import ScoreSettings

Answers = Int[np.ndarray, " _"] | Float[np.ndarray, " _"]
Tables = Int[np.ndarray, "resample gold predicted"]
Resampled = Float[np.ndarray, " resample"]

LABELLED: Mapping[str, Callable[[Answers, Answers], float]] = {
    "accuracy": accuracy_score,
    "f1": lambda gold, predicted: f1_score(gold, predicted, pos_label=1, zero_division=0),
    "matthews_correlation": matthews_corrcoef,
}
SCORED: Mapping[str, Callable[[Answers, Answers], Any]] = {"pearson": pearsonr, "spearman": spearmanr}


def scores(
    task: Task, gold: Answers, predicted: Answers, settings: ScoreSettings | Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """`n`, and for each metric of the task its `value` and the bounds `low` and `high` of a percentile interval.

    Labels are their numbers among the task's. A correlation with what is constant is 0. Raises `InputError` for no
    examples, unequal numbers of them, or invalid settings.
    """
    how = ScoreSettings.read(settings, "scoring")
    if len(gold) != len(predicted) or not len(gold):
        raise InputError(f"{len(predicted)} predictions cannot be scored against {len(gold)} labels")
    tails = (1 - how.confidence) / 2
    found: dict[str, Any] = {"n": len(gold)}
    for metric in task.metrics:
        chance = np.random.default_rng(how.seed)
        if metric in LABELLED:
            value = LABELLED[metric](gold, predicted)
            drawn = OF_TABLES[metric](_tables(task, gold, predicted, how.resamples, chance))
        elif np.ptp(gold) == 0 or np.ptp(predicted) == 0:
            value, drawn = 0.0, np.zeros(1)
        else:
            value = SCORED[metric](gold, predicted).statistic
            drawn = _correlations(metric, gold, predicted, how.resamples, chance)
        low, high = np.quantile(drawn, [tails, 1 - tails])
        found[metric] = {"value": float(value), "low": float(low), "high": float(high)}
    return found


def _tables(
    task: Task, gold: Answers, predicted: Answers, resamples: int, chance: np.random.Generator
) -> Tables:
    """Counts of gold (rows) against predicted labels, of as many examples drawn with replacement."""
    table = confusion_matrix(gold, predicted, labels=range(len(task.labels)))
    drawn = chance.multinomial(len(gold), table.ravel() / len(gold), size=resamples)
    return drawn.reshape(resamples, *table.shape)


def accuracy(tables: Tables) -> Resampled:
    """Share of the diagonal."""
    return tables.trace(axis1=1, axis2=2) / tables.sum(axis=(1, 2))


def f1(tables: Tables) -> Resampled:
    """2 hits / (2 hits + false alarms + misses) of the second label; 0 where there are none of these."""
    hits, others = tables[:, 1, 1], tables[:, 0, 1] + tables[:, 1, 0]
    return 2 * hits / np.maximum(2 * hits + others, 1)


def matthews(tables: Tables) -> Resampled:
    """The correlation of gold and predicted as numbers 0 and 1; 0 where one of them is constant."""
    tables = tables.astype(np.float64)
    sides = tables.sum(axis=1).prod(axis=1) * tables.sum(axis=2).prod(axis=1)
    both = tables[:, 0, 0] * tables[:, 1, 1] - tables[:, 0, 1] * tables[:, 1, 0]
    return both / np.sqrt(np.where(sides == 0, 1, sides))


OF_TABLES: Mapping[str, Callable[[Tables], Resampled]] = {
    "accuracy": accuracy,
    "f1": f1,
    "matthews_correlation": matthews,
}


def _correlations(
    metric: str, gold: Answers, predicted: Answers, resamples: int, chance: np.random.Generator
) -> Resampled:
    """The correlation of examples drawn with replacement; 0 where the same one was drawn throughout."""
    examples = chance.integers(0, len(gold), (resamples, len(gold)))
    sides = [side.astype(np.float64)[examples] for side in (gold, predicted)]
    if metric == "spearman":
        sides = [rankdata(side, axis=1) for side in sides]
    sides = [side - side.mean(axis=1, keepdims=True) for side in sides]
    lengths = [np.sqrt((side**2).sum(axis=1)) for side in sides]
    return (sides[0] * sides[1]).sum(axis=1) / np.maximum(lengths[0] * lengths[1], 1e-300)
