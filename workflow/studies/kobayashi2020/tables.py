"""Alignment error rates of layers and heads."""

import pandas as pd

LAYERS = ("mean of layers", "best layer")


def error_rates(alignments: pd.DataFrame) -> pd.DataFrame:
    """setting, measure, layer, head, value, count of every head and (head 0) layer."""
    rows = alignments[alignments["statistic"] == "aer"].copy()
    rows[["setting", "measure"]] = rows["key"].str.split("/", expand=True).to_numpy()
    return rows[["setting", "measure", "layer", "head", "value", "count"]]


def error_rates_of_layers(alignments: pd.DataFrame) -> pd.DataFrame:
    """Kobayashi et al. (2020), table 2: setting, measure, which (`LAYERS`), aer, and the layer that is best."""
    rows = error_rates(alignments)
    found = []
    for (setting, measure), own in rows[rows["head"] == 0].groupby(["setting", "measure"]):
        best = own.loc[own["value"].idxmin()]
        found.append((setting, measure, LAYERS[0], own["value"].mean(), None))
        found.append((setting, measure, LAYERS[1], best["value"], best["layer"]))
    return pd.DataFrame(found, columns=["setting", "measure", "which", "aer", "layer"])
