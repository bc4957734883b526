"""2-D projections of the tokens of chosen words in each layer, by t-SNE.

Voita, Sennrich & Titov (2019b), figures 8, 9 and 12: forms of "to be", "it" by its position, "is" by its CCG tag.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from headwork.representations.projections.methods import project
from headwork.representations.states.hidden_states import States
from headwork.representations.states.token_groups import drawn
from headwork.settings.representations import Projection, TokenProjections

COLUMNS = ("shows", "layer", "x", "y", "form", "position", "tag", "replaced")


def token_projections(
    states: States,
    tokens: pd.DataFrame,
    settings: TokenProjections,
    masked: tuple[States, pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """`COLUMNS`: the points of every layer but the embeddings; shows is forms, position or tags.

    Forms come from `masked`, states of a text with pieces masked and their tokens, if there are any: `replaced` says
    whether the model's input was another token there. Words with fewer than five tokens are left out.
    """
    parts = [
        ("forms", settings.forms, *(masked or (states, tokens))),
        ("position", (settings.position,), states, tokens),
        ("tags", (settings.tags,), states, tokens),
    ]
    tables = [table for part in parts for table in _points(*part, settings)]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))


def _points(
    shows: str,
    words: tuple[str, ...],
    states: States,
    tokens: pd.DataFrame,
    settings: TokenProjections,
) -> Iterator[pd.DataFrame]:
    places = np.flatnonzero(tokens["form"].isin(words))
    chosen = tokens.iloc[drawn(places, settings.points, settings.seed)]
    if len(chosen) < 5:
        return
    for layer in range(1, states.layers + 1):
        plane = project(
            states.layer(layer, chosen["row"].to_numpy()),
            Projection(
                method="tsne",
                perplexity=min(settings.perplexity, len(chosen) / 5),
                metric="euclidean",
                seed=settings.seed,
            ),
        )
        yield pd.DataFrame(
            {
                "shows": shows,
                "layer": layer,
                "x": plane[:, 0],
                "y": plane[:, 1],
                "form": chosen["form"].to_numpy(),
                "position": chosen["position"].to_numpy(),
                "tag": chosen["tag"].fillna("").to_numpy(),
                "replaced": (chosen["read"] != chosen["piece"]).to_numpy(),
            }
        )
