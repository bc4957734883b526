"""GLUE's scores of a task's development set, with bootstrap intervals, and their change between two models.

Accuracy, F1 of the second label (MRPC, QQP), Matthews's correlation (CoLA), and for scores Pearson's and Spearman's
correlation (STS-B), as scikit-learn and scipy compute them (Wang et al. 2019).

The bootstrap samples examples with replacement. For labels only the contingency table of gold against predicted
matters, so that tables are sampled from a multinomial: equivalent, and as fast for 40,000 examples as for 400.

The change of a score from one model to another has a paired bootstrap interval, since both answer the same examples:

    change = score(after) - score(before),   interval: percentiles of score(after; draw) - score(before; draw)

It is much narrower than the difference of two intervals: "removing a head helps" is a claim with this interval above
zero.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from scipy.stats import pearsonr, rankdata, spearmanr
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, matthews_corrcoef

from headwork.corpora.annotated.glue import Task
from headwork.errors import InputError
from headwork.settings.models import ScoreSettings

Answers = Int[np.ndarray, " _"] | Float[np.ndarray, " _"]
Tables = Int[np.ndarray, "resample gold predicted"]
Resampled = Float[np.ndarray, " resample"]
Draws = Float[np.ndarray, "resample example"]

CHANGES = ["value", "change", "low", "high", "n"]

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
    gold, predicted = (_positive_second(task, each) for each in (gold, predicted))
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


def _positive_second(task: Task, answers: Answers) -> Answers:
    """Labels numbered so that the positive one of two is 1."""
    return answers if task.labels is None or len(task.labels) > 2 or task.positive else 1 - answers


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


def changes(
    task: Task,
    gold: Answers,
    before: Answers,
    after: Mapping[Any, Answers],
    settings: ScoreSettings | Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """For each of `after`, by its key: `CHANGES`, the task's first metric, its change, the interval of that, examples.

    Labels are their numbers among the task's. Raises `InputError` for unequal numbers of examples, and for a metric
    that is not a function of a table of answers, nor Pearson's correlation.
    """
    how = ScoreSettings.read(settings, "scoring")
    metric = task.metrics[0]
    if metric not in OF_TABLES and metric != "pearson":
        raise InputError(f"{task.name}: no interval for changes of {metric}")
    if any(len(answers) != len(gold) for answers in (before, *after.values())):
        raise InputError(f"{task.name}: answers to be compared must be to the same {len(gold)} examples")
    gold, before = (_positive_second(task, each) for each in (gold, before))
    chance = np.random.default_rng(how.seed)
    draws = np.stack(
        [
            np.bincount(chance.integers(0, len(gold), len(gold)), minlength=len(gold))
            for _ in range(how.resamples)
        ]
    ).astype(np.float64)
    known = _score(metric, gold, before), _of_draws(task, metric, gold, before, draws)
    tails = (1 - how.confidence) / 2
    rows = []
    for answers in (_positive_second(task, each) for each in after.values()):
        value = _score(metric, gold, answers)
        # a model that answers the same has exactly the same score
        drawn = _of_draws(task, metric, gold, answers, draws) - known[1]
        rows.append((value, value - known[0], *np.quantile(drawn, [tails, 1 - tails]), len(gold)))
    return pd.DataFrame(rows, columns=CHANGES, index=list(after))


def _score(metric: str, gold: Answers, predicted: Answers) -> float:
    if metric in LABELLED:
        return float(LABELLED[metric](gold, predicted))
    constant = np.ptp(gold) == 0 or np.ptp(predicted) == 0
    return 0.0 if constant else float(SCORED[metric](gold, predicted).statistic)


def _of_draws(task: Task, metric: str, gold: Answers, predicted: Answers, draws: Draws) -> Resampled:
    """The score of each draw of examples."""
    if metric in OF_TABLES:
        labels = len(task.labels)
        cells = np.eye(labels * labels)[gold * labels + predicted]
        tables = (draws @ cells).astype(np.int64).reshape(-1, labels, labels)
        return OF_TABLES[metric](tables)
    sides = [side.astype(np.float64) - side.mean() for side in (gold, predicted)]
    products = [sides[0], sides[1], sides[0] ** 2, sides[1] ** 2, sides[0] * sides[1]]
    x, y, xx, yy, xy = (draws @ np.stack(products, axis=1)).T / draws.shape[1]
    spread = np.sqrt(np.maximum((xx - x**2) * (yy - y**2), 0))
    return np.divide(xy - x * y, spread, out=np.zeros_like(spread), where=spread > 1e-12)
