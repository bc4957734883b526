"""Claims of a study, tested on the tidy tables: published value, ours with its interval and n, and a verdict.

A claim is data in workflow/studies/<study>/study.yaml::

    - claim: One head attends most to the previous token, and one to the next, from 90 % of all tokens.
      published: 0.9
      source: N
      test: best_head_at_least          # a function of the study's claims.py
      select: {domain: news, pair: EN-RU}
      parameters: {functions: [positional/-1, positional/+1], at_least: 0.9}

A claim with ``control: true`` is a control of this project, not of the paper, and is counted separately.
``shown_in: [figure7]`` names the items that show what the claim says; the gallery puts its verdict beside them.

`select` chooses rows by the runs' labels (one value or a list each; trained runs by default). A claim without the
required runs, tables, statistics or instances gets the verdict "cannot be tested at this scale", with the reason.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import pandas as pd

from headwork.errors import InputError
from headwork.studies.rows import NotMeasured
from headwork.studies.selection import Outcome, Selection, Untestable

HOLDS = "holds"
FAILS = "does not hold"
UNTESTABLE = "cannot be tested at this scale"

PAPER, CONTROL = "paper", "control"  # origin of a claim

COLUMNS = ("study", "origin", "claim", "published", "ours", "low", "high", "n", "verdict", "source", "note")
SHOWN_IN = "shown_in"
_KEYS = ("claim", "published", "source", "test", "select", "parameters")


def tests_in(module: ModuleType) -> dict[str, Callable[..., Outcome]]:
    """The tests of claims in a study's module ``claims``: public functions whose first argument is `selection`."""
    functions = inspect.getmembers(module, inspect.isfunction)
    return {
        name: test
        for name, test in functions
        if not name.startswith("_") and next(iter(inspect.signature(test).parameters), "") == "selection"
    }


def check_claim(claim: Mapping[str, Any], tests: Mapping[str, Callable[..., Outcome]]) -> None:
    """Raise InputError if a claim lacks a key, names an unknown test, or has parameters that the test does not take."""
    sentence = claim.get("claim", "a claim without a sentence")
    missing = [key for key in _KEYS if key not in claim]
    unknown = [key for key in claim if key not in (*_KEYS, CONTROL, SHOWN_IN)]
    if missing or unknown:
        raise InputError(
            f"the claim {sentence!r} must have exactly the keys {', '.join(_KEYS)}; correct {(missing + unknown)[0]!r}"
        )
    if claim["test"] not in tests:
        raise InputError(
            f"the claim {sentence!r} names the unknown test {claim['test']!r}; known are {', '.join(sorted(tests))}"
        )
    try:
        inspect.signature(tests[claim["test"]]).bind(None, **claim["parameters"])
    except TypeError as error:
        raise InputError(
            f"the claim {sentence!r} cannot use the test {claim['test']}: {error}; correct its parameters"
        ) from None


def judge(
    study: str, claims: Sequence[Mapping[str, Any]], tables: Mapping[str, pd.DataFrame], tests: ModuleType
) -> pd.DataFrame:
    """Return the verdicts, one row per claim with the columns `COLUMNS`.

    `tables` is what `headwork.studies.item.evidence` reads, without tables that a scale does not have. Raises
    InputError for an invalid claim.
    """
    rows, known = [], tests_in(tests)
    for claim in claims:
        check_claim(claim, known)
        row = {"study": study, "origin": CONTROL if claim.get(CONTROL) else PAPER} | {
            key: claim[key] for key in ("claim", "published", "source")
        }
        try:
            selection = Selection(tables, claim["select"])
            outcome = known[claim["test"]](selection, **claim["parameters"])
        except (Untestable, NotMeasured) as reason:
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
    """Return a note on the domains or pairs that were missing, or ""."""
    return f"without {', '.join(map(str, selection.left_out))}" if selection.left_out else ""
