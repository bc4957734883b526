"""One run's heads on a plane, from the table of distances to a point for each (Clark et al. 2019, figure 6)."""

from typing import Any

import pandas as pd

from headwork.errors import InputError
from headwork.representations.projections.heads import layers_hang_together, matrix, on_a_plane
from headwork.run.frame import Files
from headwork.run.outputs import read_parquet, write_json, write_table
from headwork.settings.representations import HeadPlane


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
        nearness = layers_hang_together(heads, distances, settings.permutations, settings.seed)
        facts |= nearness._asdict()
    except InputError as error:  # a model of one layer, or of one head a layer
        facts["layers"] = str(error)
    rows = [(head.layer, head.head, *point) for head, point in zip(heads, plane.points.tolist(), strict=True)]
    write_table(output.points, pd.DataFrame(rows, columns=["layer", "head", "x", "y"]))
    write_json(output.facts, facts)
