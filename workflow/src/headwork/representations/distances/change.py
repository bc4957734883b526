"""Change of a group of tokens by a layer: PWCCA distance between its input and output.

    change of layer n = 1 - PWCCA(states of layer n - 1, states of layer n)    over the tokens of the group

(Voita, Sennrich & Titov 2019b, section 5.3; the lower layer is X of `pwcca`.) Groups have equal numbers of tokens.
"""

import logging
from collections.abc import Mapping

import numpy as np
import pandas as pd
from jaxtyping import Int

from headwork.errors import InputError
from headwork.representations.distances.jackknife import NUMBER, WITHOUT, tenths
from headwork.representations.distances.pwcca import RankError, floor, pwcca
from headwork.representations.states.hidden_states import States
from headwork.representations.states.token_groups import drawn

log = logging.getLogger(__name__)

Rows = Int[np.ndarray, " token"]
Groups = Mapping[tuple[str, str], Rows]

COLUMNS = ("statistic", "key", "layer", "value", "control", "n", "note", *WITHOUT)
UNKNOWN = (np.nan,) * NUMBER


def too_few(group: str, count: int, wanted: int, dimensions: int) -> str:
    """Why a group is not compared, with its numbers, which the log has too; "" if it has enough tokens."""
    if count >= wanted:
        return ""
    beside = f"and {dimensions} dimensions" if count <= dimensions else "as every group has"
    note = f"{count} tokens, not {wanted} {beside}"
    log.warning("%s is left out: %s", group, note)
    return note


def enough_for_cca(wanted: int, dimensions: int) -> None:
    """Raise InputError if the tokens of a group do not outnumber the dimensions."""
    if wanted <= dimensions:
        raise InputError(
            f"groups: {wanted} tokens a group for {dimensions} dimensions, for which any two sets have PWCCA 1; "
            f"set `tokens` to well over {dimensions}"
        )


def changes(
    states: States, groups: Groups, tokens: int, variant: str = "morcos", seed: int = 0
) -> pd.DataFrame:
    """`COLUMNS` for every group and layer: statistic change/rank or change/pos, the group's name as key.

    The last ten columns are the value without each tenth of the text (`jackknife`). `groups` are rows of the states.
    `control` is the distance of as many independent vectors. Groups with fewer tokens have no value, and the note gives
    their number. Inputs that do not have full rank, such as embeddings of few types, have no value either if the
    variant needs full rank; the note says so. Raises InputError if the tokens do not outnumber the dimensions.
    """
    enough_for_cca(tokens, states.dimensions)
    chance, in_tenth = 1 - floor(tokens, states.dimensions), tenths(states.index["sentence"])
    rows = []
    for (kind, name), members in groups.items():
        note = too_few(f"change: {kind} {name}", len(members), tokens, states.dimensions)
        chosen = drawn(members, tokens, seed)
        parts = in_tenth[chosen]
        before = None if note else states.tensor(0, chosen)
        for layer in range(1, states.layers + 1):
            value, without, why = np.nan, UNKNOWN, note
            if before is not None:
                after = states.tensor(layer, chosen)
                try:
                    found = pwcca(before, after, variant, parts)
                    value, without = found.distance, found.distances_without
                except RankError as error:
                    why = str(error)
                before = after
            rows.append((f"change/{kind}", name, layer, value, chance, len(chosen), why, *without))
    return pd.DataFrame(rows, columns=list(COLUMNS))
