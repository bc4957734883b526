"""Tests of claims about attribution, head importance, trees and triggers.

Runs that differ in their seeds alone are pooled. If one task decides for several, it is the one that fits the claim
worst.
"""

from numbers import Real

import pandas as pd

from headwork import intervals
from headwork.studies.rows import where
from headwork.studies.selection import Outcome, Selection, Untestable

from .tables import across_tasks, answers_kept, areas, chosen_triggers, lead_of_pair, over_seeds


def attributions_complete(selection: Selection, tolerance: Real, negligible: Real, at_least: Real) -> Outcome:
    """Attributions sum to F(A) - F(0) for each example and layer, within a share `tolerance` or within `negligible`.

    Ours is the share of examples and layers for which this holds.
    """
    rows = selection.table("completeness")
    bound = (tolerance * rows["change"].abs()).clip(lower=negligible)
    share, count = float((rows["missing"].abs() <= bound).mean()), len(rows)
    note = f"at most {rows['missing'].abs().max():.4f} is missing; nodes {rows['steps'].min()} to {rows['steps'].max()}"
    return Outcome.of_share(share, count, share >= at_least, note)


def kept_heads_suffice(selection: Selection, measure: str, kept: int, at_least: Real) -> Outcome:
    """The `kept` most important heads of every layer keep at least that share of the whole model's accuracy.

    Heads are chosen separately for each example. Ours is the accuracy of the task with the lowest share.
    """
    rows = over_seeds(selection.table("effect"), ["domain", "measure", "first", "removed"])
    last = rows["removed"].max() - kept
    if last < 1:
        raise Untestable(f"no layer has more than {kept} heads")
    own = where(rows, measure=measure, first="least").set_index(["domain", "removed"])
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

    Ours is the smallest mean difference of a task over its runs, which all have the same texts.
    """
    rows = where(selection.table("effect"), first="most", removed=removed)
    if rows.empty:
        raise Untestable(f"no layer has {removed} heads")
    table = rows.pivot_table("accuracy", ["domain", "run"], "measure")
    differences = table[control] - table[measure]
    worst = differences.groupby("domain").mean().idxmin()
    own, accuracies = differences[worst], table.loc[worst].mean()
    note = (
        f"{worst}: {accuracies[measure]:.2f} by {measure}, {accuracies[control]:.2f} by {control}; "
        "n is the number of runs"
    )
    return Outcome.around(*intervals.of_mean(own), len(own), note)


def area_larger(selection: Selection, measure: str, control: str) -> Outcome:
    """Removing heads in the order of one measure keeps more accuracy than in that of another, over all shares.

    Ours is the mean difference of areas over runs, all tasks and seeds; n is their number.
    """
    return _difference_of_areas(selection, measure, control)


def area_not_smaller(selection: Selection, measure: str, control: str, margin: Real) -> Outcome:
    """Removing heads in the order of one measure keeps as much accuracy as in that of another, within a margin."""
    found = _difference_of_areas(selection, measure, control)
    return found._replace(holds=found.low > -margin)


def _difference_of_areas(selection: Selection, measure: str, control: str) -> Outcome:
    table = areas(selection.table("curves")).pivot_table("area", ["domain", "run"], "measure")
    for name in (measure, control):
        if name not in table:
            raise Untestable(f"heads were not ranked by {name}")
    difference = table[measure] - table[control]
    note = f"{table[measure].mean():.3f} against {table[control].mean():.3f}; n is the number of runs"
    return Outcome.around(*intervals.of_mean(difference), len(difference), note)


def tasks_correlate_most(selection: Selection, first: str, second: str) -> Outcome:
    """Head importance correlates more between these two tasks than between any others; ours is the difference.

    The bootstrap samples seeds and examples, the same for all pairs.
    """
    importance = selection.table("importance")
    found = across_tasks(importance)
    same = found["first"] == found["second"]
    agreement, found = found[same], found[~same]
    alike = (found["first"].isin([first, second])) & (found["second"].isin([first, second]))
    if not alike.any() or alike.all():
        raise Untestable(f"{first} and {second}, and another task, are needed")
    own, others = found[alike].iloc[0], found[~alike]
    best = others.loc[others["pearson"].idxmax()]
    ours, low, high = lead_of_pair(importance, first, second)
    seeds = ", ".join(f"{row.first} {row.pearson:.2f}" for row in agreement.itertuples())
    note = (
        f"r = {own['pearson']:.2f} [{own['low']:.2f}, {own['high']:.2f}], p = {own['p']:.3f}; "
        f"mean of other pairs {others['pearson'].mean():.2f}, "
        f"highest {best['pearson']:.2f} ({best['first']}, {best['second']}); "
        f"seeds of one task: {seeds or 'one run each'}; n is the number of runs"
    )
    return Outcome(ours, low, high, importance["run"].nunique(), low > 0, note)


def trees_keep_answers(selection: Selection) -> Outcome:
    """The edges of trees alone preserve predictions more often than as many random ones.

    Ours is the mean difference of shares over runs, all tasks and seeds.
    """
    rows = selection.table("tree_answers")
    of_runs = rows.groupby("run")[["tree", "random"]].mean()
    differences = of_runs["tree"] - of_runs["random"]
    shares = answers_kept(rows).pivot_table("share", "domain", "edges")
    note = "; ".join(f"{name}: {row['tree']:.2f}, {row['random']:.2f}" for name, row in shares.iterrows())
    note += "; n is the number of runs"
    return Outcome.around(*intervals.of_mean(differences), len(differences), note)


def higher_layers_join_parts(selection: Selection) -> Outcome:
    """A larger share of edges links the two sentences in the highest layer with edges than in the lowest.

    Ours is the mean difference over runs, all tasks and seeds, that have edges in both layers.
    """
    edges = selection.table("edges")
    of_runs = edges.pivot_table("between", "run", "layer")
    if of_runs.shape[1] < 2:
        raise Untestable("edges are in fewer than two layers")
    highest, lowest = of_runs.columns.max(), of_runs.columns.min()
    differences = (of_runs[highest] - of_runs[lowest]).dropna()
    if differences.empty:
        raise Untestable(f"no run has edges in layers {lowest} and {highest}")
    shares = edges.groupby("layer")["between"].mean()
    note = ", ".join(f"layer {layer}: {share:.2f}" for layer, share in shares.items())
    note += "; n is the number of runs"
    return Outcome.around(*intervals.of_mean(differences), len(differences), note)


def triggers_hurt(selection: Selection, at_least: Real) -> Outcome:
    """Triggers lower the accuracy of every class, by `at_least` on average; ours is the smallest mean decrease."""
    changes = _changes(selection)["attribution"]
    means = changes.groupby(["domain", "gold"])["change"].mean()
    domain, gold = means.idxmax()
    own, mean = where(changes, domain=domain, gold=gold)["change"], -means.mean()
    note = f"{domain}, {gold}; mean over classes {mean:.2f}; n is the number of runs"
    outcome = Outcome.around(*intervals.of_mean(-own), len(own), note)
    return outcome._replace(holds=outcome.ours > 0 and mean >= at_least)


def triggers_hurt_more(selection: Selection, control: str) -> Outcome:
    """Triggers found by attribution lower accuracy more than a control; ours is the mean difference over classes."""
    changes = _changes(selection)
    if control not in changes:
        raise Untestable(f"there were no triggers by {control}")
    place = ["run", "domain", "gold"]
    both = changes["attribution"].merge(changes[control], on=place, suffixes=("", "_control"))
    differences = both["change_control"] - both["change"]
    note = f"{both['change'].mean():+.2f} against {both['change_control'].mean():+.2f}; "
    note += "n is the number of runs' classes"
    return Outcome.around(*intervals.of_mean(differences), len(both), note)


def _changes(selection: Selection) -> dict[str, pd.DataFrame]:
    """By source: run, domain, gold, change, the mean over the chosen triggers."""
    chosen = chosen_triggers(selection.table("triggers"))
    if not (chosen["source"] == "attribution").any():
        raise Untestable("no trigger was found")
    means = chosen.groupby(["source", "run", "domain", "gold"], sort=False)["change"].mean().reset_index()
    return {source: own.drop(columns="source") for source, own in means.groupby("source")}
