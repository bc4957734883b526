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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Int
from transformers import AutoTokenizer

from headwork.corpora.sources.readers import lines
from headwork.representations.distances.change import COLUMNS, changes
from headwork.representations.distances.jackknife import Tenths, tenths
from headwork.representations.distances.pwcca import VARIANTS
from headwork.representations.information.mutual_information import clusters_of, information
from headwork.representations.information.preservation import PreservationSettings, preserved
from headwork.representations.projections.tokens import TokenProjectionSettings, token_projections
from headwork.representations.states.hidden_states import States
from headwork.representations.states.token_groups import (
    NONE,
    GroupSettings,
    drawn,
    frequency_ranks,
    groups_of,
    tokens_table,
)
from headwork.run.outputs import read_parquet, write_table
from headwork.settings.options import options, require

Types = Int[np.ndarray, " token"]


@dataclass(frozen=True)
class InformationSettings:
    """`types`: the most frequent; `clusters` of mini-batch k-means; `tokens` of every estimate, drawn by the seed."""

    types: int = 1000
    clusters: int = 10_000
    tokens: int = 5_000_000
    batch: int = 4096
    passes: int = 3
    seed: int = 0


@dataclass(frozen=True)
class EvolutionSettings:
    """What is looked at in one run; `variant` of PWCCA."""

    variant: str = "morcos"
    information: InformationSettings = field(default_factory=InformationSettings)
    groups: GroupSettings = field(default_factory=GroupSettings)
    preservation: PreservationSettings = field(default_factory=PreservationSettings)
    projections: TokenProjectionSettings = field(default_factory=TokenProjectionSettings)

    def __post_init__(self) -> None:
        require(
            self.variant in VARIANTS,
            f"evolution: unknown variant '{self.variant}'; known: {', '.join(VARIANTS)}",
        )


def evolution_run(
    model_folder: str | Path,
    states_folder: str | Path,
    words_path: str | Path,
    train_text: str | Path,
    settings: Mapping[str, Any],
    table_path: str | Path,
    points_path: str | Path,
    masked_folder: str | Path | None = None,
) -> None:
    """Write both files for a run whose states lie in `states_folder`.

    `words_path` is the table of the text's words, `train_text` the text on which pieces are counted; `masked_folder`
    has the states of the text read with pieces masked, if the run is a masked language model. Raises InputError for too
    few tokens, with the numbers.
    """
    chosen = options(EvolutionSettings, settings, "evolution")
    states, words = States(states_folder), read_parquet(words_path)
    tokens, groups = grouped(model_folder, states, words, train_text, chosen.groups)
    masked = None
    if masked_folder is not None:
        read = States(masked_folder)
        # the text was read several times over
        repeated = read.index.assign(sentence=read.index["sentence"] % (words["sentence"].max() + 1))
        masked = read, tokens_table(repeated, words)
    tables = [
        layers_information(states, tokens, _sought(states, tokens), "whole", chosen.information),
        changes(states, groups, chosen.groups.tokens, chosen.variant, chosen.groups.seed),
        preserved(states, tokens, chosen.preservation),
    ]
    if masked is not None:
        mask = AutoTokenizer.from_pretrained(model_folder).mask_token_id
        replaced, sought = _sought_masked(masked[1], mask)
        tables.insert(1, layers_information(masked[0], replaced, sought, "masked", chosen.information))
    write_table(table_path, pd.concat(tables, ignore_index=True))
    write_table(points_path, token_projections(states, tokens, chosen.projections, masked))


def grouped(
    model_folder: str | Path,
    states: States,
    words: pd.DataFrame,
    train_text: str | Path,
    settings: GroupSettings,
) -> tuple[pd.DataFrame, dict[tuple[str, str], np.ndarray]]:
    """The tokens of a run's states that are words of one piece, and the rows of each group of them."""
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    ranks = frequency_ranks((line.text for line in lines(Path(train_text))), tokenizer)
    tokens = tokens_table(states.index, words, ranks)
    return tokens, groups_of(tokens, settings)


def _sought(states: States, tokens: pd.DataFrame) -> dict[str, pd.Series]:
    """What the layers may know of: the piece that is read, and the next one, if no token sees it."""
    sought = {"input": tokens["piece"]}
    return sought | {"output": tokens["right"]} if states.causal else sought


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
    settings: InformationSettings,
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
    settings: InformationSettings,
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
