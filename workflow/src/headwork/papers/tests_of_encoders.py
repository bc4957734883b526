"""The tests that claims about encoders like BERT, and about norms and alignments, name (see `tests_of_claims`).

A head's mean weight is a mean of values in 0 to 1, and no such mean is less certain than a share: its interval is that
of a share of as many texts. Where nothing is known of an estimate's error, its interval is empty.
"""

from collections.abc import Callable
from numbers import Real

import numpy as np
import pandas as pd

from headwork.papers import intervals
from headwork.papers.notation import head_name
from headwork.papers.selection import INSTANCES, Outcome, Selection, Untestable

UNKNOWN = float("nan")


def heads_over(selection: Selection, statistic: str, key: str, above: Real) -> Outcome:
    """At least one head's value is above; ours is their number."""
    rows = _values(selection, "segments", statistic, key)
    over = rows[rows["value"] > above]
    names = ", ".join(head_name(row["layer"], row["head"]) for _, row in over.iterrows()) or "none"
    note = f"{names}; the highest is at {rows['value'].max():.2f}"
    return Outcome(float(len(over)), UNKNOWN, UNKNOWN, len(rows), len(over) > 0, note)


def no_head_over(selection: Selection, statistic: str, keys: list[str], above: Real) -> Outcome:
    """No head's value is above, for any of the keys; ours is the number of those that are."""
    rows = pd.concat([_values(selection, "segments", statistic, key) for key in keys])
    count = int((rows["value"] > above).sum())
    note = f"the highest is at {rows['value'].max():.2f}"
    return Outcome(float(count), UNKNOWN, UNKNOWN, len(rows), count == 0, note)


def layer_over(selection: Selection, statistic: str, key: str, above: Real) -> Outcome:
    """In some layer the mean over its heads is above; ours is the highest mean."""
    rows = _values(selection, "segments", statistic, key)
    means = rows.groupby("layer")["value"].mean()
    ours, count = float(means.max()), int(rows["count"].min())
    low, high = intervals.wilson(ours, count)
    return Outcome(ours, low, high, count, ours > above, f"layer {means.idxmax()}; n is the number of texts")


def broadest_layer(selection: Selection, layer: int) -> Outcome:
    """The mean entropy of that layer's heads is the highest of all layers; ours is it."""
    rows = _values(selection, "segments", "entropy", "")
    means = rows.groupby("layer")["value"].mean()
    note = ", ".join(f"layer {number}: {value:.2f}" for number, value in means.items())
    return Outcome(
        float(means[layer]), UNKNOWN, UNKNOWN, int(rows["count"].min()), means.idxmax() == layer, note
    )


def sensitivity_falls(selection: Selection, key: str) -> Outcome:
    """The loss depends less on attention to these tokens, beside that to all, in a later layer than in the first.

    Ours is that share in the layer where it is least, divided by that in layer 1; it holds below a half.
    """
    own = _values(selection, "sensitivity", "sensitivity", key).groupby("layer")["value"].mean()
    every = _values(selection, "sensitivity", "sensitivity", "unmasked").groupby("layer")["value"].mean()
    if len(own) < 2:
        raise Untestable("the model has one layer")
    share = own / every
    ours = float(share.iloc[1:].min() / share.iloc[0])
    note = f"least in layer {share.iloc[1:].idxmin()}; n is the number of texts"
    count = int(_values(selection, "sensitivity", "sensitivity", key)["count"].min())
    return Outcome(ours, UNKNOWN, UNKNOWN, count, ours < 0.5, note)


def relation_beats_offset(selection: Selection, relation: str, at_least: Real) -> Outcome:
    """The best head's accuracy at a relation exceeds the best fixed offset's by that much; by more than chance if 0."""
    ours, low, high, count, note = _above_offset(selection, relation)
    return Outcome(ours, low, high, count, ours >= at_least if at_least else low > 0, note)


