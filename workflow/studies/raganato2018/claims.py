"""Tests of claims about the encoders of translation models."""

from numbers import Real

import numpy as np
import pandas as pd

from headwork import intervals
from headwork.studies.notation import head_name
from headwork.studies.rows import where
from headwork.studies.selection import INSTANCES, Outcome, Selection, Untestable

WORDS = "all"  # all words, punctuation included


def a_head_for_each_place(selection: Selection, places: list[str], above: Real) -> Outcome:
    """Every run has, for each position, a head with an arg-max share above `above`; ours is the smallest such share.

    A place may be two: ``end or last``.
    """
    rows = where(selection.table("trees"), statistic="place")
    found = []
    for run, own in rows.groupby("run"):
        for place in places:
            shares = where(own, key=place.split(" or ")).groupby(["layer", "head"])["value"].sum()
            found.append((float(shares.max()), run, place, head_name(*shares.idxmax())))
    ours, run, place, head = min(found)
    count = int(rows["count"].min())
    low, high = intervals.wilson(min(ours, 1.0), count)
    note = f"least: {place} in {run}, {head}; n is the number of sentences"
    return Outcome(ours, low, high, count, ours > above, note)


def best_trees_like(selection: Selection, baseline: str, within: Real) -> Outcome:
    """The best head's UAS, in either direction, differs from a baseline by at most `within`; ours: the difference."""
    return max(_best_trees(selection, baseline, within), key=lambda outcome: abs(outcome.ours))


def mean_trees_like(selection: Selection, baseline: str, within: Real) -> Outcome:
    """The same for the mean over all heads, with each word attached to the word it attends to."""
    outcomes = []
    for run, base, own in _trees(selection, baseline):
        own = where(own, key=f"{WORDS}/dependent-to-head")
        mean = float(own["value"].mean())
        note = f"{run}, mean of {len(own)} heads: {mean:.2f} against {base:.2f}"
        outcomes.append(_difference(mean, base, int(own["count"].min()), within, note))
    return max(outcomes, key=lambda outcome: abs(outcome.ours))


def no_trees_above(selection: Selection, baseline: str) -> Outcome:
    """No head's trees, in either direction, significantly exceed a baseline; ours is the largest difference."""
    largest = max(_best_trees(selection, baseline, 0), key=lambda outcome: outcome.ours)
    return largest._replace(holds=largest.low <= 0)


def _best_trees(selection: Selection, baseline: str, within: Real) -> list[Outcome]:
    """For each run how its best head differs from the baseline."""
    outcomes = []
    for run, base, own in _trees(selection, baseline):
        best = own.loc[own["value"].idxmax()]
        note = f"{run}, {head_name(best['layer'], best['head'])}: {best['value']:.2f} against {base:.2f}"
        outcomes.append(_difference(best["value"], base, int(best["count"]), within, note))
    return outcomes


def _trees(selection: Selection, baseline: str) -> list[tuple[str, float, pd.DataFrame]]:
    """Return for each run its name, the baseline's UAS, and its heads' scores."""
    rows = where(selection.table("trees"), statistic="tree")
    rows = rows[rows["key"].str.startswith(f"{WORDS}/")]
    if rows.empty or rows["count"].min() < INSTANCES:
        raise Untestable(f"fewer than {INSTANCES} words hang on others")
    bases = where(selection.table("branching"), baseline=baseline, key=WORDS).set_index("run")["value"]
    return [(run, float(bases[run]), own) for run, own in rows.groupby("run")]


def _difference(share: Real, base: float, count: int, within: Real, note: str) -> Outcome:
    low, high = intervals.wilson(share, count)
    ours = float(share - base)
    return Outcome(ours, low - base, high - base, count, abs(ours) <= within, note)


def known_best_at(selection: Selection, task: str, probe: str, lowest: Real, highest: Real) -> Outcome:
    """A task's best layer (without embeddings) is at that relative depth of the encoder; ours is its number.

    The relative depth of layer l of L is (l - 1/2) / L. The middle layer of an odd number is in neither half.
    """
    rows = _layers(selection, task, probe)
    best = rows.loc[rows["value"].idxmax()]
    depth = (best["layer"] - 0.5) / rows["layer"].max()
    values = ", ".join(f"layer {layer}: {value:.3f}" for layer, value in rows[["layer", "value"]].to_numpy())
    return Outcome.without_interval(best["layer"], best["count"], lowest < depth < highest, values)


def length_errors_between(selection: Selection, lowest: Real, highest: Real) -> Outcome:
    """In every task and layer the share of sentences with a wrong number of tags is in a range; ours is the highest."""
    rows = where(selection.table("tags"), measure="length-errors")
    rows = rows[rows["layer"] > 0]
    if rows.empty:
        raise Untestable("no decoder wrote tags")
    ours, least = float(rows["value"].max()), float(rows["value"].min())
    note = f"from {least:.2f} to {ours:.2f}; n is the number of sentences"
    return Outcome.of_share(ours, rows["count"].min(), lowest <= least and ours <= highest, note)


def layers_know_more(selection: Selection, task: str) -> Outcome:
    """The best layer is more accurate than the embeddings and each word's most frequent tag; ours is the difference."""
    rows = where(selection.table("tags"), task=task, measure="precision")
    layers = _layers(selection, task, "linear")
    best = layers["value"].max()
    embeddings = where(rows, probe="linear", layer=0)["value"].iloc[0]
    usual = where(rows, probe="most-frequent-tag")["value"].iloc[0]
    note = f"{best:.3f} against {embeddings:.3f} from embeddings, {usual:.3f} from the most frequent tag"
    return Outcome.of_difference((best, max(embeddings, usual)), [layers["count"].min()] * 2, note)


def training_teaches(selection: Selection, task: str) -> Outcome:
    """The best layer of the trained encoder is more accurate than that of the untrained one; ours is the difference."""
    rows = _layers(selection, task, "linear")
    best = rows.groupby("trained")["value"].max()
    if len(best) < 2:
        raise Untestable("there is no untrained run")
    note = f"{best[True]:.3f} against {best[False]:.3f}"
    return Outcome.of_difference((best[True], best[False]), [rows["count"].min()] * 2, note)


def _layers(selection: Selection, task: str, probe: str) -> pd.DataFrame:
    """Return the precision of each layer for a task, without embeddings."""
    rows = where(selection.table("tags"), task=task, probe=probe, measure="precision")
    rows = rows[rows["layer"] > 0].dropna(subset="value").reset_index(drop=True)
    if rows.empty or rows["count"].min() < INSTANCES:
        raise Untestable(f"{task} was not probed for on {INSTANCES} words")
    return rows


def transfer_gains(selection: Selection, better: str, worse: str) -> Outcome:
    """BLEU of one training method exceeds that of another; ours is the difference.

    Both are scored on the same sentences, so that the root of the sum of the squared half widths is too wide.
    """
    rows = selection.table("scores").set_index("domain")
    absent = [name for name in (better, worse) if name not in rows.index]
    if absent:
        raise Untestable(f"there is no run {absent[0]}")
    one, other = rows.loc[better], rows.loc[worse]
    half = float(np.hypot(*((row["high"] - row["low"]) / 2 for row in (one, other))))
    ours = float(one["bleu"] - other["bleu"])
    note = f"{one['bleu']:.1f} against {other['bleu']:.1f}"
    return Outcome.around(ours, half, int(one["sentences"]), note)
