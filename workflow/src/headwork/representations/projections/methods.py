"""2-D projection of vectors by UMAP (McInnes et al. 2018; umap-learn) or t-SNE (van der Maaten & Hinton 2008).

Both are seeded and single-threaded, so that equal vectors give equal points. Axes have no meaning, and distances
between far groups have little.
"""

import warnings

import numpy as np
from jaxtyping import Float
from sklearn.manifold import TSNE

from headwork.errors import InputError
from headwork.settings.base import require
from headwork.settings.representations import Projection

Vectors = Float[np.ndarray, "point size"]
Plane = Float[np.ndarray, "point 2"]


def project(vectors: Vectors, settings: Projection | None = None) -> Plane:
    """Return a point for each vector; InputError for fewer than four, or if umap-learn is needed but missing."""
    settings = settings or Projection()
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
