"""How one run's representations evolve from layer to layer (Voita, Sennrich & Titov 2019b), from its states on disk.

Two files: a table with the columns statistic, key, layer, value, control, n, note, and without-1 to -10, the value
without each tenth of the text (`tenths`); and the points of the projections.

    information/input    mutual information of a layer's vectors with the token that is read, in nats; layers from 0
    information/output   with the token that is to be said: an LM's next, an MLM's masked
    change/rank, /pos    how much a layer changes the tokens of a group: `change`
    identity, position, left, right, tag     what nearest neighbours have in common: `preservation`

The key of information is `whole` for a text that is read as it is, `masked` for one read with pieces masked: of the
places where another piece is read, but of the token that is read only where that is not the mask.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from jaxtyping import Int
from transformers import AutoTokenizer

from headwork.representations.distances.change import COLUMNS, changes
from headwork.representations.distances.jackknife import Tenths, tenths
from headwork.representations.information.mutual_information import clusters_of, information
from headwork.representations.information.preservation import preserved
from headwork.representations.projections.vectors import token_projections
from headwork.representations.states.hidden_states import States
from headwork.representations.states.token_groups import NONE, drawn, grouped, tokens_table
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import read_parquet, write_table
from headwork.settings.base import require
from headwork.settings.representations import Evolution, InformationEstimate

Types = Int[np.ndarray, " token"]


def evolution_run(input: Files, output: Files, settings: Evolution) -> None:
    """Write both files for a run.

    `input`: model (its tokenizer), states and, of a masked language model, masked (the folders of its states on the
    text, and on the text with pieces masked), words (parquet: the text's words), train_text (the text on which pieces
    are counted). `output`: table, points (csv). Raises InputError for too few tokens, with the numbers.
    """
    model = folder_of(input.model)
    states, words = States(input.states), read_parquet(input.words)
    tokens, groups = grouped(model, states, words, input.train_text, settings.groups)
    masked = None
    if "masked" in input:
        read = States(input.masked)
        # the text was read several times over
        repeated = read.index.assign(sentence=read.index["sentence"] % (words["sentence"].max() + 1))
        masked = read, tokens_table(repeated, words)
    sought = {"input": tokens["piece"]}
    if states.causal:  # no token sees the next one
        sought["output"] = tokens["right"]
    tables = [
        layers_information(states, tokens, sought, "whole", settings.information),
        changes(states, groups, settings.groups.tokens, settings.variant, settings.groups.seed),
        preserved(states, tokens, settings.preservation),
    ]
    if masked is not None:
        mask = AutoTokenizer.from_pretrained(model).mask_token_id
        replaced, sought = _sought_masked(masked[1], mask)
        tables.insert(1, layers_information(masked[0], replaced, sought, "masked", settings.information))
    write_table(output.table, pd.concat(tables, ignore_index=True))
    write_table(output.points, token_projections(states, tokens, settings.projections, masked))


def _sought_masked(tokens: pd.DataFrame, mask: int) -> tuple[pd.DataFrame, dict[str, pd.Series]]:
    """The tokens where another piece is read than the text has, and what layers may know of there.

    The mask is no token that is read: in the paper (figure 2) what the embeddings know of that begins at ln 1000, the
    entropy of 1000 types drawn evenly.
    """
    replaced = tokens[tokens["read"] != tokens["piece"]]
    read = replaced["read"].where(replaced["read"] != mask, NONE)
    return replaced, {"input": read, "output": replaced["piece"]}


def layers_information(
    states: States,
    tokens: pd.DataFrame,
    sought: Mapping[str, pd.Series],
    key: str,
    settings: InformationEstimate,
) -> pd.DataFrame:
    """`COLUMNS` for each layer from 0, and for each of what is sought: pieces, a token each, of the tokens' types.

    `control` is the estimate with the types dealt out anew; the note has their entropy. Every estimate is of the same
    number of tokens. Raises InputError if there are fewer.
    """
    places = tokens["row"].to_numpy()
    # not those of the states: a text that is read several times over has the same tenths each time
    parts = tenths(tokens["sentence"])
    rows = [
        row
        for what, pieces in sought.items()
        for row in _of_types(states, places, pieces.to_numpy(), parts, what, key, settings)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _of_types(
    states: States,
    places: Types,
    pieces: Types,
    parts: Tenths,
    what: str,
    key: str,
    settings: InformationEstimate,
) -> Iterator[tuple[object, ...]]:
    known = pd.Series(pieces[pieces != NONE])
    types = known.value_counts(sort=True).index[: settings.types]
    members = np.flatnonzero(np.isin(pieces, types))
    require(
        len(members) >= settings.tokens,
        f"information: {len(members)} tokens of the {len(types)} most frequent types to estimate {what} from "
        f"({key} text), not {settings.tokens}; give more text, or ask for fewer tokens everywhere",
    )
    members = drawn(members, settings.tokens, settings.seed)
    numbers = pd.factorize(pieces[members])[0].astype(np.int64)
    for layer in range(states.layers + 1):
        vectors = states.layer(layer, places[members])
        clusters = clusters_of(vectors, settings.clusters, settings.seed, settings.batch, settings.passes)
        found = information(numbers, clusters, settings.seed, parts[members])
        note = f"entropy {found.entropy:.4f}"
        yield f"information/{what}", key, layer, found.value, found.shuffled, found.n, note, *found.without
