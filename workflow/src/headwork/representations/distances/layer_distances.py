"""PWCCA distances between models in each layer, and between layers of a model, over the words of a text.

Voita, Sennrich & Titov (2019b), section 5.2. Models need not share a vocabulary: they are compared over the words that
are one piece in all of them.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from headwork.errors import InputError
from headwork.representations.distances.change import enough_for_cca
from headwork.representations.distances.jackknife import WITHOUT, tenths
from headwork.representations.distances.pwcca import floor, pwcca
from headwork.representations.states.hidden_states import States
from headwork.run.frame import Files
from headwork.run.outputs import write_table
from headwork.settings.representations import LayerDistances

COLUMNS = ("statistic", "first", "second", "layer", "value", "control", *WITHOUT, "n")


def common_rows(all_states: Sequence[States], tokens: int, seed: int) -> list[np.ndarray]:
    """Return for each model the rows of the same `tokens` words that are a single subword token in all models.

    Raises InputError if there are fewer.
    """
    tables = []
    for number, states in enumerate(all_states):
        index = states.index.reset_index(names=f"row{number}")
        tables.append(index.loc[index["pieces"] == 1, ["sentence", "word", f"row{number}"]])
    shared = tables[0]
    for table in tables[1:]:
        shared = shared.merge(table, on=["sentence", "word"])
    if len(shared) < tokens:
        raise InputError(
            f"distances: {len(shared)} words are a single token in all models, fewer than {tokens}; "
            "use more text or set fewer `tokens`"
        )
    chosen = np.sort(np.random.default_rng(seed).permutation(len(shared))[:tokens])
    return [shared[f"row{number}"].to_numpy()[chosen] for number in range(len(all_states))]


def layer_distances(
    models: Mapping[str, States], pairs: Sequence[tuple[str, str]], settings: LayerDistances
) -> pd.DataFrame:
    """`COLUMNS`: `between` two models in each layer, for each pair; `layers`: of each model, from the one below.

    The first of a pair, and the lower layer, is X of `pwcca`. `control` is the distance of as many independent vectors.
    A pair is compared in the layers that both have. Raises InputError for too few tokens, with the numbers.
    """
    dimensions = max(states.dimensions for states in models.values())
    enough_for_cca(settings.tokens, dimensions)
    rows = common_rows(list(models.values()), settings.tokens, settings.seed)
    rows_of = dict(zip(models, rows, strict=True))
    sizes = {states.dimensions for states in models.values()}
    chance = {size: 1 - floor(settings.tokens, size, repeats=1) for size in sizes}
    named_first = next(iter(models))  # the words, and so their tenths, are the same in all models
    parts = tenths(models[named_first].index["sentence"])[rows_of[named_first]]
    found = []
    deepest = max(states.layers for states in models.values())
    below: dict[str, Any] = {}

    def compare(statistic: str, first: str, second: str, layer: int, *pair: Any) -> None:
        similarity = pwcca(*pair, settings.variant, parts)
        values = similarity.distance, chance[models[first].dimensions], *similarity.distances_without
        found.append((statistic, first, second, layer, *values))

    for layer in range(deepest + 1):
        there = [name for name, states in models.items() if layer <= states.layers]
        vectors = {name: models[name].tensor(layer, rows_of[name]) for name in there}
        for first, second in pairs:
            if first in vectors and second in vectors:
                compare("between", first, second, layer, vectors[first], vectors[second])
        for name in vectors if layer else ():
            compare("layers", name, name, layer, below[name], vectors[name])
        below = vectors
    return pd.DataFrame(found, columns=list(COLUMNS[:-1])).assign(n=settings.tokens)


def distances_run(input: Files, output: Files, settings: LayerDistances, runs: Sequence[str]) -> None:
    """Compare all pairs of `runs`. `input`: states (a folder for each run). `output`: table (csv: `COLUMNS`)."""
    states = {name: States(folder) for name, folder in zip(runs, input.states, strict=True)}
    write_table(output.table, layer_distances(states, list(combinations(states, 2)), settings))
