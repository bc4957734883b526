"""2-D projection of heads, and a permutation test of distances within layers (Clark et al. 2019, section 5, figure 6).

`headwork.heads.statistics.divergence` gives the distances between heads. Multidimensional scaling finds a point for
each head so that the points' distances approximate these.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import MDS, ClassicalMDS

from headwork.errors import InputError
from headwork.heads.statistics.divergence import STATISTIC
from headwork.run.frame import Files
from headwork.run.outputs import read_parquet, write_json, write_table
from headwork.settings.base import require
from headwork.settings.representations import HeadPlane
from headwork.sites import Head

ROUNDING = 1e-12

Distances = Float[np.ndarray, "head head"]
Points = Float[np.ndarray, "head 2"]


def matrix(table: pd.DataFrame, kind: str = "encoder") -> tuple[list[Head], Distances]:
    """The heads of a kind in order, and their distances, from rows of `heads.statistics.divergence`."""
    rows = table[(table["statistic"] == STATISTIC) & (table["kind"] == kind)]
    if rows.empty:
        raise InputError(f"the table has no distances between {kind} heads; measure them first")
    heads = [Head(*place) for place in sorted(set(rows[["kind", "layer", "head"]].itertuples(index=False)))]
    names = list(map(str, heads))
    own = [str(Head(*place)) for place in rows[["kind", "layer", "head"]].itertuples(index=False)]
    values = rows.assign(own=own).pivot(index="own", columns="key", values="value")
    return heads, values.loc[names, names].to_numpy()


class Plane(NamedTuple):
    """A point for each head, and Kruskal's stress-1 of the projection, 0 for exact distances."""

    points: Points
    stress: float


def on_a_plane(distances: Distances, method: str = "metric", seed: int = 0, starts: int = 5) -> Plane:
    """Multidimensional scaling: ``metric`` (SMACOF, the best of some random starts, as the paper) or ``classical``.

    Points are found up to rotation, reflection and shift.
    """
    if method == "classical":
        points = ClassicalMDS(n_components=2, metric="precomputed").fit_transform(distances)
    else:
        random = {"n_init": starts, "init": "random", "random_state": seed}
        scaling = MDS(n_components=2, max_iter=1000, eps=1e-10, metric="precomputed", **random)
        points = scaling.fit_transform(distances)
    found = pdist(points)
    error = found - squareform(distances, checks=False)
    return Plane(points, float(np.sqrt((error**2).sum() / (found**2).sum())))


class Nearness(NamedTuple):
    """Mean distance of heads of one layer and of different layers; `p` of the permutation test."""

    within: float
    between: float
    p: float
    permutations: int


def layer_permutation_test(
    heads: Sequence[Head], distances: Distances, permutations: int = 9999, seed: int = 0
) -> Nearness:
    """Test whether heads of one layer are closer than under random permutation of the layer labels.

    p = (1 + #{permutations whose mean distance within layers is as small}) / (1 + permutations). Raises InputError if
    no layer has two heads, or there is one layer.
    """
    layer = np.array([head.layer for head in heads])
    pairs = np.triu_indices(len(heads), 1)
    same = layer[pairs[0]] == layer[pairs[1]]
    comparable = bool(same.any() and not same.all())
    require(comparable, "distances: layers cannot be compared: give two, one with two heads")
    flat = squareform(distances, checks=False)
    within, between = float(flat[same].mean()), float(flat[~same].mean())
    chance, as_near = np.random.default_rng(seed), 0
    for _ in range(permutations):
        order = chance.permutation(len(heads))
        permuted = distances[order[pairs[0][same]], order[pairs[1][same]]].mean()
        as_near += permuted <= within + ROUNDING
    return Nearness(within, between, (1 + as_near) / (1 + permutations), permutations)


def plane_run(input: Files, output: Files, settings: HeadPlane) -> None:
    """Find a point for each head from the distances between them.

    `input`: statistics (<run>.segments.parquet of phase heads). `output`: points (csv: layer, head, x, y of every
    head), facts (json: how well that fits, and whether layers hang together). Raises InputError for a table without
    distances.
    """
    heads, distances = matrix(read_parquet(input.statistics))
    plane = on_a_plane(distances, settings.method, settings.seed, settings.starts)
    facts: dict[str, Any] = {"stress": plane.stress}
    try:
        nearness = layer_permutation_test(heads, distances, settings.permutations, settings.seed)
        facts |= nearness._asdict()
    except InputError as error:  # a model of one layer, or of one head a layer
        facts["layers"] = str(error)
    rows = [(head.layer, head.head, *point) for head, point in zip(heads, plane.points.tolist(), strict=True)]
    write_table(output.points, pd.DataFrame(rows, columns=["layer", "head", "x", "y"]))
    write_json(output.facts, facts)
