"""Best heads of relations and of coreference, behaviours of heads, and heads on the plane."""

from collections.abc import Sequence

import pandas as pd

from headwork.heads.syntax.best_heads import best_heads
from headwork.parses.ud_to_stanford import counterpart
from headwork.studies.compare import shares
from headwork.studies.notation import head_name
from headwork.studies.rows import where

# Name, statistic, key and threshold; where several hold, the last counts (the authors' code, for figure 6).
BEHAVIOURS = (
    ("next", "attention", "next", 0.5),
    ("previous", "attention", "previous", 0.5),
    ("broad", "entropy", "", 3.8),
    ("cls", "attention", "cls", 0.6),
    ("sep", "attention", "sep", 0.6),
    ("punctuation", "attention", "punctuation", 0.6),
)


def behaviours(
    statistics: pd.DataFrame, rules: Sequence[tuple[str, str, str, float]] = BEHAVIOURS
) -> pd.DataFrame:
    """kind, layer, head, behaviour: the main behaviour ("" for none), from surface statistics and entropy.

    A head is ``next`` if it gives more than half of its attention to the next token, and so on; ``broad`` if its
    entropy is over 3.8 nats, four fifths of what a text of 120 tokens allows: on short texts give another threshold.
    """
    place = ["kind", "layer", "head"]
    found = statistics[place].drop_duplicates(ignore_index=True).assign(behaviour="")
    found = found.set_index(place)
    for name, statistic, key, threshold in rules:
        rows = where(statistics, statistic=statistic, key=key)
        over = rows[rows["value"] > threshold].set_index(place).index
        found.loc[found.index.isin(over), "behaviour"] = name
    return found.reset_index()


# Not a relation of the paper's table: a root has no head.
NO_RELATIONS = ("root", "punct", "all but punct")
BROAD = 0.8  # share of the entropy of uniform attention; in the paper 3.8 of 4.785 nats
INSTANCES = 100
RULES = {
    "nearest": "nearest mention",
    "head-match": "same head word",
    "sieves": "rules",
    "random": "by chance",
}
NOT_RUN = {"neural": "neural coreference system"}
CANDIDATES = {
    "preceding-mentions": "mentions before",
    "other-mentions": "all mentions",
    "any-word": "all words",
}


def stanford(relation: str) -> str:
    """Return the Stanford label that covers the same arcs, or ""."""
    if relation == "all":
        return relation
    found = counterpart(relation)
    return found.stanford if found is not None and found.exact else ""


def relations_found(words: pd.DataFrame, offsets: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Clark et al. (2019), table 1: a row per relation of 100 words or more, all words first, then the most frequent.

    Columns: relation, stanford, layer, head, direction, accuracy, low, high, n, split_half, offset, baseline,
    published_accuracy, published_baseline.
    """
    best = best_heads(words, INSTANCES)
    best = best[(best["kind"] == "encoder") & ~best["relation"].isin(NO_RELATIONS)]
    table = best.merge(offsets[["relation", "offset", "share"]], on="relation")
    table = shares(table.rename(columns={"share": "baseline"}), "accuracy", "count")
    table["stanford"] = [stanford(relation) for relation in table["relation"]]
    theirs = published.pivot_table("value", "relation", "quantity").rename(columns="published_{}".format)
    table = table.merge(theirs, left_on="stanford", right_index=True, how="left")
    order = table["relation"].ne("all")
    table = table.assign(order=order).sort_values(["order", "count"], ascending=[True, False], kind="stable")
    columns = ["relation", "stanford", "layer", "head", "direction", "accuracy", "low", "high", "n"]
    columns += ["split_half", "offset", "baseline", "published_accuracy", "published_baseline"]
    return table[columns].reset_index(drop=True)


def antecedents_found(words: pd.DataFrame, rules: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Clark et al. (2019), table 2: rules among preceding mentions, then the best head for each definition of
    candidates.

    Published systems that are not run here come last, without candidates and values of ours.

    Columns: system, name, candidates, kind, ours, low, high, n, published, uncertainty, source.
    """
    heads = pd.concat([_best_of(words, name) for name in CANDIDATES])
    known = rules[(rules["candidates"] == "preceding-mentions") & rules["rule"].isin(RULES)]
    known = known.rename(columns={"rule": "system"}).assign(name=lambda table: table["system"].map(RULES))
    columns = ["system", "name", "candidates", "kind"]
    table = shares(pd.concat([known, heads])[[*columns, "accuracy", "count"]], "accuracy", "count")
    theirs = published.rename(columns={"value": "published"})
    table = table.merge(theirs, on=["system", "kind"], how="left")
    only_theirs = theirs[theirs["system"].isin(NOT_RUN)].assign(candidates="")
    only_theirs = only_theirs.assign(name=only_theirs["system"].map(NOT_RUN))
    table = pd.concat([table, only_theirs], ignore_index=True)
    return table[[*columns, "ours", "low", "high", "n", "published", "uncertainty", "source"]]


def _best_of(words: pd.DataFrame, candidates: str) -> pd.DataFrame:
    """Return the head and direction with the highest accuracy for these candidates, with its accuracy by kind."""
    rows = where(words, statistic="coreference").drop(columns="kind", errors="ignore").copy()
    rows[["candidates", "direction", "kind"]] = rows["key"].str.split("/", expand=True).to_numpy()
    rows = where(rows, candidates=candidates)
    ranked = rows.sort_values(["value", "layer", "head"], ascending=[False, True, True], kind="stable")
    best = where(ranked, kind="all").iloc[0]
    place = ["layer", "head", "direction"]
    own = rows[(rows[place] == best[place]).all(axis=1)].rename(columns={"value": "accuracy"})
    name = f"{head_name(best['layer'], best['head'])}, {best['direction'].replace('-', ' ')}"
    return own.assign(system="head", name=name)


def behaviour_rules(even: float) -> list[tuple[str, str, str, float]]:
    """Return the thresholds of the authors' code; that of broad heads is relative to `even`, the uniform entropy."""
    return [(*rule, BROAD * even if rule[0] == "broad" else threshold) for *rule, threshold in BEHAVIOURS]


def on_the_plane(
    points: pd.DataFrame, statistics: pd.DataFrame, words: pd.DataFrame, even: float
) -> pd.DataFrame:
    """Clark et al. (2019), figure 6: layer, head, x, y, behaviour, best_at (the relations that a head is best at).

    `even` is the entropy of uniform attention in nats; a broad head has more than four fifths of it.
    """
    named = behaviours(statistics, behaviour_rules(even))[["layer", "head", "behaviour"]]
    rows = words[words["statistic"].isin(["coreference", "dependency"]) & (words["count"] >= INSTANCES)]
    groups = rows["key"].str.split("/").str[0].where(rows["statistic"] == "dependency", "coreference")
    rows = rows[~groups.isin(["all", *NO_RELATIONS])]
    best = rows.loc[rows["value"].groupby(groups).idxmax()].assign(group=groups)
    found = best.groupby(["layer", "head"])["group"].agg(", ".join).rename("best_at").reset_index()
    place = ["layer", "head"]
    table = points.merge(named, on=place).merge(found, on=place, how="left")
    return table[[*place, "x", "y", "behaviour", "best_at"]]


def uniform_entropy(chance: pd.DataFrame) -> float:
    """The entropy of uniform attention in nats, a mean over texts, from the table `chance` of one run."""
    return float(chance.set_index("key")["value"]["entropy"])
