"""The tests that claims about attribution, importance of heads, trees and triggers name (see `tests_of_claims`).

Runs that differ in their seeds alone stand together. Where several tasks are selected and one is to stand for them, it
is the one that fits the claim worst.
"""

from collections.abc import Callable
from numbers import Real

import numpy as np
import pandas as pd
from scipy.stats import t

from headwork.papers import intervals
from headwork.papers.attributions import (
    across_tasks,
    answers_kept,
    areas,
    chosen_triggers,
    over_seeds,
    receptive_field,
)
from headwork.papers.selection import Outcome, Selection, Untestable

UNKNOWN = float("nan")


def attributions_complete(selection: Selection, tolerance: Real, negligible: Real, at_least: Real) -> Outcome:
    """Attributions sum to F(A) - F(0), of every example and layer: off by `tolerance` of it, or `negligible`, at most.

    Ours is the share of examples and layers of which that is so.
    """
    rows = selection.table("completeness")
    bound = (tolerance * rows["change"].abs()).clip(lower=negligible)
    share, count = float((rows["missing"].abs() <= bound).mean()), len(rows)
    low, high = intervals.wilson(share, count)
    note = f"at most {rows['missing'].abs().max():.4f} is missing; nodes {rows['steps'].min()} to {rows['steps'].max()}"
    return Outcome(share, low, high, count, share >= at_least, note)


def kept_heads_suffice(selection: Selection, measure: str, kept: int, at_least: Real) -> Outcome:
    """The `kept` most important heads of every layer keep at least that share of the whole model's accuracy.

    Heads are chosen for each example by itself. Ours is the lowest accuracy of a task.
    """
    rows = _effect(selection)
    last = rows["removed"].max() - kept
    if last < 1:
        raise Untestable(f"no layer has more than {kept} heads")
    own = rows[(rows["measure"] == measure) & (rows["first"] == "least")].set_index(["domain", "removed"])
    shares = {
        name: own.loc[(name, last), "accuracy"] / own.loc[(name, 0), "accuracy"]
        for name in own.index.unique(0)
    }
    worst = min(shares, key=shares.get)
    row = own.loc[(worst, last)]
    note = f"{worst}, whole model {own.loc[(worst, 0), 'accuracy']:.2f}"
    holds = shares[worst] >= at_least
    return Outcome(row["accuracy"], row["low"], row["high"], int(row["n"]), bool(holds), note)


def removed_heads_hurt(selection: Selection, removed: int, measure: str, control: str) -> Outcome:
    """Removing the most important heads of every layer costs more accuracy by one measure than by another.

    Ours is the least difference of a task.
    """
    rows = _effect(selection)
    own = rows[(rows["first"] == "most") & (rows["removed"] == removed)].set_index(["domain", "measure"])
    if own.empty:
        raise Untestable(f"no layer has {removed} heads")
    found = {}
    for name in own.index.unique(0):
        pair = own.loc[[(name, control), (name, measure)]]
        low, high = intervals.of_shares(
            lambda drawn: drawn[:, 0] - drawn[:, 1], pair["accuracy"], pair["n"] * pair["runs"]
        )
        found[name] = Outcome(
            float(pair["accuracy"].iloc[0] - pair["accuracy"].iloc[1]),
            low,
            high,
            int(pair["n"].min()),
            low > 0,
            f"{name}: {pair['accuracy'].iloc[1]:.2f} by {measure}, {pair['accuracy'].iloc[0]:.2f} by {control}",
        )
    return min(found.values(), key=lambda outcome: outcome.ours)


def _effect(selection: Selection) -> pd.DataFrame:
    return over_seeds(selection.table("effect"), ["domain", "measure", "first", "removed"])


def area_larger(selection: Selection, measure: str, control: str) -> Outcome:
    """Removing heads in the order of one measure keeps more accuracy than in that of another, over all shares.

    Ours is the mean difference of areas over runs, all tasks and seeds; n is their number.
    """
    found = _difference_of_areas(selection, measure, control)
    return Outcome(*found[:4], found[1] > 0, found[4])


def area_not_smaller(selection: Selection, measure: str, control: str, margin: Real) -> Outcome:
    """Removing heads in the order of one measure keeps accuracy as well as in that of another, but for a margin."""
    found = _difference_of_areas(selection, measure, control)
    return Outcome(*found[:4], found[1] > -margin, found[4])


def _difference_of_areas(
    selection: Selection, measure: str, control: str
) -> tuple[float, float, float, int, str]:
    table = areas(selection.table("curves")).pivot_table("area", ["domain", "run"], "measure")
    for name in (measure, control):
        if name not in table:
            raise Untestable(f"heads were not ranked by {name}")
    difference = table[measure] - table[control]
    low, high = _of_mean(difference)
    note = f"{table[measure].mean():.3f} against {table[control].mean():.3f}; n is the number of runs"
    return float(difference.mean()), low, high, len(difference), note


