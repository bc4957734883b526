"""Names of heads and functions in figures and tables: ``encoder 3-5``, ``v→s``, ``+1``, ``rare``.

Function names in tables are paths: ``positional/-1``, ``syntactic/nsubj/to-dependent``, ``rare``. The short
forms are those of Voita et al. (2019), figure 1 and table 1; the long ones those of their table 1.
"""

from numbers import Integral

import pandas as pd

from headwork.heads.syntax.directions import HEAD_TO_DEPENDENT, STORED

RELATIONS = ("nsubj", "obj", "amod", "advmod")

# The rows of table 1, in its order.
SYNTACTIC = tuple(
    f"syntactic/{relation}/{direction}" for relation in RELATIONS for direction in STORED.values()
)

# Kinds of attention, in the paper's terms.
ATTENTIONS = {
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
    "cross": "decoder-encoder attention",
}

_SHORT = {"nsubj": ("v", "s"), "obj": ("v", "o"), "amod": ("n", "adj"), "advmod": ("v", "adv")}
_LONG = {"nsubj": ("verb", "subject"), "obj": ("verb", "object")}
_LONG |= {"amod": ("noun", "adjective"), "advmod": ("verb", "adverb")}


def share(value: float, decimals: int = 3) -> str:
    """Format a share, score or error rate for figures and tables, ``0.843``; a dash for NaN."""
    return "–" if pd.isna(value) else f"{value:.{decimals}f}"


def group(function: str) -> str:
    """Return the group of a function, which decides its colour: ``positional``, ``syntactic`` or ``rare``."""
    return function.split("/", 1)[0]


def _arrow(function: str, names: dict[str, tuple[str, str]]) -> str:
    _, relation, direction = function.split("/")
    head, dependent = names.get(relation, ("head", relation))
    return f"{head}→{dependent}" if direction == STORED[HEAD_TO_DEPENDENT] else f"{dependent}→{head}"


def short(function: str) -> str:
    """Return the label inside a cell: ``−1``, ``v→s``, ``rare``."""
    kind = group(function)
    if kind == "positional":
        return function.split("/")[1].replace("-", "−")
    return _arrow(function, _SHORT) if kind == "syntactic" else function


def long(function: str) -> str:
    """Return the label of a table row: ``verb→subject``, ``previous token``, ``next token``, ``rare token``."""
    kind = group(function)
    if kind == "positional":
        offset = function.split("/")[1]
        return {"-1": "previous token", "+1": "next token"}.get(offset, f"token at {short(function)}")
    return _arrow(function, _LONG) if kind == "syntactic" else "rare token"


def head_name(layer: Integral, head: Integral, kind: str = "encoder") -> str:
    """``encoder 3-5``: kind, layer and head, both counted from 1."""
    return f"{kind} {layer}-{head}"


def held(functions: pd.DataFrame) -> pd.DataFrame:
    """Return the functions that heads have, one row each, a head's best first.

    `functions` has the columns of results/heads/<run>.functions.csv; the result adds `group` (positional,
    syntactic, rare) and `label` (the short form), sorted by layer, head and falling score.
    """
    rows = functions[functions["holds"]].copy()
    rows["group"] = [group(name) for name in rows["function"]]
    rows["label"] = [short(name) for name in rows["function"]]
    return rows.sort_values(
        ["layer", "head", "score", "function"], ascending=[True, True, False, True], ignore_index=True
    )


def top_heads(functions: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the head with the highest score for each function, within each group of the columns `by`.

    Ties are resolved by the lower layer, then the lower head, independently of the order of rows.
    """
    ranked = functions.sort_values(["score", "layer", "head"], ascending=[False, True, True])
    return ranked.drop_duplicates([*by, "function"]).sort_values([*by, "function"], ignore_index=True)
