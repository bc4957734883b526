"""Tests of claims about trees and senses in encoders."""

from numbers import Real

import numpy as np
import pandas as pd
from scipy.stats import f as f_distribution

from headwork.studies.rows import where
from headwork.studies.selection import INSTANCES, Outcome, Selection, Untestable

FEW = 10  # minimum number of arcs of a relation


def attention_tells(selection: Selection, task: str, features: str, than: str, at_least: Real = 0) -> Outcome:
    """A probe on these features, split by sentence, is more accurate than another; ours is its accuracy."""
    own, other = (_accuracy(selection, task, name) for name in (features, than))
    note = f"{than}: {other['accuracy']:.2f}; {own['labels']:.0f} labels"
    return _above(own["accuracy"], own["n"], other["accuracy"] + at_least, note)


def attention_tells_no_more(
    selection: Selection, task: str, features: str, than: str, at_most: Real
) -> Outcome:
    """A probe on these features exceeds another by at most `at_most`; ours is its accuracy."""
    own, other = (_accuracy(selection, task, name) for name in (features, than))
    holds = own["accuracy"] <= other["accuracy"] + at_most
    return Outcome.of_share(own["accuracy"], own["n"], holds, f"{than}: {other['accuracy']:.2f}")


def split_matters_little(selection: Selection, task: str, features: str, at_most: Real) -> Outcome:
    """The accuracy with a split by pairs exceeds that by sentences by at most `at_most`; ours is the difference."""
    rows = [_accuracy(selection, task, features, by) for by in ("pair", "sentence")]
    shares, counts = [row["accuracy"] for row in rows], [row["n"] for row in rows]
    note = f"{shares[0]:.3f} by pairs, {shares[1]:.3f} by sentences"
    outcome = Outcome.of_difference(shares, counts, note)
    return outcome._replace(holds=outcome.ours <= at_most)


def _above(share: Real, count: Real, than: Real, note: str) -> Outcome:
    outcome = Outcome.of_share(share, count, False, note)
    return outcome._replace(holds=outcome.low > than)


def _accuracy(selection: Selection, task: str, features: str, split: str = "sentence") -> pd.Series:
    rows = where(selection.table("attention_probe"), task=task, features=features, split=split)
    if rows.empty or rows["n"].iloc[0] < INSTANCES:
        raise Untestable(f"the probe {features} of {task} was not scored on {INSTANCES} pairs")
    return rows.iloc[0]


def states_keep_trees(selection: Selection, than: str) -> Outcome:
    """The best layer's spanning trees have more gold arcs than those of another probe; ours is their share."""
    rows = selection.table("structural")
    own = where(rows, probe="trained")
    best, other = own.loc[own["uuas"].idxmax()], where(rows, probe=than)["uuas"].max()
    if best["arcs"] < INSTANCES:
        raise Untestable(f"fewer than {INSTANCES} arcs")
    return _above(best["uuas"], best["arcs"], other, f"layer {best['layer']:.0f}; {than}: {other:.2f}")


def relations_differ_in_length(selection: Selection, at_most: Real) -> Outcome:
    """Arcs of some relations are longer than of others: ours is the longest mean divided by the shortest.

    One-way analysis of variance of the squared lengths, from means and standard deviations.
    """
    rows = selection.table("arcs")
    rows = rows[rows["n"] >= FEW]
    if len(rows) < 2:
        raise Untestable(f"fewer than two relations of {FEW} arcs")
    count, groups = rows["n"].sum(), len(rows)
    grand = (rows["mean"] * rows["n"]).sum() / count
    between = (rows["n"] * (rows["mean"] - grand) ** 2).sum() / (groups - 1)
    within = ((rows["n"] - 1) * rows["sd"] ** 2).sum() / (count - groups)
    p = float(f_distribution.sf(between / within, groups - 1, count - groups))
    ends = rows.sort_values("mean").iloc[[0, -1]]
    note = ", ".join(f"{row['relation']} {row['mean']:.2f}" for _, row in ends.iterrows()) + f"; p = {p:.2g}"
    return Outcome.without_interval(ends["mean"].iloc[1] / ends["mean"].iloc[0], count, p <= at_most, note)


