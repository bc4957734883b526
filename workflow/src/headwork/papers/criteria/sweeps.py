"""Tests of claims about pruning (see `criteria.heads`).

Half widths of BLEU are those of `intervals.of_seeds`, and that of a difference is the root of the sum of their squares,
which is too wide because both models are scored on the same sentences. Thresholds are decided by the estimate. For
shares of heads kept, the trials are pruned models, each with its own difference, since the heads of a model are pruned
together. The models of a sweep start from one training and are not independent, so this interval is over the points of
a sweep and not over trainings.
"""

from collections.abc import Callable
from numbers import Real

import numpy as np
import pandas as pd

from headwork.papers.claims import intervals
from headwork.papers.claims.selection import Outcome, Selection, Untestable
from headwork.papers.notation import ATTENTIONS
from headwork.papers.views import sweeps

NEAR = 0.1  # maximum difference between a point's share of heads kept and the requested one


def bleu_lost(selection: Selection, share: Real, at_most: Real) -> Outcome:
    """With this share of encoder heads kept, BLEU drops by at most `at_most`, on average over seeds."""
    rows = _encoder(selection)
    outcomes = []
    for _, own in rows.groupby(["domain", "pair"]):
        pruned = _near(own, share)
        (before, wide), (after, wider) = sweeps.bleu(own[own["point"] == sweeps.FULL]), sweeps.bleu(pruned)
        ours, half = before - after, float(np.hypot(wide, wider))
        note = f"{pruned['kept'].mean():g} of {pruned['heads'].iloc[0]} heads; n is the number of pruned runs"
        outcomes.append(Outcome(ours, ours - half, ours + half, len(pruned), ours <= at_most, note))
    return max(outcomes, key=lambda outcome: outcome.ours)


def functions_kept(selection: Selection, share: Real, at_least: Real) -> Outcome:
    """With this share of encoder heads kept, at least a share `at_least` of the unpruned model's functions remains."""
    functions = selection.functions_of_kept_heads()
    holding = functions[functions["holds"]].groupby("run")["function"].agg(set)
    outcomes = []
    for run, base in _near(_encoder(selection), share)[["run", "of"]].itertuples(index=False):
        before = holding.get(base, set())
        if not before:
            raise Untestable(f"no head of {base} has a function")
        lost = before - holding.get(run, set())
        ours = 1 - len(lost) / len(before)
        low, high = intervals.wilson(ours, len(before))
        note = f"{run} lost {', '.join(sorted(lost)) or 'none'}"
        outcomes.append(Outcome(ours, low, high, len(before), ours >= at_least, note))
    return min(outcomes, key=lambda outcome: outcome.ours)


def functions_outlast(selection: Selection, share: Real) -> Outcome:
    """With this share of encoder heads kept, a larger share of heads has a function than before pruning.

    Ours is the difference of these shares; the heads of all seeds are pooled.
    """
    functions = selection.functions_of_kept_heads()
    has = functions.groupby(["run", "layer", "head"])["holds"].any()
    runs = _near(_encoder(selection), share)
    kept = runs.loc[runs["kept"] > 0, "run"]
    if kept.empty:
        raise Untestable("all encoder heads are pruned there")
    left, before = has.loc[kept.tolist()], has.loc[sorted(set(runs["of"]))]
    shares, counts = (left.mean(), before.mean()), (len(left), len(before))
    low, high = intervals.of_shares(lambda drawn: drawn[:, 0] - drawn[:, 1], shares, counts)
    note = f"{left.sum()} of {len(left)} heads left, {before.sum()} of {len(before)} before"
    return Outcome(float(shares[0] - shares[1]), low, high, len(left), low > 0, note)


def kept_more(selection: Selection, more: list[str], less: list[str]) -> Outcome:
    """With gates in all attention, a larger share of the heads of some kinds is kept than of others.

    Ours is the mean over all pruned runs of the difference of shares.
    """
    rows = selection.sweep("all")
    rows = rows[(rows["method"] == "gates") & rows["kind"].isin([*more, *less])]
    return _shares_differ(rows, rows["kind"].isin(more).to_numpy())


def layers_kept_more(selection: Selection, kind: str, more: str) -> Outcome:
    """With gates in all attention, more heads are kept at one end of the decoder, lower or upper, than at the other.

    `kind` is decoder or cross; the ends are the lowest and the highest of figure 10's groups of layers.
    """
    rows = selection.sweep("all", by=["kind", "layer"])
    rows = rows[(rows["method"] == "gates") & (rows["kind"] == kind)]
    groups = sweeps.layer_groups(int(rows["layer"].max()))
    ends = groups[1], groups[max(groups)]
    if ends[0] == ends[1]:
        raise Untestable(f"the models have one layer of {ATTENTIONS[kind]}")
    group = rows["layer"].map(groups)
    favoured = ends[1] if more == "upper" else ends[0]
    return _shares_differ(rows[group.isin(ends)], (group[group.isin(ends)] == favoured).to_numpy())


def trained_beats_scratch(selection: Selection) -> Outcome:
    """A model pruned from the trained one is better than those from scratch with the same heads; ours is the mean."""
    rows = selection.against_scratch()
    better = rows["bleu"] - rows["scratch"]
    ours = float(better.mean())
    half = float(np.hypot(rows["high"] - rows["low"], rows["scratch_high"] - rows["scratch_low"]).mean() / 2)
    note = f"{better.min():.2f} to {better.max():.2f}; n is the number of pruned runs"
    return Outcome(ours, ours - half, ours + half, len(rows), ours - half > 0, note)


def _encoder(selection: Selection) -> pd.DataFrame:
    rows = selection.sweep("encoder")
    return rows[rows["kind"] == "encoder"]


def _near(rows: pd.DataFrame, share: Real) -> pd.DataFrame:
    """Return the runs of the point that keeps about this share of the heads; Untestable if there is none."""
    point = sweeps.nearest_point(rows, share)
    found = float((point["kept"] / point["heads"]).mean())
    if abs(found - share) > NEAR:
        raise Untestable(
            f"no point of the sweep keeps about {share:.0%} of the heads; the nearest {found:.0%}"
        )
    return point


def _shares_differ(rows: pd.DataFrame, favoured: np.ndarray) -> Outcome:
    """The mean over pruned models of the share of heads kept of the favoured rows less that of the others.

    The interval is Student's of the mean over models; a single one is Untestable.
    """
    shares = rows.assign(share=rows["kept"] / rows["heads"], favoured=favoured)
    shares = shares.pivot_table("share", "run", "favoured")
    if len(shares) < 2:
        raise Untestable("of a single pruned model no interval is known")
    # rounding errors of equal shares must not exceed 0; + 0.0 removes -0
    differences = (shares[True] - shares[False]).round(12) + 0.0
    ours, half = intervals.of_mean(differences)
    note = f"{shares[True].mean():.2f} against {shares[False].mean():.2f}; n is the number of pruned runs"
    return Outcome(ours, ours - half, ours + half, len(differences), ours - half > 0, note)


TESTS: dict[str, Callable[..., Outcome]] = {
    test.__name__: test
    for test in (
        bleu_lost,
        functions_kept,
        functions_outlast,
        kept_more,
        layers_kept_more,
        trained_beats_scratch,
    )
}
