"""2-D projection of vectors by UMAP (McInnes et al. 2018; umap-learn) or t-SNE (van der Maaten & Hinton 2008).

Both are seeded and single-threaded, so that equal vectors give equal points. Axes have no meaning, and distances
between far groups have little. The tokens of chosen words are projected in each layer by t-SNE (Voita, Sennrich & Titov
2019b, figures 8, 9 and 12): forms of "to be", "it" by its position, "is" by its CCG tag.
"""

import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from jaxtyping import Float
from sklearn.manifold import TSNE

from headwork.errors import InputError
from headwork.representations.states.hidden_states import States
from headwork.representations.states.token_groups import drawn
from headwork.settings.base import require
from headwork.settings.representations import Projection, TokenProjections

Vectors = Float[np.ndarray, "point size"]
Plane = Float[np.ndarray, "point 2"]


def project(vectors: Vectors, settings: Projection | None = None) -> Plane:
    """Return a point for each vector; InputError for fewer than four, or if umap-learn is needed but missing."""
    settings = settings or Projection()
    require(len(vectors) > 3, f"projection: {len(vectors)} vectors; give four or more")
    common = {"metric": settings.metric, "random_state": settings.seed, "n_jobs": 1}
    if settings.method == "tsne":
        perplexity = min(settings.perplexity, (len(vectors) - 1) / 3)
        found = TSNE(perplexity=perplexity, init="pca", **common)
        return found.fit_transform(vectors).astype(np.float64)
    try:
        from umap import UMAP  # imported where it is used: it takes seconds
    except ImportError:
        absent = "projection: umap-learn is not installed; install it, or choose `method: tsne`"
        raise InputError(absent) from None
    # with few points spectral initialisation fails
    common["init"] = "spectral" if len(vectors) > 20 else "random"
    neighbours = min(settings.neighbours, len(vectors) - 1)
    found = UMAP(n_neighbors=neighbours, min_dist=settings.apart, **common)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Spectral initialisation failed")
        return found.fit_transform(vectors).astype(np.float64)


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
    shows: str, words: tuple[str, ...], states: States, tokens: pd.DataFrame, settings: TokenProjections
) -> Iterator[pd.DataFrame]:
    places = np.flatnonzero(tokens["form"].isin(words))
    chosen = tokens.iloc[drawn(places, settings.points, settings.seed)]
    if len(chosen) < 5:
        return
    perplexity = min(settings.perplexity, len(chosen) / 5)
    tsne = Projection(method="tsne", perplexity=perplexity, metric="euclidean", seed=settings.seed)
    words_of = chosen[["form", "position"]].reset_index(drop=True)
    words_of["tag"] = chosen["tag"].fillna("").to_numpy()
    words_of["replaced"] = (chosen["read"] != chosen["piece"]).to_numpy()
    for layer in range(1, states.layers + 1):
        x, y = project(states.layer(layer, chosen["row"].to_numpy()), tsne).T
        yield words_of.assign(shows=shows, layer=layer, x=x, y=y)[list(COLUMNS)]
