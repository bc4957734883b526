"""Tests of claims about encoders like BERT, norms and alignments (see `criteria.heads`).

A head's mean weight is a mean of values from 0 to 1, whose variance is at most that of a share: its interval is that of
a share of as many texts. An estimate without a known error has an empty interval. Two compared shares are treated as
independent, even if they are of the same words.
"""

from collections.abc import Callable
from numbers import Real

import pandas as pd

from headwork.heads.syntax.best_heads import best_heads
from headwork.papers.claims import intervals
from headwork.papers.claims.selection import INSTANCES, Outcome, Selection, Untestable
from headwork.papers.notation import head_name

UNKNOWN = float("nan")


def heads_over(selection: Selection, statistic: str, key: str, above: Real) -> Outcome:
    """At least one head has a value above `above`; ours is the number of such heads."""
    rows = _values(selection, "segments", statistic, key)
    over = rows[rows["value"] > above]
    names = ", ".join(head_name(row["layer"], row["head"]) for _, row in over.iterrows()) or "none"
    note = f"{names}; the highest is at {rows['value'].max():.2f}"
    return Outcome(float(len(over)), UNKNOWN, UNKNOWN, len(rows), len(over) > 0, note)


def no_head_over(selection: Selection, statistic: str, keys: list[str], above: Real) -> Outcome:
    """No head has a value above `above`, for any key; ours is the number of heads that have."""
    rows = pd.concat([_values(selection, "segments", statistic, key) for key in keys])
    count = int((rows["value"] > above).sum())
    note = f"the highest is at {rows['value'].max():.2f}"
    return Outcome(float(count), UNKNOWN, UNKNOWN, len(rows), count == 0, note)


def special_token_sink(selection: Selection, keys: list[str], above: Real, shorter: Real) -> Outcome:
    """Between the first and last layer a head gives a special token more than `above`, and the token's norm is small.

    The token's mean norm ‖f(x)‖ in that layer must be below `shorter` times that of other tokens. Ours is the highest
    attention of such a head.
    """
    attention = pd.concat([_values(selection, "segments", "attention", key) for key in keys])
    last = attention["layer"].max()
    inner = attention[attention["layer"].between(2, last - 1)]
    if inner.empty:
        raise Untestable("the encoder has no layer between the first and the last")
    best = inner.loc[inner.groupby("key")["value"].idxmax()]
    ordinary = _values(selection, "segments", "norm", "other").groupby("layer")["value"].mean()
    found = []
    for _, head in best.iterrows():
        norms = _values(selection, "segments", "norm", head["key"]).groupby("layer")["value"].mean()
        share = float(norms[head["layer"]] / ordinary[head["layer"]])
        found.append((share < shorter, head, share))
    short, head, share = max(found, key=lambda each: (each[0], each[1]["value"]))
    ours, count = float(head["value"]), int(head["count"])
    low, high = intervals.wilson(ours, count)
    name = head_name(head["layer"], head["head"])
    note = f"{name} on {head['key']}, whose norm is {share:.2f} of other tokens'; n is the number of texts"
    return Outcome(ours, low, high, count, bool(short) and low > above, note)


def layer_over(selection: Selection, statistic: str, key: str, above: Real) -> Outcome:
    """In some layer the mean over heads is above `above`; ours is the highest mean."""
    rows = _values(selection, "segments", statistic, key)
    means = rows.groupby("layer")["value"].mean()
    ours, count = float(means.max()), int(rows["count"].min())
    low, high = intervals.wilson(ours, count)
    return Outcome(ours, low, high, count, ours > above, f"layer {means.idxmax()}; n is the number of texts")


def broadest_layer(selection: Selection, layer: int) -> Outcome:
    """The mean entropy of that layer's heads is the highest of all layers; ours is this mean in nats."""
    rows = _values(selection, "segments", "entropy", "")
    means = rows.groupby("layer")["value"].mean()
    note = ", ".join(f"layer {number}: {value:.2f}" for number, value in means.items())
    return Outcome(
        float(means[layer]), UNKNOWN, UNKNOWN, int(rows["count"].min()), means.idxmax() == layer, note
    )


