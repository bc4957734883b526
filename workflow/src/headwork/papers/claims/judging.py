"""Claims of a study, tested on the tidy tables: published value, ours with its interval and n, and a verdict.

A claim is data in config/papers/<study>.yaml::

    - claim: Some heads look at the previous or the next token in 90 % of cases.
      published: 0.9
      source: N
      test: best_head_at_least          # a function of a module of `headwork.papers.criteria`
      select: {domain: news, pair: EN-RU}
      parameters: {functions: [positional/-1, positional/+1], at_least: 0.9}

A claim with ``control: true`` is a control of ours, not the paper's, and is counted apart.

`select` picks rows by the runs' labels (one value or a list each; trained runs unless it says otherwise). A claim
whose runs, tables or instances are not there gets the verdict "cannot be tested at this scale" and the reason.
"""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from headwork.errors import InputError
from headwork.papers.claims.selection import Selection, Untestable
from headwork.papers.criteria import (
    attribution,
    encoders,
    geometry,
    heads,
    representations,
    sweeps,
    tasks,
    translation_encoders,
)

TESTS = {
    name: test
    for module in (
        *(heads, sweeps, encoders, tasks),
        *(attribution, representations, translation_encoders, geometry),
    )
    for name, test in module.TESTS.items()
}

HOLDS = "holds"
FAILS = "does not hold"
UNTESTABLE = "cannot be tested at this scale"

PAPER, CONTROL = "paper", "control"  # whose claim it is

COLUMNS = ("study", "origin", "claim", "published", "ours", "low", "high", "n", "verdict", "source", "note")
_KEYS = ("claim", "published", "source", "test", "select", "parameters")


def check_claim(claim: Mapping[str, Any]) -> None:
    """Raises InputError if a claim lacks a key, names an unknown test, or gives it parameters it does not take."""
    sentence = claim.get("claim", "a claim without a sentence")
    missing = [key for key in _KEYS if key not in claim]
    unknown = [key for key in claim if key not in (*_KEYS, CONTROL)]
    if missing or unknown:
        raise InputError(
            f"the claim {sentence!r} must have exactly the keys {', '.join(_KEYS)}; look at {(missing + unknown)[0]!r}"
        )
    if claim["test"] not in TESTS:
        raise InputError(
            f"the claim {sentence!r} names the unknown test {claim['test']!r}; known are {', '.join(sorted(TESTS))}"
        )
    try:
        inspect.signature(TESTS[claim["test"]]).bind(None, **claim["parameters"])
    except TypeError as error:
        raise InputError(
            f"the claim {sentence!r} cannot use the test {claim['test']}: {error}; correct its parameters"
        ) from None


def judge(
    study: str, claims: Sequence[Mapping[str, Any]], tables: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """One row per claim with the columns `COLUMNS`.

    `tables` is what `headwork.papers.claims.evidence` reads; tables that a scale does not have are left out. Raises
    InputError for a claim that is written wrongly.
    """
    rows = []
    for claim in claims:
        check_claim(claim)
        row = {"study": study, "origin": CONTROL if claim.get(CONTROL) else PAPER} | {
            key: claim[key] for key in ("claim", "published", "source")
        }
        try:
            selection = Selection(tables, claim["select"])
            outcome = TESTS[claim["test"]](selection, **claim["parameters"])
        except Untestable as reason:
            rows.append(row | {"n": 0, "verdict": UNTESTABLE, "note": str(reason)})
            continue
        verdict = HOLDS if outcome.holds else FAILS
        rows.append(
            row
            | {"ours": outcome.ours, "low": outcome.low, "high": outcome.high, "n": outcome.n}
            | {"verdict": verdict, "note": "; ".join(filter(None, [outcome.note, _without(selection)]))}
        )
    return pd.DataFrame(rows, columns=list(COLUMNS)).fillna({"source": "", "note": ""})


def _without(selection: Selection) -> str:
    """What a claim was judged without, if anything."""
    return f"without {', '.join(map(str, selection.left_out))}" if selection.left_out else ""
