"""Tests of claims about heads, and the rules of all verdicts.

Each test maps selected rows to an estimate, its interval and a verdict. If a paper defines a property by a threshold (a
positional head reaches 90 %), the estimate decides, as in the paper; if it states that one quantity exceeds another,
the lower end of the difference's interval must exceed 0. Of several runs, the one that fits the claim worst decides,
unless the test pools their heads.
"""

from functools import partial
from numbers import Real

import numpy as np
import pandas as pd

from headwork import intervals
from headwork.studies import sweeps
from headwork.studies.notation import ATTENTIONS, group, head_name, held
from headwork.studies.rows import where
from headwork.studies.selection import INSTANCES, Outcome, Selection, Untestable, enough


def _place(row: pd.Series) -> str:
    return f"{row['run']}, {head_name(row['layer'], row['head'])}"


def best_head_at_least(selection: Selection, functions: list[str], at_least: Real) -> Outcome:
    """The best head for each function reaches the score `at_least`; ours is the lowest of these best scores."""
    worst = selection.best(functions).sort_values("score", kind="stable").iloc[0]
    note = f"lowest: {worst['function']} in {_place(worst)}"
    return Outcome.of_share(worst["score"], worst["count"], worst["score"] >= at_least, note)


def best_head_above_baseline(selection: Selection, functions: list[str], at_least: Real) -> Outcome:
    """The best head for each function exceeds its baseline by `at_least` (a difference of shares)."""
    best = selection.best(functions)
    margins = best["score"] - best["baseline"]
    worst = best.loc[margins.idxmin()]
    low, high = intervals.wilson(worst["score"], worst["count"])
    ours, base = worst["score"] - worst["baseline"], worst["baseline"]
    note = f"lowest: {worst['function']} in {_place(worst)}"
    return Outcome(ours, low - base, high - base, int(worst["count"]), bool(ours >= at_least), note)


def margins_larger(selection: Selection, larger: list[str], smaller: list[str]) -> Outcome:
    """Best heads exceed their baselines by more for the functions `larger`, on average, than for `smaller`."""
    best = selection.best([*larger, *smaller])
    first = best["function"].isin(larger).to_numpy()
    weights = np.where(first, 1 / first.sum(), -1 / (~first).sum())
    ours = float(weights @ (best["score"] - best["baseline"]))
    base = float(weights @ best["baseline"])
    low, high = intervals.of_shares(lambda drawn: drawn @ weights - base, best["score"], best["count"])
    return Outcome(ours, low, high, int(best["count"].min()), low > 0, "n is that of the rarest relation")


def rare_head(selection: Selection, key: str, layer: int, at_least: Real) -> Outcome:
    """A head in `layer` attends most to the rarest token(s), `key` rarest or two-rarest, from a share `at_least` of
    queries.

    The note also names the best head of any layer, since the paper finds a single such head per model.
    """
    rows = where(selection.table("statistics"), statistic="rare", key=key)
    if rows.empty:
        raise Untestable(f"the statistic rare/{key} was not measured")
    enough(rows)
    ranked = rows.sort_values(["value", "layer", "head"], ascending=[False, True, True])
    there = ranked[ranked["layer"] == layer].drop_duplicates("run")
    worst = there.sort_values("value", kind="stable").iloc[0]
    anywhere = ranked[ranked["run"] == worst["run"]].iloc[0]
    note = f"lowest: {_place(worst)}; best of any layer: {head_name(anywhere['layer'], anywhere['head'])}"
    return Outcome.of_share(worst["value"], worst["count"], worst["value"] >= at_least, note)


def persons_differ(selection: Selection, persons: list[str], more_in: str, less_in: str) -> Outcome:
    """Subjects have these persons more often in one domain than in another; ours is the difference of shares."""
    rows = selection.table("persons")
    shares, counts = [], []
    for domain in (more_in, less_in):
        part = rows[rows["domain"] == domain]
        if part.empty or part["count"].sum() < INSTANCES:
            raise Untestable(f"{part['count'].sum():.0f} subjects in {domain}, fewer than {INSTANCES}")
        counts.append(int(part["count"].sum()))
        shares.append(float(part.loc[part["person"].isin(persons), "count"].sum() / counts[-1]))
    note = f"{100 * shares[0]:.0f} % in {more_in}, {100 * shares[1]:.0f} % in {less_in}"
    return Outcome.of_difference(shares, counts, note)


def least_confidence(selection: Selection, function: str, above: Real) -> Outcome:
    """Every head with a function of that group (positional, ...) has a confidence above `above`; ours is the lowest."""
    heads = selection.confidence()
    heads = heads[[function in groups for groups in heads["groups"]]]
    if heads.empty:
        raise Untestable(f"no head has a {function} function")
    worst = heads.loc[heads["value"].idxmin()]
    # the variance of a mean of weights from 0 to 1 is at most that of a share
    note = f"lowest of {len(heads)}: {_place(worst)}"
    return Outcome.of_share(worst["value"], worst["count"], worst["value"] > above, note)


def confident_heads(selection: Selection, above: Real, at_most: Real) -> Outcome:
    """Some heads, at most a share `at_most`, have a confidence above `above`; ours is their share over all runs."""
    heads = selection.confidence()
    confident = heads["value"] > above
    ours = float(confident.mean())
    note = f"{confident.sum()} of {len(heads)} heads; the highest is at {heads['value'].max():.2f}"
    return Outcome.of_share(ours, len(heads), 0 < ours <= at_most, note)


def heads_with_function(selection: Selection, at_most: Real, functions: list[str] | None = None) -> Outcome:
    """At most a share `at_most` of the heads of all runs has a function of the groups `functions` (None: any)."""
    rows = selection.table("functions")
    if functions is not None:
        rows = rows[[group(name) in functions for name in rows["function"]]]
    has = rows.groupby(["run", "layer", "head"])["holds"].any()
    ours = float(has.mean())
    return Outcome.of_share(ours, len(has), ours <= at_most, f"{has.sum()} of {len(has)} heads")


