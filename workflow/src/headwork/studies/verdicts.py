"""The claims and their verdicts: drawn as one table for the report, and as metrics."""

import math
import textwrap
from numbers import Real
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from headwork.studies.drawing.sheet import draw_sheet
from headwork.studies.judging import CONTROL

SENTENCE = 70  # characters in a line of the first column


def _number(value: Real, decimals: int) -> str:
    return "–" if pd.isna(value) else f"{value:.{decimals}f}"


def _decimals(claim: pd.Series) -> int:
    """Return 0 for counts; else 2, or up to 4 if the interval is narrower than two decimals show."""
    figures = claim[["published", "ours"]].dropna()
    if all(float(value).is_integer() for value in figures) and any(value > 1 for value in figures):
        return 0
    half = (claim["high"] - claim["low"]) / 2
    return min(max(2, math.ceil(-math.log10(half))), 4) if half > 0 else 2


def written(claim: pd.Series) -> tuple[str, str]:
    """The published value of a claim, and this run's with its interval, as people read them."""
    decimals = _decimals(claim)
    ours = _number(claim["ours"], decimals)
    if not pd.isna(claim["low"]):
        ours += f" [{_number(claim['low'], decimals)}, {_number(claim['high'], decimals)}]"
    return _number(claim["published"], decimals), ours


def draw_verdicts(claims: pd.DataFrame) -> Figure:
    """Draw the table of `judge`: sentence, published value, ours with its interval, n, verdict."""
    rows, rules = [["claim", "published", "this run [95 %]", "n", "verdict"]], []
    controls = claims["origin"] == CONTROL
    for place, claim in pd.concat([claims[~controls], claims[controls]], ignore_index=True).iterrows():
        if controls.any() and place == (~controls).sum():
            rows.append(["Controls of this project, not of the paper"])
            rules.append(len(rows))
        first, *rest = textwrap.wrap(claim["claim"], SENTENCE)
        verdict = claim["verdict"].removesuffix(" at this scale")
        rows.append([first, *written(claim), f"{claim['n']:.0f}", verdict])
        rows += [[line] for line in rest]
        rules.append(len(rows))
    note = "The csv has reasons, the heads concerned and the sources of the published values."
    return draw_sheet(rows, [9.8, 1.6, 3.3, 1.4, 3.0], rules=rules[:-1], notes=[note])


def metrics(claims: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Counts of verdicts by origin, and study -> claim -> estimate (None if it cannot be tested) and verdict."""
    origins = claims.groupby("origin")["verdict"]
    counts = {origin: own.value_counts().sort_index().to_dict() for origin, own in origins}
    return {"counts": counts} | {
        study: {row["claim"]: {"ours": row["ours"], "verdict": row["verdict"]} for _, row in rows.iterrows()}
        for study, rows in claims.astype(object).where(claims.notna(), None).groupby("study")
    }
