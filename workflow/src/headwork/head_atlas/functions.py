"""Functions of heads in plain words, from the measures of an atlas.

A head has a function if its score reaches the measure's `threshold` and stands clear of the baseline by `MARGIN`, 10
points, as Voita et al. (2019), section 5.2, ask of syntactic heads. The thresholds stand with the measures
(`headwork.measures`); those by which `headwork.heads.statistics.functions` labels the heads of translation models are
those of Voita et al., in `headwork.settings.heads.FunctionSettings`.
"""

from collections.abc import Sequence

import pandas as pd

from headwork.heads.measure import Measure

MARGIN = 0.1
COLUMNS = ["kind", "layer", "head", "measure", "does", "value", "baseline", "count"]


def functions(table: pd.DataFrame, measures: Sequence[Measure]) -> pd.DataFrame:
    """kind, layer, head, measure, does, value, baseline, count: the functions of each head, best first."""
    known = {each.key: each for each in measures if each.threshold is not None}
    threshold = table["measure"].map({key: each.threshold for key, each in known.items()}).astype(float)
    clear = table["value"] >= table["baseline"] + MARGIN - 1e-9
    rows = table[clear & (table["value"] >= threshold - 1e-9)]
    does = rows["measure"].map({key: each.does for key, each in known.items()})
    rows = rows.assign(does=does, margin=rows["value"] - rows["baseline"])
    return rows.sort_values("margin", ascending=False, kind="stable")[COLUMNS].reset_index(drop=True)
