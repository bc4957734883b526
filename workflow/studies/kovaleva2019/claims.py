"""Tests of claims about fine-tuned models and attention patterns."""

from numbers import Real

import pandas as pd

from headwork.studies.notation import head_name
from headwork.studies.rows import of_statistic, where, without_a_head
from headwork.studies.selection import Outcome, Selection, Untestable

from .tables import (
    REGULAR,
    chosen_elsewhere,
    first_metric,
    last_layers,
    over_seeds,
    shares_of_patterns,
    without_a_layer,
)


def regular_patterns_at_least(selection: Selection, at_least: Real) -> Outcome:
    """In every task at least that share of maps has a regular pattern; ours is the smallest share."""
    table = shares_of_patterns(selection.table("tasks"))
    regular = where(table, pattern=list(REGULAR)).groupby("domain", sort=False)
    shares, counts = regular["share"].sum(), regular["count"].first()
    least = str(shares.idxmin())
    note = ", ".join(f"{domain} {share:.2f}" for domain, share in shares.items())
    return Outcome.of_share(float(shares[least]), counts[least], shares[least] >= at_least, note)


def most_frequent_regular_pattern(selection: Selection, pattern: str) -> Outcome:
    """The pattern is the most frequent regular one in every task; ours is the number of such tasks."""
    regular = where(shares_of_patterns(selection.table("tasks")), pattern=list(REGULAR))
    first = regular.loc[regular.groupby("domain", sort=False)["share"].idxmax()].set_index("domain")
    such = (first["pattern"] == pattern).sum()
    note = ", ".join(f"{domain}: {row['pattern']} {row['share']:.2f}" for domain, row in first.iterrows())
    return Outcome.without_interval(such, len(first), such == len(first), note)


def last_layers_change_most(selection: Selection, layers: int, tasks: int) -> Outcome:
    """In at least `tasks` tasks, maps of the last layers change more than those below; ours is the number of tasks."""
    table = last_layers(selection.table("tasks"), layers)
    if table["others"].isna().any():
        raise Untestable(f"the model has no more than {layers} layers")
    such = (table["last"] < table["others"]).sum()
    note = ", ".join(f"{row.Index} {row.last:.2f} against {row.others:.2f}" for row in table.itertuples())
    return Outcome.without_interval(such, len(table), such >= selection.needed(tasks), note)


def highest_layer_over(selection: Selection, feature: str, above: Real, tasks: int) -> Outcome:
    """In at least `tasks` tasks some layer's mean attention to a feature exceeds `above`; ours is the least maximum."""
    rows = of_statistic(selection.table("tasks"), "feature", feature)
    if rows.empty:
        raise Untestable(f"{feature} was not measured")
    means = rows.groupby(["domain", "layer"], sort=False)["value"].mean()
    highest = means.groupby("domain", sort=False).max()
    note = ", ".join(f"{domain} {value:.2f}" for domain, value in highest.items())
    holds = (highest > above).sum() >= selection.needed(tasks)
    return Outcome.without_interval(highest.min(), len(highest), holds, note)


def role_heads_stand_out(selection: Selection, times: Real) -> Outcome:
    """The best head's attention along predicate-argument links is at least `times` the median head's; ours is the
    former.
    """
    words = selection.table("words")
    rows = words[words["statistic"] == "role"]
    if rows.empty:
        raise Untestable("the trees have no roles")
    best = rows.loc[rows["value"].idxmax()]
    median = float(rows["value"].median())
    ratio = float(best["value"] / median)
    note = f"{head_name(best['layer'], best['head'])}, {ratio:.1f} times the median at {median:.3f}"
    return Outcome.without_interval(best["value"], best["count"], ratio >= times, note)


def no_role_head_stands_out(selection: Selection, times: Real) -> Outcome:
    """The opposite of `role_heads_stand_out`."""
    outcome = role_heads_stand_out(selection, times)
    return outcome._replace(holds=not outcome.holds)


def best_removal_helps(selection: Selection, what: str, method: str, tasks: int) -> Outcome:
    """In at least `tasks` tasks, the head (or layer) chosen on other seeds raises the score on a held-out seed.

    `what`: ``head`` or ``layer``. Ours is the number of tasks; the note has each task's mean change over the seeds.
    """
    table = chosen_elsewhere(_disabled(selection, what, method))
    if table.empty:
        raise Untestable("no task has runs with several seeds")
    such = (table["low"] > 0).sum()
    note = ", ".join(
        f"{row.domain} {row.places} {100 * row.change:+.1f} [{100 * row.low:+.1f}, {100 * row.high:+.1f}]"
        for row in table.itertuples()
    )
    return Outcome.without_interval(such, len(table), such >= selection.needed(tasks), f"points: {note}")


def removals_that_do_not_hurt(selection: Selection, what: str, method: str, at_least: Real) -> Outcome:
    """At least a share `at_least` of heads (or layers) can be disabled one at a time without a significant loss."""
    rows = over_seeds(_disabled(selection, what, method))
    harmless = rows["high"] >= 0
    share = int(harmless.sum()) / len(rows)
    by_task = harmless.groupby(rows["domain"], sort=False).mean()
    note = ", ".join(f"{domain} {share:.2f}" for domain, share in by_task.items())
    return Outcome.of_share(share, len(rows), share >= at_least, note)


def pretraining_beats_random(selection: Selection, tasks: int) -> Outcome:
    """In at least `tasks` tasks, fine-tuning scores higher from the pretrained model than from random weights."""
    tuned = where(first_metric(selection.table("glue")), state="splits")
    own = tuned[tuned["trained"]].groupby("domain", sort=False)["value"].mean()
    random = tuned[~tuned["trained"]].set_index("domain")["value"]
    if random.empty:
        raise Untestable("no run was fine-tuned from random weights")
    gains = (own - random).dropna()
    such = (gains > 0).sum()
    note = ", ".join(f"{domain} {own[domain]:.2f} against {random[domain]:.2f}" for domain in gains.index)
    return Outcome.without_interval(such, len(gains), such >= selection.needed(tasks), note)


def _disabled(selection: Selection, what: str, method: str) -> pd.DataFrame:
    rows = where(selection.table("disabling"), method=method)
    rows = without_a_head(rows) if what == "head" else without_a_layer(rows)
    if rows.empty:
        raise Untestable(f"no {what} was disabled by {method}")
    return rows
