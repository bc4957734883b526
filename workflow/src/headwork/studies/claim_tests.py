"""Tests of claims that several studies make."""

from numbers import Real

import pandas as pd

from headwork.studies.notation import head_name
from headwork.studies.rows import where, without
from headwork.studies.selection import Outcome, Selection, Untestable


def special_token_sink(selection: Selection, keys: list[str], above: Real, shorter: Real) -> Outcome:
    """Between the first and last layer a head gives a special token more than `above`, and the token's norm is small.

    The token's mean norm ‖f(x)‖ in that layer must be below `shorter` times that of other tokens. Ours is the highest
    attention of such a head.
    """
    attention = pd.concat([values(selection, "segments", "attention", key) for key in keys])
    last = attention["layer"].max()
    inner = attention[attention["layer"].between(2, last - 1)]
    if inner.empty:
        raise Untestable("the encoder has no layer between the first and the last")
    best = inner.loc[inner.groupby("key")["value"].idxmax()]
    ordinary = values(selection, "segments", "norm", "other").groupby("layer")["value"].mean()
    found = []
    for _, head in best.iterrows():
        norms = values(selection, "segments", "norm", head["key"]).groupby("layer")["value"].mean()
        share = float(norms[head["layer"]] / ordinary[head["layer"]])
        found.append((share < shorter, head, share))
    short, head, share = max(found, key=lambda each: (each[0], each[1]["value"]))
    name = head_name(head["layer"], head["head"])
    note = f"{name} on {head['key']}, whose norm is {share:.2f} of other tokens'; n is the number of texts"
    outcome = Outcome.of_share(head["value"], head["count"], short, note)
    return outcome._replace(holds=outcome.holds and outcome.low > above)


def values(selection: Selection, table: str, statistic: str, key: str) -> pd.DataFrame:
    """The selected rows of one statistic and key of a table; Untestable if there are none, or a run lacks it."""
    rows = selection.table(table)
    if lacking := without(rows, statistic):
        raise Untestable(f"{statistic} was not measured in {lacking[0]}")
    rows = where(rows, statistic=statistic, key=key)
    if rows.empty:
        raise Untestable(f"{statistic}/{key} was not measured")
    return rows
