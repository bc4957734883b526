"""Functions of a translation model's heads as its training proceeds, from snapshots of the weights."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from headwork.heads.jobs.translation_heads import HeadSettings, analysis_batches, heads_of
from headwork.heads.statistics.rare import read_frequencies
from headwork.models.loading.checkpoints import load, start_from
from headwork.run.outputs import write_table
from headwork.settings.options import options

log = logging.getLogger(__name__)


def measure_curve(
    model_folder: str | Path,
    source: str | Path,
    target: str | Path,
    trees: str | Path,
    frequencies: str | Path,
    history: str | Path,
    settings: Mapping[str, Any],
    *,
    curve_path: str | Path,
    snapshots_folder: str | Path | None = None,
    device: str = "cpu",
) -> None:
    """Write step and the columns of `functions.label` for the encoder after each snapshot and at the end.

    `snapshots_folder` has a folder of weights for each step (None: the final weights only); the other arguments are
    those of `measure_run`. `history` gives the number of updates in all. Raises InputError as `measure_run` does, and
    for snapshots of another architecture.
    """
    chosen = options(HeadSettings, {**settings, "kinds": ["encoder"]}, "heads")
    model, tokenizer = load(model_folder)
    model.to(device).eval()
    batches, _ = analysis_batches(model, tokenizer, source, target, trees, chosen)
    counts = read_frequencies(frequencies, tokenizer)
    # the final weights are in the model, so they come first
    weights = {int(pd.read_csv(history)["step"].iloc[-1]): None}
    if snapshots_folder is not None:
        # Snakemake puts a hidden file of its own beside them
        weights |= {int(folder.name): folder for folder in Path(snapshots_folder).glob("[0-9]*")}
    parts = {}
    for step, folder in weights.items():
        if folder is not None:
            start_from(model, folder)
        log.info("the heads after %d updates", step)
        _, functions = heads_of(model, batches, counts, chosen)
        parts[step] = functions.assign(step=step)
    table = pd.concat([parts[step] for step in sorted(parts)], ignore_index=True)
    write_table(curve_path, table[["step", *table.columns.drop("step")]])
