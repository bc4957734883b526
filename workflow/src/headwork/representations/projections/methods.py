"""2-D projection of vectors by UMAP (McInnes et al. 2018; umap-learn) or t-SNE (van der Maaten & Hinton 2008).

Both are seeded and single-threaded, so that equal vectors give equal points. Axes have no meaning, and distances
between far groups have little.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from sklearn.manifold import TSNE

from headwork.errors import InputError
from headwork.settings.options import require

Vectors = Float[np.ndarray, "point size"]
Plane = Float[np.ndarray, "point 2"]

METHODS = ("umap", "tsne")


@dataclass(frozen=True)
class ProjectionSettings:
    """`method`: umap or tsne; UMAP's `neighbours` and `apart` (min_dist), t-SNE's `perplexity`; `metric` of both."""

    method: str = "umap"
    neighbours: int = 15
    apart: int | float = 0.1
    perplexity: int | float = 30.0
    metric: str = "cosine"
    seed: int = 0

    def __post_init__(self) -> None:
        require(
            self.method in METHODS, f"projection: no method {self.method!r}; it is {' or '.join(METHODS)}"
        )
        require(self.neighbours > 1, f"projection: neighbours is {self.neighbours}; it must be 2 or more")


def project(vectors: Vectors, settings: ProjectionSettings | None = None) -> Plane:
    """Return a point for each vector; InputError for fewer than four, or if umap-learn is needed but missing."""
    settings = settings or ProjectionSettings()
    require(len(vectors) > 3, f"projection: {len(vectors)} vectors; give four or more")
    if settings.method == "tsne":
        found = TSNE(
            perplexity=min(settings.perplexity, (len(vectors) - 1) / 3),
            metric=settings.metric,
            init="pca",
            random_state=settings.seed,
            n_jobs=1,
        )
        return found.fit_transform(vectors).astype(np.float64)
    try:
        from umap import UMAP  # imported where it is used: it takes seconds
    except ImportError:
        raise InputError(
            "projection: umap-learn is not installed; install it, or choose `method: tsne`"
        ) from None
    found = UMAP(
        n_neighbors=min(settings.neighbours, len(vectors) - 1),
        min_dist=settings.apart,
        metric=settings.metric,
        # with few points spectral initialisation fails
        init="spectral" if len(vectors) > 20 else "random",
        random_state=settings.seed,
        n_jobs=1,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Spectral initialisation failed")
        return found.fit_transform(vectors).astype(np.float64)
