"""Main behaviour of each head, by thresholds on its statistics (Clark et al. 2019, figure 6)."""

from collections.abc import Sequence

import pandas as pd

# Name, statistic, key and threshold; where several hold, the last counts (the authors' code, for figure 6).
BEHAVIOURS = (
    ("next", "attention", "next", 0.5),
    ("previous", "attention", "previous", 0.5),
    ("broad", "entropy", "", 3.8),
    ("cls", "attention", "cls", 0.6),
    ("sep", "attention", "sep", 0.6),
    ("punctuation", "attention", "punctuation", 0.6),
)


def behaviours(
    statistics: pd.DataFrame, rules: Sequence[tuple[str, str, str, float]] = BEHAVIOURS
) -> pd.DataFrame:
    """kind, layer, head, behaviour: the main behaviour ("" for none), from surface statistics and entropy.

    A head is ``next`` if it gives more than half of its attention to the next token, and so on; ``broad`` if its
    entropy is over 3.8 nats, four fifths of what a text of 120 tokens allows: on short texts give another threshold.
    """
    place = ["kind", "layer", "head"]
    found = statistics[place].drop_duplicates(ignore_index=True).assign(behaviour="")
    found = found.set_index(place)
    for name, statistic, key, threshold in rules:
        rows = statistics[(statistics["statistic"] == statistic) & (statistics["key"] == key)]
        over = rows[rows["value"] > threshold].set_index(place).index
        found.loc[found.index.isin(over), "behaviour"] = name
    return found.reset_index()