def sensitivity_falls(selection: Selection, key: str) -> Outcome:
    """The gradient for attention to these tokens, relative to all tokens, falls below half of its value in layer 1.

    Ours is the smallest ratio in a later layer, divided by that in layer 1.
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
    """The best head's accuracy exceeds the best fixed offset's by `at_least`; if 0, the interval must exceed 0.

    The head is chosen on one half of the sentences and scored on the other (`best_heads`).
    """
    ours, low, high, count, note = _above_offset(selection, relation)
    return Outcome(ours, low, high, count, ours >= at_least if at_least else low > 0, note)


def relation_within_offset(selection: Selection, relation: str, at_most: Real) -> Outcome:
    """The best head's split-half accuracy exceeds the best fixed offset's by at most `at_most`."""
    ours, low, high, count, note = _above_offset(selection, relation)
    return Outcome(ours, low, high, count, ours <= at_most, note)


def _above_offset(selection: Selection, relation: str) -> tuple[float, float, float, int, str]:
    best = best_heads(selection.table("words"), INSTANCES)
    best = best[best["relation"] == relation]
    if best.empty:
        raise Untestable(f"fewer than {INSTANCES} words with the relation {relation}")
    best, offsets = best.iloc[0], selection.table("offsets")
    if pd.isna(best["split_half"]):
        raise Untestable(f"one half of the sentences has no word with the relation {relation}")
    base = offsets[offsets["relation"] == relation].iloc[0]
    ours, low, high = _difference(best["split_half"], best["count"], base["share"], base["count"])
    name = f"{head_name(best['layer'], best['head'])}, {relation}/{best['direction']}"
    note = (
        f"{name}: {best['accuracy']:.2f}; {best['split_half']:.2f} where heads are chosen on one half and scored on "
        f"the other, against {base['share']:.2f}"
    )
    return ours, low, high, int(best["count"]), note


def _difference(
    share: Real, count: Real, base: Real, trials: Real, times: Real = 1
) -> tuple[float, float, float]:
    """Return the first share minus `times` the second, both estimated from samples, and its interval."""
    low, high = intervals.of_shares(
        lambda drawn: drawn[:, 0] - times * drawn[:, 1], [share, base], [count, trials]
    )
    return float(share - times * base), low, high


def head_beats_rule(selection: Selection, rule: str, candidates: str) -> Outcome:
    """The best head finds more antecedents than a rule without a model; ours is the difference.

    The head is chosen on the scored mentions, since the table has no split halves.
    """
    rows = selection.table("words")
    rows = rows[(rows["statistic"] == "coreference") & rows["key"].str.startswith(f"{candidates}/")]
    rows = rows[rows["key"].str.endswith("/all")]
    if rows.empty or rows["count"].max() < INSTANCES:
        raise Untestable(f"fewer than {INSTANCES} mentions with an antecedent")
    best, rules = rows.loc[rows["value"].idxmax()], selection.table("rules")
    chosen = (rules["rule"] == rule) & (rules["candidates"] == candidates) & (rules["kind"] == "all")
    base = rules[chosen].iloc[0]
    if pd.isna(base["accuracy"]):
        raise Untestable("the rule chooses no mention in any of the texts")
    ours, low, high = _difference(best["value"], best["count"], base["accuracy"], base["count"])
    note = f"{head_name(best['layer'], best['head'])}: {best['value']:.2f} against {base['accuracy']:.2f}"
    return Outcome(ours, low, high, int(best["count"]), low > 0, note)


def probe_beats(selection: Selection, better: str, worse: str, times: Real = 1) -> Outcome:
    """One probe's UAS exceeds `times` another's; ours is the difference."""
    rows = selection.table("probes").set_index("probe")
    one, other = rows.loc[better], rows.loc[worse]
    ours, low, high = _difference(one["uas"], one["n"], other["uas"], other["n"], times)
    note = f"{one['uas']:.2f} against {'' if times == 1 else f'{times} times '}{other['uas']:.2f}"
    return Outcome(ours, low, high, int(min(one["n"], other["n"])), low > 0, note)


def layers_hang_together(selection: Selection, at_most: Real) -> Outcome:
    """Heads of one layer are closer than under permuted layer labels; ours is p of the permutation test."""
    row = selection.table("plane").iloc[0]
    if "p" not in row or pd.isna(row["p"]):
        raise Untestable(str(row.get("layers", "layers were not compared")))
    note = f"{row['within']:.3f} within layers, {row['between']:.3f} between; n is the number of permutations"
    return Outcome(float(row["p"]), UNKNOWN, UNKNOWN, int(row["permutations"]), row["p"] <= at_most, note)


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
    count = int(_values(selection, "segments", "weight", keys[0])["count"].min())
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
        special_token_sink,
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