def relation_within_offset(selection: Selection, relation: str, at_most: Real) -> Outcome:
    """The best head's accuracy exceeds the best fixed offset's by at most that much."""
    ours, low, high, count, note = _above_offset(selection, relation)
    return Outcome(ours, low, high, count, ours <= at_most, note)


def _above_offset(selection: Selection, relation: str) -> tuple[float, float, float, int, str]:
    rows = selection.table("words")
    rows = rows[(rows["statistic"] == "dependency") & rows["key"].str.startswith(f"{relation}/")]
    if rows.empty or rows["count"].max() < INSTANCES:
        raise Untestable(f"fewer than {INSTANCES} words with the relation {relation}")
    best = rows.loc[rows["value"].idxmax()]
    offsets = selection.table("offsets")
    base = float(offsets.loc[offsets["relation"] == relation, "share"].iloc[0])
    low, high = intervals.wilson(best["value"], best["count"])
    note = f"{head_name(best['layer'], best['head'])}, {best['key']}: {best['value']:.2f} against {base:.2f}"
    return float(best["value"] - base), low - base, high - base, int(best["count"]), note


def head_beats_rule(selection: Selection, rule: str, candidates: str) -> Outcome:
    """The best head finds more antecedents than a rule without a model; ours is the difference."""
    rows = selection.table("words")
    rows = rows[(rows["statistic"] == "coreference") & rows["key"].str.startswith(f"{candidates}/")]
    rows = rows[rows["key"].str.endswith("/all")]
    if rows.empty or rows["count"].max() < INSTANCES:
        raise Untestable(f"fewer than {INSTANCES} mentions with an antecedent")
    best, rules = rows.loc[rows["value"].idxmax()], selection.table("rules")
    chosen = (rules["rule"] == rule) & (rules["candidates"] == candidates) & (rules["kind"] == "all")
    base = float(rules.loc[chosen, "accuracy"].iloc[0])
    low, high = intervals.wilson(best["value"], best["count"])
    note = f"{head_name(best['layer'], best['head'])}: {best['value']:.2f} against {base:.2f}"
    return Outcome(float(best["value"] - base), low - base, high - base, int(best["count"]), low > base, note)


def probe_beats(selection: Selection, better: str, worse: str) -> Outcome:
    """One probe's unlabelled attachment score is above another's; ours is the difference."""
    rows = selection.table("probes").set_index("probe")
    shares, counts = rows.loc[[better, worse], "uas"], rows.loc[[better, worse], "n"]
    low, high = intervals.of_shares(lambda drawn: drawn[:, 0] - drawn[:, 1], shares, counts)
    note = f"{shares.iloc[0]:.2f} against {shares.iloc[1]:.2f}"
    return Outcome(float(shares.iloc[0] - shares.iloc[1]), low, high, int(counts.min()), low > 0, note)


def layers_hang_together(selection: Selection, at_most: Real) -> Outcome:
    """Heads of one layer are nearer to each other than chance has it; ours is p of the permutation test."""
    row = selection.table("plane").iloc[0]
    if "p" not in row or pd.isna(row["p"]):
        raise Untestable(str(row.get("layers", "layers were not compared")))
    note = f"{row['within']:.3f} within layers, {row['between']:.3f} between; n is the number of permutations"
    return Outcome(float(row["p"]), UNKNOWN, UNKNOWN, int(row["permutations"]), row["p"] <= at_most, note)


def share_of_norms_smaller(selection: Selection, keys: list[str]) -> Outcome:
    """Classes of tokens have a smaller share of weighted vectors' norms than of weights; ours is the difference."""
    shares = []
    for statistic in ("weight", "weighted-norm"):
        rows = selection.table("segments")
        means = rows[rows["statistic"] == statistic].groupby("key")["value"].mean()
        if means.empty:
            raise Untestable(f"{statistic} was not measured")
        shares.append(float(means[keys].sum() / means.sum()))
    count = int(_values(selection, "segments", "weight", keys[0])["count"].min())
    low, high = intervals.of_shares(lambda drawn: drawn[:, 0] - drawn[:, 1], shares, [count, count])
    note = f"{shares[0]:.2f} of the weights, {shares[1]:.2f} of the norms; n is the number of texts"
    return Outcome(shares[0] - shares[1], low, high, count, low > 0, note)


