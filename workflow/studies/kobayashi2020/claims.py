"""Tests of claims about norms and alignments."""

from numbers import Real

import pandas as pd

from headwork import intervals
from headwork.studies.claim_tests import special_token_sink as special_token_sink
from headwork.studies.claim_tests import values
from headwork.studies.rows import where
from headwork.studies.selection import INSTANCES, Outcome, Selection, Untestable


def share_of_norms_smaller(selection: Selection, keys: list[str]) -> Outcome:
    """In every layer classes of tokens have a smaller share of weighted vectors' norms than of weights.

    Ours is the difference over all layers. Its error is unknown: both are means over the same texts, and the tables
    lack their variance.
    """
    rows, shares, of_layers = selection.table("segments"), [], []
    for statistic in ("weight", "weighted-norm"):
        means = where(rows, statistic=statistic).pivot_table("value", "layer", "key")
        if means.empty:
            raise Untestable(f"{statistic} was not measured")
        own, every = means[keys].sum(axis=1), means.sum(axis=1)
        shares.append(float(own.sum() / every.sum()))
        of_layers.append(own / every)
    smaller = of_layers[1] < of_layers[0]
    count = values(selection, "segments", "weight", keys[0])["count"].min()
    note = (
        f"{shares[0]:.3f} of the weights, {shares[1]:.3f} of the norms; smaller in {smaller.sum()} of {len(smaller)} "
        "layers; n is the number of texts"
    )
    return Outcome.without_interval(shares[0] - shares[1], count, smaller.all(), note)


def correlation_below(selection: Selection, statistic: str, key: str, below: Real) -> Outcome:
    """A rank correlation over all heads is below a value."""
    outcome = _correlation(selection, statistic, key)
    return outcome._replace(holds=outcome.high < below)


def correlation_above(selection: Selection, statistic: str, key: str, above: Real) -> Outcome:
    """A rank correlation over all heads is above a value."""
    outcome = _correlation(selection, statistic, key)
    return outcome._replace(holds=outcome.ours > above)


def correlation_smaller(
    selection: Selection, smaller: str, larger: str, difference: str, key: str
) -> Outcome:
    """One rank correlation is nearer to 0 than another; ours is the difference of their sizes.

    `difference` is measured beside the two, with its own interval: both are over the same tokens.
    """
    one, other = (_correlation(selection, statistic, key).ours for statistic in (larger, smaller))
    outcome = _correlation(selection, difference, key)
    return outcome._replace(holds=outcome.low > 0, note=f"{one:.2f} against {other:.2f}")


def _correlation(selection: Selection, statistic: str, key: str) -> Outcome:
    """A rank correlation with its interval; whether it holds is for the test to say."""
    rows = where(selection.table("correlations"), statistic=statistic, key=key)
    if rows.empty or rows["count"].iloc[0] < INSTANCES:
        raise Untestable(f"{statistic}/{key} was not measured on {INSTANCES} or more")
    row = rows.iloc[0]
    ours, count = float(row["value"]), int(row["count"])
    if pd.notna(row.get("low")):  # measured with its own interval, for its tokens are not independent
        return Outcome(ours, float(row["low"]), float(row["high"]), count, False)
    return Outcome(ours, *intervals.of_rank_correlation(ours, count), count, False)


def norms_align_better(selection: Selection, setting: str) -> Outcome:
    """Every layer's alignment error rate is lower from norms than from weights; ours is the mean of differences."""
    weight, norm = (_of_layers(selection, setting, measure) for measure in ("weight", "norm"))
    lower = norm < weight
    note = (
        f"{weight.mean():.2f} from weights, {norm.mean():.2f} from norms; lower in {lower.sum()} of {len(lower)} "
        "layers; n is the number of layers"
    )
    return Outcome.without_interval((weight - norm).mean(), len(weight), lower.all(), note)


def input_aligns_better(selection: Selection, measure: str) -> Outcome:
    """The best layer's AER is lower with positions aligned as input (AWI) than as output tokens (AWO)."""
    output, read = (_of_layers(selection, setting, measure).min() for setting in ("output", "input"))
    note = f"{output:.2f} of words predicted, {read:.2f} of words read"
    return Outcome.without_interval(output - read, 1, output > read, note)


def _of_layers(selection: Selection, setting: str, measure: str) -> pd.Series:
    rows = where(selection.table("alignments"), statistic="aer", key=f"{setting}/{measure}", head=0)
    return rows.set_index("layer")["value"]
