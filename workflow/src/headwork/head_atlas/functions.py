"""Functions of heads in plain words, from the measures of an atlas.

A head has a function if its score reaches a threshold that was published for it, and stands clear of the baseline:

    where it attends   mean attention of half or more (to a separator, the first token or punctuation: 0.6), as in the
                       authors' code of Clark et al. (2019), figure 6
    rarest tokens      they are attended to most in at least half of the cases (Voita et al. 2019, section 5.3)
    syntax             accuracy at least 10 points above the best fixed offset (Voita et al. 2019, section 5.2), and of
                       0.4 or more: where no offset is any good, a rare hit is no function
"""

import pandas as pd

from headwork.head_atlas.relations import sentence

MARGIN = 0.1
LEAST_ACCURACY = 0.4
# measure: threshold and what the head does
FUNCTIONS = {
    "previous": (0.5, "attends to the previous token"),
    "next": (0.5, "attends to the next token"),
    "self": (0.5, "attends to the token itself"),
    "first": (0.6, "attends to the first token"),
    "last": (0.6, "attends to the last token"),
    "sep": (0.6, "attends to the separator"),
    "punctuation": (0.6, "attends to full stops and commas"),
    "same-token": (0.5, "attends to the same token elsewhere"),
    "rare": (0.5, "attends to the rarest tokens"),
}
COLUMNS = ["kind", "layer", "head", "measure", "does", "value", "baseline", "count"]


def functions(table: pd.DataFrame) -> pd.DataFrame:
    """kind, layer, head, measure, does, value, baseline, count: the functions of each head, best first."""
    syntactic = table["measure"].str.contains("/")
    threshold = table["measure"].map({key: limit for key, (limit, _) in FUNCTIONS.items()})
    threshold = threshold.where(~syntactic, LEAST_ACCURACY)
    clear = table["value"] >= table["baseline"] + MARGIN - 1e-9
    rows = table[clear & (table["value"] >= threshold - 1e-9)]
    does = {key: words for key, (_, words) in FUNCTIONS.items()}
    does |= {key: sentence(key) for key in rows["measure"] if "/" in key}
    rows = rows.assign(does=rows["measure"].map(does), margin=rows["value"] - rows["baseline"])
    return rows.sort_values("margin", ascending=False, kind="stable")[COLUMNS].reset_index(drop=True)
