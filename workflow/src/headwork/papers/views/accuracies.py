"""The best head for each relation and direction against its positional baseline (Voita et al. 2019, section 5.2).

Accuracy: the share of relation instances in which the head's largest weight from one word is on the other. Baseline:
the share of the most common offset between the two words. Table 1 and figure 4 show these numbers.
"""

import pandas as pd

from headwork.papers.compare import beside, shares
from headwork.papers.notation import best_heads, head_name

KEYS = ("domain", "pair", "key", "quantity")  # the columns of config/published/voita2019/table1.csv


def accuracies(functions: pd.DataFrame, wanted: tuple[str, ...], published: pd.DataFrame) -> pd.DataFrame:
    """Return one row per run and function in `wanted`, in this order: the best head's accuracy and the published one.

    `functions` is gathered from results/heads/<run>.functions.csv. The result has run, domain, pair, label, quantity
    (accuracy), key (the function), head, holds, baseline, ours, low, high, n, published, uncertainty, source and
    published_baseline; a relation without instances has published values only. The best head is chosen on the same
    instances it is scored on, as in the paper.
    """
    runs = functions[["run", "domain", "pair", "label"]].drop_duplicates()
    rows = runs.merge(pd.DataFrame({"function": wanted}), how="cross").assign(quantity="accuracy")
    best = best_heads(functions, by=["run"])[
        ["run", "function", "layer", "head", "score", "baseline", "count", "holds"]
    ]
    places = zip(best["layer"], best["head"], strict=True)
    best = best.assign(head=[head_name(*place) for place in places])
    best = shares(best, "score", "count").drop(columns=["layer", "score", "count"])
    rows = rows.merge(best, on=["run", "function"], how="left").rename(columns={"function": "key"})
    ours = beside(rows, published, KEYS)
    baselines = published[published["quantity"] == "baseline"][["domain", "pair", "key", "value"]]
    renamed = baselines.rename(columns={"value": "published_baseline"})
    return ours.merge(renamed, on=["domain", "pair", "key"], how="left")


def persons_of_subjects(persons: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Return the share of subjects of each grammatical person in each run's corpus (footnote of table 1)."""
    totals = persons.groupby("run")["count"].transform("sum")
    rows = persons.assign(
        share=persons["count"] / totals,
        subjects=totals,
        quantity="subjects",
        key="person " + persons["person"],
    )
    columns = ["run", "domain", "pair", "label", "quantity", "key", "ours", "low", "high", "n"]
    return beside(shares(rows, "share", "subjects")[columns], published, KEYS)


def bleu(scores: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Return each run's test BLEU with bootstrap interval and signature, and the published one."""
    rows = scores.assign(quantity="BLEU", key="test", ours=scores["bleu"], n=scores["sentences"])
    columns = ["run", "domain", "pair", "label", "quantity", "key", "signature", "ours", "low", "high", "n"]
    return beside(rows[columns], published, KEYS)
