"""Accuracies of the best heads, BLEU and persons of subjects, and the sentence whose maps are shown."""

import pandas as pd

from headwork.errors import InputError
from headwork.studies.compare import beside, shares
from headwork.studies.notation import head_name, top_heads

KEYS = ("domain", "pair", "key", "quantity")  # the columns of published/table1.csv


def accuracies(functions: pd.DataFrame, wanted: tuple[str, ...], published: pd.DataFrame) -> pd.DataFrame:
    """Return one row per run and function in `wanted`, in this order: the best head's accuracy and the published one.

    `functions` is gathered from results/heads/<run>.functions.csv. The result has run, domain, pair, label, quantity
    (accuracy), key (the function), head, holds, baseline, ours, low, high, n, published, uncertainty, source and
    published_baseline; a relation without instances has published values only. The best head is chosen on the same
    instances it is scored on, as in the paper.
    """
    runs = functions[["run", "domain", "pair", "label"]].drop_duplicates()
    rows = runs.merge(pd.DataFrame({"function": wanted}), how="cross").assign(quantity="accuracy")
    best = top_heads(functions, by=["run"])
    places = zip(best["layer"], best["head"], strict=True)
    best = shares(best.assign(head=[head_name(*place) for place in places]), "score", "count")
    best = best[["run", "function", "head", "baseline", "holds", "ours", "low", "high", "n"]]
    rows = rows.merge(best, on=["run", "function"], how="left").rename(columns={"function": "key"})
    ours = beside(rows, published, KEYS)
    baselines = published[published["quantity"] == "baseline"][["domain", "pair", "key", "value"]]
    renamed = baselines.rename(columns={"value": "published_baseline"})
    return ours.merge(renamed, on=["domain", "pair", "key"], how="left")


def persons_of_subjects(persons: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Return the share of subjects of each grammatical person in each run's corpus (footnote of table 1)."""
    totals = persons.groupby("run")["count"].transform("sum")
    rows = persons.assign(share=persons["count"] / totals, subjects=totals, quantity="subjects")
    rows = rows.assign(key="person " + persons["person"])
    columns = ["run", "domain", "pair", "label", "quantity", "key", "ours", "low", "high", "n"]
    return beside(shares(rows, "share", "subjects")[columns], published, KEYS)


def bleu(scores: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Return each run's test BLEU with bootstrap interval and signature, and the published one."""
    rows = scores.assign(quantity="BLEU", key="test", ours=scores["bleu"], n=scores["sentences"])
    columns = ["run", "domain", "pair", "label", "quantity", "key", "signature", "ours", "low", "high", "n"]
    return beside(rows[columns], published, KEYS)


def choose_example(examples: pd.DataFrame, longest: int) -> pd.Series:
    """Return the first sentence of at most `longest` tokens with a rare token, or else the shortest with one.

    `examples` has the columns pieces, rare and maps. Raises InputError if no sentence has a rare token.
    """
    having = examples[examples["rare"].map(len) > 0]
    if having.empty:
        raise InputError(
            "none of the example sentences has a rare token; choose others in the config and rerun"
        )
    lengths = having["pieces"].map(len)
    short = having[lengths <= longest]
    return short.iloc[0] if len(short) else having.loc[lengths.idxmin()]


def shown_piece(piece: str, pieces: list[str]) -> str:
    """Return a subword token for figures: without ``</w>``, and with ``@@`` if its word continues.

    Tokens of segmenters without end-of-word marks (``▁``, ``##``) are unchanged.
    """
    if not any(other.endswith("</w>") for other in pieces):
        return piece
    special = piece.startswith("<") and piece.endswith(">") and not piece.endswith("</w>")
    if special or piece.endswith("</w>"):
        return piece.removesuffix("</w>") or piece
    return f"{piece}@@"