def uneven_relevance(selection: Selection, times: Real) -> Outcome:
    """The most relevant head of a model has at least `times` an equal share of its layer's relevance.

    Ours is its share divided by an equal share, 1 / heads. The largest of several shares exceeds an equal one by
    chance, so the lower end of its interval must reach the factor.
    """
    rows = selection.table("relevance")
    heads = rows.groupby(["run", "layer"])["head"].transform("size")
    multiples = rows["value"] * heads
    worst = rows.loc[multiples[multiples.groupby(rows["run"]).idxmax()].idxmin()]
    equal = 1 / heads[worst.name]
    # relevance is a mean of shares from 0 to 1, whose variance is at most that of a share
    low, high = intervals.wilson(worst["value"], worst["count"])
    ours, note = worst["value"] / equal, f"{_place(worst)}; the least relevant has {multiples.min():.2f}"
    return Outcome(ours, low / equal, high / equal, int(worst["count"]), low / equal >= times, note)


def most_relevant_of_layer(selection: Selection, functions: list[str], layer: int) -> Outcome:
    """The head of `layer` with a function of these groups is its most relevant one; ours is its rank, which must be 0.

    Of several such heads the one with the highest score is used. Ranks run from 0, the most relevant head of a layer,
    to 1, the least relevant.
    """
    names = _having(selection, functions)
    names = names[names["layer"] == layer].sort_values("score", ascending=False, kind="stable")
    outcome = _mean_place(selection, names.drop_duplicates("run"), f"no head of layer {layer}")
    return outcome._replace(holds=outcome.ours == 0)


def before_the_middle(selection: Selection, functions: list[str]) -> Outcome:
    """The mean rank by relevance of heads with a function of these groups is below 0.5, the middle of a layer."""
    outcome = _mean_place(selection, _having(selection, functions), "no head")
    return outcome._replace(holds=outcome.high < 0.5)


def _having(selection: Selection, functions: list[str]) -> pd.DataFrame:
    names = held(selection.table("functions"))
    return names[names["group"].isin(functions)]


def _mean_place(selection: Selection, names: pd.DataFrame, nothing: str) -> Outcome:
    """Return the mean rank by relevance, 0 to 1, of the heads in `names`; of several runs, the largest."""
    having = set(zip(names["run"], names["layer"], names["head"], strict=True))
    outcomes = []
    for run, rows in selection.table("relevance").groupby("run"):
        places = zip(rows["run"], rows["layer"], rows["head"], strict=True)
        chosen = np.array([place in having for place in places])
        if not chosen.any():
            raise Untestable(f"{nothing} of {run} has such a function")
        place = partial(mean_place, layers=rows["layer"].to_numpy(), chosen=chosen)
        low, high = intervals.of_shares(place, rows["value"], rows["count"])
        ours = float(place(rows["value"].to_numpy()[None])[0])
        heads = [_place(row) for _, row in rows[chosen].iterrows()]
        note = heads[0] if len(heads) == 1 else f"{len(heads)} heads of {run}"
        outcomes.append(Outcome(ours, low, high, int(rows["count"].min()), False, note))
    return max(outcomes, key=lambda outcome: outcome.ours)


def mean_place(values: np.ndarray, layers: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return the mean rank of the chosen heads in their layers, for each row of `values` (draws, heads).

    A head's rank is the share of the other heads of its layer with a higher value.
    """
    rivals = layers[chosen, None] == layers[None, :]
    ahead = (values[:, None, :] > values[:, chosen, None]) & rivals
    return (ahead.sum(2) / np.maximum(rivals.sum(1) - 1, 1)).mean(1)


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
        note = f"{run} lost {', '.join(sorted(lost)) or 'none'}"
        outcomes.append(Outcome.of_share(ours, len(before), ours >= at_least, note))
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
    note = f"{left.sum()} of {len(left)} heads left, {before.sum()} of {len(before)} before"
    return Outcome.of_difference(shares, counts, note)._replace(n=len(left))


def kept_more(selection: Selection, more: list[str], less: list[str]) -> Outcome:
    """With gates in all attention, a larger share of the heads of some kinds is kept than of others.

    Ours is the mean over all pruned runs of the difference of shares.
    """
    rows = where(selection.sweep("all"), method="gates", kind=[*more, *less])
    return _shares_differ(rows, rows["kind"].isin(more).to_numpy())


def layers_kept_more(selection: Selection, kind: str, more: str) -> Outcome:
    """With gates in all attention, more heads are kept at one end of the decoder, lower or upper, than at the other.

    `kind` is decoder or cross; the ends are the lowest and the highest of figure 10's groups of layers.
    """
    rows = where(selection.sweep("all", by=["kind", "layer"]), method="gates", kind=kind)
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
    return Outcome.around(ours, half, len(rows), note)


def _encoder(selection: Selection) -> pd.DataFrame:
    return where(selection.sweep("encoder"), kind="encoder")


def _near(rows: pd.DataFrame, share: Real) -> pd.DataFrame:
    """Return the runs of the point that keeps about this share of the heads; Untestable if there is none."""
    point = sweeps.nearest_point(rows, share)
    found = float((point["kept"] / point["heads"]).mean())
    if abs(found - share) > NEAR:
        what = f"no point of the sweep keeps about {share:.0%} of the heads; the nearest {found:.0%}"
        raise Untestable(what)
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
    note = f"{shares[True].mean():.2f} against {shares[False].mean():.2f}; n is the number of pruned runs"
    return Outcome.around(*intervals.of_mean(differences), len(differences), note)
