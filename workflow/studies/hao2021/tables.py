"""Tables of attribution in the form that the items and claims of hao2021 need.

Runs of one domain (the task) differ in their seeds alone. A mean over them has the interval of
`headwork.intervals.of_seeds`, which covers the choice of examples and of seeds.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from headwork import intervals

TOP = 3  # triggers shown of each class
SEED = 20210202  # arbitrary; fixed, so that tables are byte-identical between runs
HEAD = ["layer", "head"]


def over_seeds(rows: pd.DataFrame, by: Sequence[str], value: str = "accuracy") -> pd.DataFrame:
    """`by`, value, low, high, runs, n: means over runs of shares of `n` examples each.

    Rows of one run that agree in `by` (random orders) are averaged first.
    """
    own = rows.groupby(["run", *by], sort=False).agg(**{value: (value, "mean"), "n": ("n", "first")})
    found = []
    for key, runs in own.groupby(list(by), sort=False):
        ends = map(intervals.wilson, runs[value].clip(0, 1).tolist(), runs["n"].tolist())
        halves = [(high - low) / 2 for low, high in ends]
        mean, half = intervals.of_seeds(runs[value].tolist(), halves)
        found.append((*key, mean, mean - half, mean + half, len(runs), int(runs["n"].min())))
    return pd.DataFrame(found, columns=[*by, value, "low", "high", "runs", "n"])


def areas(curves: pd.DataFrame) -> pd.DataFrame:
    """domain, run, measure, area: the mean accuracy over shares of heads removed; random orders are averaged."""
    own = curves.groupby(["domain", "run", "measure", "share"], sort=False)["accuracy"].mean().reset_index()
    found = [
        (*key, float(np.trapezoid(rows["accuracy"], rows["share"]) / np.ptp(rows["share"])))
        for key, rows in own.groupby(["domain", "run", "measure"], sort=False)
    ]
    return pd.DataFrame(found, columns=["domain", "run", "measure", "area"])


def of_heads(importance: pd.DataFrame) -> dict[str, dict[str, np.ndarray]]:
    """Domain -> run -> (example, head): the attribution of every head, in the order of the model."""
    rows = importance[importance["measure"] == "attribution"]
    return {
        domain: {
            run: table.pivot_table(index="example", columns=HEAD, values="value").to_numpy()
            for run, table in own.groupby("run", sort=False)
        }
        for domain, own in rows.groupby("domain", sort=False)
    }


def across_tasks(
    importance: pd.DataFrame, draws: int = 1000, permutations: int = 9999, confidence: float = 0.95
) -> pd.DataFrame:
    """first, second, pearson, low, high, spearman, p, heads, examples: importance across each pair of tasks.

    Means over the seeds of each task are correlated. The interval is of a bootstrap over seeds and examples (of a task
    with one run it is over examples alone); p is the share of permutations of heads with as large a correlation. Rows
    of a task with itself hold the mean correlation between pairs of its seeds, without interval: an upper bound for the
    others.
    """
    values, chance = of_heads(importance), np.random.default_rng(SEED)
    means, drawn = _over_runs(values), _drawn(values, draws, chance)
    rows, tails = [], [(1 - confidence) / 2, (1 + confidence) / 2]
    for first, second in combinations(values, 2):
        one, other = means[first], means[second]
        r = float(_pearson(one, other))
        low, high = np.quantile(_pearson(drawn[first], drawn[second]), tails)
        permuted = np.array([chance.permutation(other) for _ in range(permutations)])
        p = (1 + (_pearson(one, permuted) >= r - 1e-12).sum()) / (1 + permutations)
        rho = float(_pearson(rankdata(one), rankdata(other)))
        sizes = min(len(own) for domain in (first, second) for own in values[domain].values())
        rows.append((first, second, r, low, high, rho, p, len(one), sizes))
    for domain, runs in values.items():
        pairs = [_pearson(a.mean(0), b.mean(0)) for a, b in combinations(runs.values(), 2)]
        if pairs:
            sizes = min(map(len, runs.values()))
            rows.append((domain, domain, float(np.mean(pairs)), *[np.nan] * 4, len(means[domain]), sizes))
    columns = ["first", "second", "pearson", "low", "high", "spearman", "p", "heads", "examples"]
    return pd.DataFrame(rows, columns=columns)


def lead_of_pair(
    importance: pd.DataFrame, first: str, second: str, draws: int = 1000, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return by how much two tasks correlate more than the best other pair, with the interval (low, high).

    The interval is of the bootstrap of `across_tasks`: in each draw of seeds and examples all pairs are compared, and
    the best other pair may be another one.
    """
    values = of_heads(importance)
    others = [pair for pair in combinations(values, 2) if {*pair} != {first, second}]

    def lead(means: Mapping[str, np.ndarray]) -> np.ndarray | np.floating:
        best = np.max([_pearson(means[one], means[other]) for one, other in others], axis=0)
        return _pearson(means[first], means[second]) - best

    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.quantile(lead(_drawn(values, draws, np.random.default_rng(SEED))), tails)
    return float(lead(_over_runs(values))), float(low), float(high)


