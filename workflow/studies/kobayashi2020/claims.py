"""Tests of claims about norms and alignments."""

from numbers import Real

import pandas as pd

from headwork.studies import intervals
from headwork.studies.claim_tests import special_token_sink as special_token_sink
from headwork.studies.claim_tests import values
from headwork.studies.selection import INSTANCES, Outcome, Selection, Untestable

UNKNOWN = float("nan")


def share_of_norms_smaller(selection: Selection, keys: list[str]) -> Outcome:
    """In every layer classes of tokens have a smaller share of weighted vectors' norms than of weights.

    Ours is the difference over all layers. Its error is unknown: both are means over the same texts, and the tables
    lack their variance.
    """
    rows, shares, of_layers = selection.table("segments"), [], []
    for statistic in ("weight", "weighted-norm"):
        means = rows[rows["statistic"] == statistic].pivot_table("value", "layer", "key")
        if means.empty:
            raise Untestable(f"{statistic} was not measured")
        own, every = means[keys].sum(axis=1), means.sum(axis=1)
        shares.append(float(own.sum() / every.sum()))
        of_layers.append(own / every)
    smaller = of_layers[1] < of_layers[0]
    count = int(values(selection, "segments", "weight", keys[0])["count"].min())
    note = (
        f"{shares[0]:.3f} of the weights, {shares[1]:.3f} of the norms; smaller in {smaller.sum()} of {len(smaller)} "
        "layers; n is the number of texts"
    )
    return Outcome(shares[0] - shares[1], UNKNOWN, UNKNOWN, count, bool(smaller.all()), note)


def correlation_below(selection: Selection, statistic: str, key: str, below: Real) -> Outcome:
    """A rank correlation over all heads is below a value."""
    ours, low, high, count = _correlation(selection, statistic, key)
    return Outcome(ours, low, high, count, high < below)


def correlation_above(selection: Selection, statistic: str, key: str, above: Real) -> Outcome:
    """A rank correlation over all heads is above a value."""
    ours, low, high, count = _correlation(selection, statistic, key)
    return Outcome(ours, low, high, count, ours > above)


def correlation_smaller(
    selection: Selection, smaller: str, larger: str, difference: str, key: str
) -> Outcome:
    """One rank correlation is nearer to 0 than another; ours is the difference of their sizes.

    `difference` is measured beside the two, with its own interval: both are over the same tokens.
    """
    one, other = (_correlation(selection, statistic, key)[0] for statistic in (larger, smaller))
    ours, low, high, count = _correlation(selection, difference, key)
    return Outcome(ours, low, high, count, low > 0, f"{one:.2f} against {other:.2f}")


def _correlation(selection: Selection, statistic: str, key: str) -> tuple[float, float, float, int]:
    rows = selection.table("correlations")
    rows = rows[(rows["statistic"] == statistic) & (rows["key"] == key)]
    if rows.empty or rows["count"].iloc[0] < INSTANCES:
        raise Untestable(f"{statistic}/{key} was not measured on {INSTANCES} or more")
    row = rows.iloc[0]
    ours, count = float(row["value"]), int(row["count"])
    if pd.notna(row.get("low")):  # measured with its own interval, for its tokens are not independent
        return ours, float(row["low"]), float(row["high"]), count
    return ours, *intervals.of_rank_correlation(ours, count), count


def norms_align_better(selection: Selection, setting: str) -> Outcome:
    """Every layer's alignment error rate is lower from norms than from weights; ours is the mean of differences."""
    weight, norm = (_of_layers(selection, setting, measure) for measure in ("weight", "norm"))
    lower = norm < weight
    note = (
        f"{weight.mean():.2f} from weights, {norm.mean():.2f} from norms; lower in {lower.sum()} of {len(lower)} "
        "layers; n is the number of layers"
    )
    return Outcome(float((weight - norm).mean()), UNKNOWN, UNKNOWN, len(weight), bool(lower.all()), note)


def input_aligns_better(selection: Selection, measure: str) -> Outcome:
    """The best layer's AER is lower with positions aligned as input (AWI) than as output tokens (AWO)."""
    output, read = (_of_layers(selection, setting, measure).min() for setting in ("output", "input"))
    note = f"{output:.2f} of words predicted, {read:.2f} of words read"
    return Outcome(float(output - read), UNKNOWN, UNKNOWN, 1, output > read, note)


def _of_layers(selection: Selection, setting: str, measure: str) -> pd.Series:
    rows = selection.table("alignments")
    chosen = (rows["statistic"] == "aer") & (rows["key"] == f"{setting}/{measure}") & (rows["head"] == 0)
    return rows[chosen].set_index("layer")["value"]
