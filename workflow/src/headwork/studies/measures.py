"""Importance measures against head ablation: rank correlations and areas under pruning curves."""

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from headwork import intervals

PLACE = ["kind", "layer", "head"]
TRUTH = ("score", "likelihood")
Values = np.ndarray | pd.Series
# by measure: its name and its cost in model passes over the text (n heads in l layers)
MEASURES = {
    "confidence": ("confidence", "1 forward"),
    "attention": ("largest attention", "1 forward"),
    "norm": ("norm of what it adds", "1 forward"),
    "lrp": ("relevance, LRP", "1 backward a step"),
    "relevance": ("relevance, AttnLRP", "1 backward"),
    "taylor": ("Taylor", "1 backward"),
    "taylor-context": ("Taylor, contexts", "1 backward"),
    "attribution": ("attribution", "5 l backward"),
    "gates": ("L0 gates", "many backward"),
    "random": ("random", "none"),
    "likelihood": ("likelihood lost alone", "n forward"),
    "score": ("score lost alone", "n scorings"),
}


def correlations(heads: pd.DataFrame) -> pd.DataFrame:
    """run, measure, truth, rho, low, high, heads: correlation of each measure with the loss from removing one head."""
    rows = []
    for run, own in heads.groupby("run", sort=False):
        values = own.pivot_table("value", PLACE, "measure")
        for measure in values.columns:
            for truth in TRUTH:
                if measure != truth:
                    found = rank_correlation(values[measure], values[truth])
                    rows.append((run, measure, truth, *found, len(values)))
    return pd.DataFrame(rows, columns=["run", "measure", "truth", "rho", "low", "high", "heads"])


def rank_correlation(one: Values, other: Values) -> tuple[float, float, float]:
    """Spearman's correlation and its 95 % interval, by Fisher's z; NaN if one side is constant: it is not defined."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return (float("nan"),) * 3
    rho = float(spearmanr(one, other).statistic)
    return rho, *intervals.of_rank_correlation(rho, len(one))


def areas(curves: pd.DataFrame) -> pd.DataFrame:
    """run, measure, score, likelihood: area under each pruning curve, scaled to 1 (whole model) and 0 (no heads).

    Random orders are averaged. Values above 1: the model improves without some heads. NaN where the whole model is no
    better than one without heads, so that there is nothing to lose.
    """
    rows = []
    for (run, measure, _), own in curves.groupby(["run", "measure", "order"], sort=False):
        own = own.sort_values("share")
        found = []
        for truth in TRUTH:
            whole, none = own[truth].iloc[0], own[truth].iloc[-1]
            kept = (own[truth] - none) / (whole - none if whole > none else np.nan)
            found.append(float(np.trapezoid(kept, own["share"]) / np.ptp(own["share"])))
        rows.append((run, measure, *found))
    table = pd.DataFrame(rows, columns=["run", "measure", *TRUTH])
    return table.groupby(["run", "measure"], sort=False).mean().reset_index()
