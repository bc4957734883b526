"""Change of a task's score between two models, with a paired bootstrap interval.

Both models answer the same examples, so the same draw of examples is scored for both:

    change = score(after) - score(before),   interval: percentiles of score(after; draw) - score(before; draw)

The interval of a difference is much narrower than the difference of two intervals: "removing a head helps" is a claim
with this interval above zero. The score is the task's first metric.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from headwork.corpora.annotated.glue import Task
from headwork.errors import InputError
from headwork.models.scoring.glue import LABELLED, OF_TABLES, SCORED, Answers, Resampled
from headwork.settings.models import ScoreSettings

COLUMNS = ["value", "change", "low", "high", "n"]
Draws = Float[np.ndarray, "resample example"]


def changes(
    task: Task,
    gold: Answers,
    before: Answers,
    after: Mapping[Any, Answers],
    settings: ScoreSettings | Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """For each of `after`, by its key: `COLUMNS`, the score, its change, the interval of that, and the examples.

    Labels are their numbers among the task's. Raises `InputError` for unequal numbers of examples, and for a metric
    that is not a function of a table of answers, nor Pearson's correlation.
    """
    how = ScoreSettings.read(settings, "scoring")
    metric = task.metrics[0]
    if metric not in OF_TABLES and metric != "pearson":
        raise InputError(f"{task.name}: no interval for changes of {metric}")
    if any(len(answers) != len(gold) for answers in (before, *after.values())):
        raise InputError(f"{task.name}: answers to be compared must be to the same {len(gold)} examples")
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
    for answers in after.values():
        value = _score(metric, gold, answers)
        # a model that answers the same has exactly the same score
        drawn = _of_draws(task, metric, gold, answers, draws) - known[1]
        rows.append((value, value - known[0], *np.quantile(drawn, [tails, 1 - tails]), len(gold)))
    return pd.DataFrame(rows, columns=COLUMNS, index=list(after))


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