def tasks_correlate_most(selection: Selection, first: str, second: str) -> Outcome:
    """Importance of heads correlates more for two like tasks than for the other pairs; ours is their correlation."""
    found = across_tasks(selection.table("importance"))
    found = found[found["first"] != found["second"]]
    alike = (found["first"].isin([first, second])) & (found["second"].isin([first, second]))
    if not alike.any() or alike.all():
        raise Untestable(f"{first} and {second}, and another task, are needed")
    own, others = found[alike].iloc[0], found[~alike]
    best = others.loc[others["pearson"].idxmax()]
    note = (
        f"p = {own['p']:.3f}; mean of other pairs {others['pearson'].mean():.2f}, "
        f"highest {best['pearson']:.2f} ({best['first']}, {best['second']}); n is the number of heads"
    )
    holds = own["pearson"] > best["pearson"]
    return Outcome(own["pearson"], own["low"], own["high"], int(own["heads"]), bool(holds), note)


def trees_keep_answers(selection: Selection) -> Outcome:
    """The edges of trees alone keep answers more often than as many random ones; ours is the difference of shares."""
    rows = selection.table("tree_answers")
    differences = rows["tree"].astype(int) - rows["random"].astype(int)
    low, high = _of_mean(differences)
    shares = answers_kept(rows).pivot_table("share", "domain", "edges")
    note = "; ".join(f"{name}: {row['tree']:.2f}, {row['random']:.2f}" for name, row in shares.iterrows())
    return Outcome(float(differences.mean()), low, high, len(rows), low > 0, note)


def higher_layers_join_parts(selection: Selection) -> Outcome:
    """The highest layer with edges joins the two parts of a pair more often than the lowest; ours is the difference."""
    table = receptive_field(selection.table("edges"))
    if table.empty or table["layer"].nunique() < 2:
        raise Untestable("edges are in fewer than two layers")
    sums = table.assign(joined=table["between"] * table["edges"]).groupby("layer")[["joined", "edges"]].sum()
    shares = sums["joined"] / sums["edges"]
    ends = [shares.index.max(), shares.index.min()]
    low, high = intervals.of_shares(
        lambda drawn: drawn[:, 0] - drawn[:, 1], shares[ends], sums.loc[ends, "edges"].astype(int)
    )
    note = (
        ", ".join(f"layer {layer}: {share:.2f}" for layer, share in shares.items())
        + "; n is the number of edges"
    )
    return Outcome(
        float(shares[ends[0]] - shares[ends[1]]), low, high, int(sums["edges"].sum()), low > 0, note
    )


def triggers_hurt(selection: Selection, at_least: Real) -> Outcome:
    """Triggers lower the accuracy of every class, on average over them by `at_least`; ours is the least mean fall."""
    changes = _changes(selection)["attribution"]
    worst = changes.groupby(["domain", "gold"])["change"].mean().idxmax()
    own = changes[(changes["domain"] == worst[0]) & (changes["gold"] == worst[1])]["change"]
    mean = float(-changes.groupby(["domain", "gold"])["change"].mean().mean())
    low, high = _of_mean(-own)
    note = f"{worst[0]}, {worst[1]}; mean over classes {mean:.2f}; n is the number of runs"
    return Outcome(float(-own.mean()), low, high, len(own), bool(own.mean() < 0 and mean >= at_least), note)


def triggers_hurt_more(selection: Selection, control: str) -> Outcome:
    """Triggers found by attribution lower accuracy more than a control; ours is the mean difference over classes."""
    changes = _changes(selection)
    if control not in changes:
        raise Untestable(f"there were no triggers by {control}")
    place = ["run", "domain", "gold"]
    both = changes["attribution"].merge(changes[control], on=place, suffixes=("", "_control"))
    differences = both["change_control"] - both["change"]
    low, high = _of_mean(differences)
    note = (
        f"{both['change'].mean():+.2f} against {both['change_control'].mean():+.2f}; "
        "n is the number of runs' classes"
    )
    return Outcome(float(differences.mean()), low, high, len(both), low > 0, note)


def _changes(selection: Selection) -> dict[str, pd.DataFrame]:
    """By source: run, domain, gold, change, the mean over the chosen triggers."""
    chosen = chosen_triggers(selection.table("triggers"))
    if not (chosen["source"] == "attribution").any():
        raise Untestable("no trigger was found")
    means = chosen.groupby(["source", "run", "domain", "gold"], sort=False)["change"].mean().reset_index()
    return {source: own.drop(columns="source") for source, own in means.groupby("source")}


def _of_mean(values: pd.Series) -> tuple[float, float]:
    """Student's 95 % interval of a mean; of one value nothing is known."""
    if len(values) < 2:
        return UNKNOWN, UNKNOWN
    half = t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return float(values.mean() - half), float(values.mean() + half)


TESTS: dict[str, Callable[..., Outcome]] = {
    test.__name__: test
    for test in (
        attributions_complete,
        kept_heads_suffice,
        removed_heads_hurt,
        area_larger,
        area_not_smaller,
        tasks_correlate_most,
        trees_keep_answers,
        higher_layers_join_parts,
        triggers_hurt,
        triggers_hurt_more,
    )
}
