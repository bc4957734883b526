"""One run's heads on a plane, from the table of distances to a point for each (Clark et al. 2019, figure 6)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.errors import InputError
from headwork.representations.projections.heads import layers_hang_together, matrix, on_a_plane
from headwork.run.outputs import read_parquet, write_json, write_table
from headwork.settings.options import options


@dataclass(frozen=True)
class PlaneSettings:
    """How points are found (`method`: metric or classical; the best of so many `starts`), and the permutation test."""

    method: str = "metric"
    starts: int = 5
    permutations: int = 9999
    seed: int = 0


def plane_run(
    statistics: str | Path, settings: Mapping[str, Any], points_path: str | Path, facts_path: str | Path
) -> None:
    """Write layer, head, x, y of every head (csv), and how well that fits and whether layers hang together (json).

    `statistics` is results/heads/<run>.segments.parquet. Raises InputError for a table without distances.
    """
    chosen = options(PlaneSettings, settings, "plane")
    heads, distances = matrix(read_parquet(statistics))
    plane = on_a_plane(distances, chosen.method, chosen.seed, chosen.starts)
    facts: dict[str, Any] = {"stress": plane.stress}
    try:
        nearness = layers_hang_together(heads, distances, chosen.permutations, chosen.seed)
        facts |= nearness._asdict()
    except InputError as error:  # a model of one layer, or of one head a layer
        facts["layers"] = str(error)
    rows = [(head.layer, head.head, *point) for head, point in zip(heads, plane.points.tolist(), strict=True)]
    write_table(points_path, pd.DataFrame(rows, columns=["layer", "head", "x", "y"]))
    write_json(facts_path, facts)
