"""Functions of heads in plain words, from the measures of an atlas.

A head has a function if its score reaches the measure's `threshold`, stands clear of the baseline by `MARGIN`, 10
points, as Voita et al. (2019), section 5.2, ask of syntactic heads, and is above the baseline with its whole 95 %
interval (Wilson). Tokens of one sentence are not independent, so sentences are the trials; fewer than `LEAST`, in which
random weights reach any threshold, show no function. The thresholds stand with the measures (`headwork.measures`);
those by which `headwork.heads.statistics.functions` labels the heads of translation models are those of Voita et al.,
in `headwork.settings.heads.FunctionSettings`.
"""

from collections.abc import Sequence

import pandas as pd

from headwork.heads.measure import Measure
from headwork.intervals import wilson

MARGIN = 0.1
LEAST = 10  # sentences
COLUMNS = ["kind", "layer", "head", "measure", "does", "value", "baseline", "count"]


def functions(table: pd.DataFrame, measures: Sequence[Measure], sentences: int) -> pd.DataFrame:
    """kind, layer, head, measure, does, value, baseline, count: the functions of each head, best first."""
    if sentences < LEAST:
        table = table.iloc[:0]
    known = {each.key: each for each in measures if each.threshold is not None}
    threshold = table["measure"].map({key: each.threshold for key, each in known.items()}).astype(float)
    clear = table["value"] >= table["baseline"] + MARGIN - 1e-9
    rows = table[clear & (table["value"] >= threshold - 1e-9)]
    low = [wilson(min(row.value, 1.0), min(row.count, sentences))[0] for row in rows.itertuples(index=False)]
    rows = rows[rows["baseline"].to_numpy() < low]
    does = rows["measure"].map({key: each.does for key, each in known.items()})
    rows = rows.assign(does=does, margin=rows["value"] - rows["baseline"])
    return rows.sort_values("margin", ascending=False, kind="stable")[COLUMNS].reset_index(drop=True)