def nearly_a_tree(selection: Selection, embedding: str, at_least: Real) -> Outcome:
    """Squared distances of the embedding and tree distances have at least that rank correlation."""
    row = where(selection.table("embeddings"), embedding=embedding).iloc[0]
    if pd.isna(row["spearman"]):
        raise Untestable("no sentence has between 5 and 50 words")
    return Outcome.without_interval(row["spearman"], row["sentences"], row["spearman"] >= at_least)


def centroids_beat_most_frequent(selection: Selection, words: str) -> Outcome:
    """The last layer's nearest centroids have a higher F1 than the most frequent sense; ours is the difference."""
    own = _senses(selection, "centroid", words).iloc[-1]
    usual = _senses(selection, "most-frequent", words).iloc[0]
    return _difference(own["f1"], usual["f1"], own["n"], "the most frequent sense")


def probe_beats_centroids(selection: Selection, words: str) -> Outcome:
    """After the semantic probe nearest centroids have a higher F1 than before; ours is the difference."""
    own, before = _senses(selection, "probe", words).iloc[0], _senses(selection, "centroid", words).iloc[-1]
    return _difference(own["f1"], before["f1"], own["n"], "without")


def _difference(own: Real, other: Real, count: Real, name: str) -> Outcome:
    return Outcome.of_difference((own, other), (count, count), f"{own:.3f}; {name}: {other:.3f}")


def senses_rise_over_layers(selection: Selection, words: str) -> Outcome:
    """F1 of nearest centroids is higher in every layer than in the one below; ours is the smallest step."""
    rows = _senses(selection, "centroid", words).sort_values("layer")
    if len(rows) < 2:
        raise Untestable("the model has one layer")
    steps = np.diff(rows["f1"])
    note = ", ".join(f"{layer:.0f}: {f1:.3f}" for layer, f1 in zip(rows["layer"], rows["f1"], strict=True))
    return Outcome.without_interval(steps.min(), rows["n"].iloc[0], steps.min() > 0, note)


def _senses(selection: Selection, system: str, words: str) -> pd.DataFrame:
    rows = where(selection.table("senses"), system=system, words=words)
    if rows.empty or rows["n"].iloc[0] < INSTANCES:
        raise Untestable(f"fewer than {INSTANCES} words with a sense")
    return rows


def trained_beats_random(selection: Selection, words: str) -> Outcome:
    """At every dimension the trained map has a higher F1 than a random one; ours is the smallest difference."""
    rows = where(selection.table("semantic"), words=words)
    table = rows.pivot_table(index="dimension", columns="matrix", values="f1")
    gains = (table["trained"] - table["random"]).sort_index(ascending=False)
    note = ", ".join(f"{dimension}: {gain:+.3f}" for dimension, gain in gains.items())
    return Outcome.without_interval(gains.min(), rows["n"].iloc[0], gains.min() > 0, note)


def joining_misleads(selection: Selection, vectors: str = "states", beside_random: bool = False) -> Outcome:
    """A word is misclassified more often when joined with its other sense; ours is the difference.

    The comparison is with the same words alone, or joined with a random sentence. The interval is of matched pairs
    (McNemar).
    """
    rows = selection.table("concatenation")
    rows = rows[(rows["vectors"] == vectors) & (rows["layer"] == rows["layer"].max())].set_index("kind")
    count = 0 if rows.empty else int(rows["n"].iloc[0])
    if count < INSTANCES:
        raise Untestable(f"fewer than {INSTANCES} words could be joined")
    end = "_beside_random" if beside_random else ""
    lost, won = (float(rows.loc["joined", f"{name}{end}"]) for name in ("lost", "won"))
    half = 1.96 * float(np.sqrt((lost + won - (lost - won) ** 2) / count))
    note = ", ".join(f"{kind.replace('-', ' ')} {share:.3f}" for kind, share in rows["misclassified"].items())
    return Outcome.around(lost - won, half, count, note)