def correlation_below(selection: Selection, statistic: str, key: str, below: Real) -> Outcome:
    """A rank correlation over all heads is below a value."""
    ours, low, high, count = _correlation(selection, statistic, key)
    return Outcome(ours, low, high, count, high < below)


def correlation_above(selection: Selection, statistic: str, key: str, above: Real) -> Outcome:
    """A rank correlation over all heads is above a value."""
    ours, low, high, count = _correlation(selection, statistic, key)
    return Outcome(ours, low, high, count, ours > above)


def correlation_smaller(selection: Selection, smaller: str, larger: str, key: str) -> Outcome:
    """One rank correlation is nearer to 0 than another; ours is the difference of their sizes."""
    one, other = (_correlation(selection, statistic, key) for statistic in (larger, smaller))
    ours = abs(one[0]) - abs(other[0])
    half = float(np.hypot(one[2] - one[1], other[2] - other[1]) / 2)
    note = f"{one[0]:.2f} against {other[0]:.2f}"
    return Outcome(ours, ours - half, ours + half, min(one[3], other[3]), ours - half > 0, note)


def _correlation(selection: Selection, statistic: str, key: str) -> tuple[float, float, float, int]:
    rows = selection.table("correlations")
    rows = rows[(rows["statistic"] == statistic) & (rows["key"] == key)]
    if rows.empty or rows["count"].iloc[0] < INSTANCES:
        raise Untestable(f"{statistic}/{key} was not measured on {INSTANCES} or more")
    ours, count = float(rows["value"].iloc[0]), int(rows["count"].iloc[0])
    return ours, *intervals.of_rank_correlation(ours, count), count


def norms_align_better(selection: Selection, setting: str) -> Outcome:
    """The alignment error rate, mean over layers, is lower from norms than from weights; ours is the difference."""
    weight, norm = (_of_layers(selection, setting, measure) for measure in ("weight", "norm"))
    ours = float((weight - norm).mean())
    note = f"{weight.mean():.2f} from weights, {norm.mean():.2f} from norms; n is the number of layers"
    return Outcome(ours, UNKNOWN, UNKNOWN, len(weight), ours > 0, note)


def input_aligns_better(selection: Selection, measure: str) -> Outcome:
    """The best layer's error rate is lower where a row belongs to the word it reads than to the word it predicts."""
    output, read = (_of_layers(selection, setting, measure).min() for setting in ("output", "input"))
    note = f"{output:.2f} of words predicted, {read:.2f} of words read"
    return Outcome(float(output - read), UNKNOWN, UNKNOWN, 1, output > read, note)


def _of_layers(selection: Selection, setting: str, measure: str) -> pd.Series:
    rows = selection.table("alignments")
    chosen = (rows["statistic"] == "aer") & (rows["key"] == f"{setting}/{measure}") & (rows["head"] == 0)
    return rows[chosen].set_index("layer")["value"]


def _values(selection: Selection, table: str, statistic: str, key: str) -> pd.DataFrame:
    rows = selection.table(table)
    rows = rows[(rows["statistic"] == statistic) & (rows["key"] == key)]
    if rows.empty:
        raise Untestable(f"{statistic}/{key} was not measured")
    return rows


TESTS: dict[str, Callable[..., Outcome]] = {
    test.__name__: test
    for test in (
        heads_over,
        no_head_over,
        layer_over,
        broadest_layer,
        sensitivity_falls,
        relation_beats_offset,
        relation_within_offset,
        head_beats_rule,
        probe_beats,
        layers_hang_together,
        share_of_norms_smaller,
        correlation_below,
        correlation_above,
        correlation_smaller,
        norms_align_better,
        input_aligns_better,
    )
}
