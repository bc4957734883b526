"""Tests of claims about encoders like BERT, norms and alignments.

A head's mean weight is a mean of values from 0 to 1, whose variance is at most that of a share: its interval is that of
a share of as many texts. An estimate without a known error has an empty interval. Two compared shares are treated as
independent, even if they are of the same words.
"""

from numbers import Real

import pandas as pd

from headwork.heads.syntax.best_heads import best_heads
from headwork.studies.claim_tests import special_token_sink as special_token_sink
from headwork.studies.claim_tests import values
from headwork.studies.notation import head_name
from headwork.studies.rows import where
from headwork.studies.selection import INSTANCES, Outcome, Selection, Untestable


def heads_over(selection: Selection, statistic: str, key: str, above: Real) -> Outcome:
    """At least one head has a value above `above`; ours is the number of such heads."""
    rows = values(selection, "segments", statistic, key)
    over = rows[rows["value"] > above]
    names = ", ".join(head_name(row["layer"], row["head"]) for _, row in over.iterrows()) or "none"
    note = f"{names}; the highest is at {rows['value'].max():.2f}"
    return Outcome.without_interval(len(over), len(rows), len(over) > 0, note)


def no_head_over(selection: Selection, statistic: str, keys: list[str], above: Real) -> Outcome:
    """No head has a value above `above`, for any key; ours is the number of heads that have."""
    rows = pd.concat([values(selection, "segments", statistic, key) for key in keys])
    count = (rows["value"] > above).sum()
    note = f"the highest is at {rows['value'].max():.2f}"
    return Outcome.without_interval(count, len(rows), count == 0, note)


def layer_over(selection: Selection, statistic: str, key: str, above: Real) -> Outcome:
    """In some layer the mean over heads is above `above`; ours is the highest mean."""
    rows = values(selection, "segments", statistic, key)
    means = rows.groupby("layer")["value"].mean()
    note = f"layer {means.idxmax()}; n is the number of texts"
    return Outcome.of_share(means.max(), rows["count"].min(), means.max() > above, note)


def broadest_layer(selection: Selection, layer: int) -> Outcome:
    """The mean entropy of that layer's heads is the highest of all layers; ours is this mean in nats."""
    rows = values(selection, "segments", "entropy", "")
    means = rows.groupby("layer")["value"].mean()
    note = ", ".join(f"layer {number}: {value:.2f}" for number, value in means.items())
    return Outcome.without_interval(means[layer], rows["count"].min(), means.idxmax() == layer, note)


def sensitivity_falls(selection: Selection, key: str) -> Outcome:
    """The gradient for attention to these tokens, relative to all tokens, falls below half of its value in layer 1.

    Ours is the smallest ratio in a later layer, divided by that in layer 1.
    """
    rows, every = (values(selection, "sensitivity", "sensitivity", name) for name in (key, "unmasked"))
    own, every = (table.groupby("layer")["value"].mean() for table in (rows, every))
    if len(own) < 2:
        raise Untestable("the model has one layer")
    share = own / every
    ours = share.iloc[1:].min() / share.iloc[0]
    note = f"least in layer {share.iloc[1:].idxmin()}; n is the number of texts"
    return Outcome.without_interval(ours, rows["count"].min(), ours < 0.5, note)


def relation_beats_offset(selection: Selection, relation: str, at_least: Real) -> Outcome:
    """The best head's accuracy exceeds the best fixed offset's by `at_least`; if 0, the interval must exceed 0.

    The head is chosen on one half of the sentences and scored on the other (`best_heads`).
    """
    outcome = _above_offset(selection, relation)
    return outcome._replace(holds=outcome.ours >= at_least) if at_least else outcome


def relation_within_offset(selection: Selection, relation: str, at_most: Real) -> Outcome:
    """The best head's split-half accuracy exceeds the best fixed offset's by at most `at_most`."""
    outcome = _above_offset(selection, relation)
    return outcome._replace(holds=outcome.ours <= at_most)


def _above_offset(selection: Selection, relation: str) -> Outcome:
    best = where(best_heads(selection.table("words"), INSTANCES), relation=relation)
    if best.empty:
        raise Untestable(f"fewer than {INSTANCES} words with the relation {relation}")
    best, offsets = best.iloc[0], selection.table("offsets")
    if pd.isna(best["split_half"]):
        raise Untestable(f"one half of the sentences has no word with the relation {relation}")
    base = where(offsets, relation=relation).iloc[0]
    name = f"{head_name(best['layer'], best['head'])}, {relation}/{best['direction']}"
    note = (
        f"{name}: {best['accuracy']:.2f}; {best['split_half']:.2f} where heads are chosen on one half and scored on "
        f"the other, against {base['share']:.2f}"
    )
    shares, counts = (best["split_half"], base["share"]), (best["count"], base["count"])
    return Outcome.of_difference(shares, counts, note)._replace(n=int(best["count"]))


def head_beats_rule(selection: Selection, rule: str, candidates: str) -> Outcome:
    """The best head finds more antecedents than a rule without a model; ours is the difference.

    The head is chosen on the scored mentions, since the table has no split halves.
    """
    rows = where(selection.table("words"), statistic="coreference")
    rows = rows[rows["key"].str.startswith(f"{candidates}/") & rows["key"].str.endswith("/all")]
    if rows.empty or rows["count"].max() < INSTANCES:
        raise Untestable(f"fewer than {INSTANCES} mentions with an antecedent")
    best, rules = rows.loc[rows["value"].idxmax()], selection.table("rules")
    base = where(rules, rule=rule, candidates=candidates, kind="all").iloc[0]
    if pd.isna(base["accuracy"]):
        raise Untestable("the rule chooses no mention in any of the texts")
    note = f"{head_name(best['layer'], best['head'])}: {best['value']:.2f} against {base['accuracy']:.2f}"
    shares, counts = (best["value"], base["accuracy"]), (best["count"], base["count"])
    return Outcome.of_difference(shares, counts, note)._replace(n=int(best["count"]))


def probe_beats(selection: Selection, better: str, worse: str, times: Real = 1) -> Outcome:
    """One probe's UAS exceeds `times` another's; ours is the difference."""
    rows = selection.table("probes").set_index("probe")
    one, other = rows.loc[better], rows.loc[worse]
    note = f"{one['uas']:.2f} against {'' if times == 1 else f'{times} times '}{other['uas']:.2f}"
    return Outcome.of_difference((one["uas"], other["uas"]), (one["n"], other["n"]), note, times)


def layers_hang_together(selection: Selection, at_most: Real) -> Outcome:
    """Heads of one layer are closer than under permuted layer labels; ours is p of the permutation test."""
    row = selection.table("plane").iloc[0]
    if "p" not in row or pd.isna(row["p"]):
        raise Untestable(str(row.get("layers", "layers were not compared")))
    note = f"{row['within']:.3f} within layers, {row['between']:.3f} between; n is the number of permutations"
    return Outcome.without_interval(row["p"], row["permutations"], row["p"] <= at_most, note)