def _over_runs(values: Mapping[str, Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Domain -> (head): means over examples, then over runs."""
    return {
        domain: np.mean([own.mean(0) for own in runs.values()], axis=0) for domain, runs in values.items()
    }


def _drawn(
    values: Mapping[str, Mapping[str, np.ndarray]], draws: int, chance: np.random.Generator
) -> dict[str, np.ndarray]:
    """Domain -> (draw, head): the same for a bootstrap over runs and over the examples of each run."""
    return {
        domain: np.mean([_run_drawn(list(runs.values()), draws, chance) for _ in runs], axis=0)
        for domain, runs in values.items()
    }


def _run_drawn(runs: Sequence[np.ndarray], draws: int, chance: np.random.Generator) -> np.ndarray:
    """Return (draw, head): for a random run in each draw, the mean over its examples drawn with replacement."""
    chosen = chance.integers(len(runs), size=draws)
    found = np.empty((draws, runs[0].shape[1]))
    for number, own in enumerate(runs):
        here = chosen == number
        counts = chance.multinomial(len(own), np.full(len(own), 1 / len(own)), size=here.sum())
        found[here] = counts @ own / len(own)
    return found


def _pearson(one: np.ndarray, other: np.ndarray) -> np.ndarray | np.floating:
    """Return Pearson's r along the last axis; 0 where one side is constant."""
    one, other = (side - side.mean(-1, keepdims=True) for side in (one, other))
    lengths = np.sqrt((one**2).sum(-1) * (other**2).sum(-1))
    return (one * other).sum(-1) / np.where(lengths > 0, lengths, np.inf)


def receptive_field(edges: pd.DataFrame) -> pd.DataFrame:
    """domain, layer, distance, sd, between, examples, edges: the edges of each layer over the examples of all seeds.

    `distance` is the mean over examples of the mean |i - j| of an example's edges, `sd` its deviation over examples,
    `between` the share of edges between the two parts of a pair.
    """
    own = edges.groupby(["domain", "layer", "run", "example"])
    links = {"between": ("between", "sum"), "edges": ("between", "size")}
    of_examples = own.agg(distance=("distance", "mean"), **links).reset_index()
    found = of_examples.groupby(["domain", "layer"], sort=False)
    spread = {"distance": ("distance", "mean"), "sd": ("distance", lambda values: values.std(ddof=0))}
    sums = {"between": ("between", "sum"), "examples": ("edges", "size"), "edges": ("edges", "sum")}
    table = found.agg(**spread, **sums).reset_index()
    return table.assign(between=table["between"] / table["edges"])


def answers_kept(answers: pd.DataFrame) -> pd.DataFrame:
    """domain, edges, share, low, high, runs, n: how often a tree's edges, or random ones, preserve the prediction."""
    groups = answers.groupby(["domain", "run"], sort=False)
    shares = groups.agg(tree=("tree", "mean"), random=("random", "mean"), n=("tree", "size"))
    rows = shares.reset_index().melt(["domain", "run", "n"], ["tree", "random"], "edges", "share")
    return over_seeds(rows, ["domain", "edges"], "share")


def chosen_triggers(triggers: pd.DataFrame) -> pd.DataFrame:
    """run, domain, source, gold, rank, trigger, pieces, clean, accuracy, change, n: those that hurt each class most.

    Triggers are chosen on one half of dev, where `rank` 1 has the largest effect; `clean` and `accuracy` are on the
    other half. There are at most `TOP` of each source.
    """
    place = ["run", "domain", "source", "gold", "trigger"]
    choose, judge = triggers[triggers["half"] == 0], triggers[triggers["half"] == 1]
    lost = choose.assign(lost=choose["clean"] - choose["accuracy"])[[*place, "lost"]]
    table = judge.merge(lost, on=place)
    table = table.sort_values(["lost", "trigger"], ascending=[False, True], kind="stable")
    rank = table.groupby(["run", "source", "gold"], sort=False).cumcount() + 1
    table = table.assign(rank=rank, change=table["accuracy"] - table["clean"])
    columns = [
        "run",
        "domain",
        "source",
        "gold",
        "rank",
        "trigger",
        "pieces",
        "clean",
        "accuracy",
        "change",
        "n",
    ]
    return table[table["rank"] <= TOP][columns].sort_values(["domain", "gold", "source", "run", "rank"])


def by_class(chosen: pd.DataFrame) -> pd.DataFrame:
    """domain, gold, row, value, low, high, runs, n: clean accuracy, that with each trigger, and mean changes.

    `row` is ``clean``, ``attribution 1`` to `TOP`, and ``<source> change``, the mean over a source's triggers. Changes
    have the interval of the mean over runs (none for one run); shares have that of `over_seeds`.
    """
    tables = []
    shares = {"clean": chosen[chosen["source"] == "none"]}
    for rank in range(1, TOP + 1):
        shares[f"attribution {rank}"] = chosen[(chosen["source"] == "attribution") & (chosen["rank"] == rank)]
    for row, own in shares.items():
        if len(own):
            tables.append(over_seeds(own, ["domain", "gold"]).assign(row=row))
    for source in ("attribution", "attention", "random"):
        own = chosen[chosen["source"] == source].groupby(["domain", "gold", "run"], sort=False)
        runs = own.agg(change=("change", "mean"), n=("n", "first"))
        for (domain, gold), values in runs.groupby(["domain", "gold"], sort=False):
            mean, half = intervals.of_mean(values["change"])
            row = (domain, gold, mean, mean - half, mean + half, len(values), int(values["n"].min()))
            columns = ["domain", "gold", "accuracy", "low", "high", "runs", "n"]
            tables.append(pd.DataFrame([row], columns=columns).assign(row=f"{source} change"))
    table = pd.concat(tables, ignore_index=True).rename(columns={"accuracy": "value"})
    return table[["domain", "gold", "row", "value", "low", "high", "runs", "n"]]
