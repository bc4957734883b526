"""The claims and their verdicts: drawn as one table for the report, and as metrics."""

import textwrap
from numbers import Real
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from headwork.papers.sheet import draw_sheet

SENTENCE = 70  # characters in a line of the first column


def _number(value: Real, count: bool) -> str:
    return "–" if pd.isna(value) else f"{value:.{0 if count else 2}f}"


def draw_verdicts(claims: pd.DataFrame) -> Figure:
    """One entry per row of what `judge` found: sentence, published, ours with its interval, n, verdict."""
    rows, rules = [["claim", "published", "this run [95 %]", "n", "verdict"]], []
    for _, claim in claims.iterrows():
        first, *rest = textwrap.wrap(claim["claim"], SENTENCE)
        figures = claim[["published", "ours"]].dropna()
        count = all(float(value).is_integer() for value in figures) and any(value > 1 for value in figures)
        ours = _number(claim["ours"], count)
        if not pd.isna(claim["low"]):
            ours += f" [{_number(claim['low'], count)}, {_number(claim['high'], count)}]"
        verdict = claim["verdict"].removesuffix(" at this scale")
        rows.append([first, _number(claim["published"], count), ours, f"{claim['n']:.0f}", verdict])
        rows += [[line] for line in rest]
        rules.append(len(rows))
    note = "Reasons, the heads looked at and the sources of the published figures are in the csv."
    return draw_sheet(rows, [9.8, 1.6, 3.3, 1.4, 3.0], rules=rules[:-1], notes=[note])


def metrics(claims: pd.DataFrame) -> dict[str, dict[str, dict[str, Any]]]:
    """Study -> claim -> what it came to (None where it cannot be tested) and the verdict."""
    return {
        study: {row["claim"]: {"ours": row["ours"], "verdict": row["verdict"]} for _, row in rows.iterrows()}
        for study, rows in claims.astype(object).where(claims.notna(), None).groupby("study")
    }
