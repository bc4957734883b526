"""Functions of a translation model's heads as its training proceeds, from snapshots of the weights."""

import logging

import pandas as pd

from headwork.heads.jobs.translation_heads import analysis_batches, heads_of
from headwork.heads.statistics.rare import read_frequencies
from headwork.models.loading.checkpoints import load, start_from
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_table
from headwork.settings.heads import HeadSettings

log = logging.getLogger(__name__)


def measure_curve(input: Files, output: Files, settings: HeadSettings, device: str = "cpu") -> None:
    """Write `curve` (csv): step and columns of `functions.label`, of the encoder after each snapshot and at the end.

    Reads what `measure_run` reads; `history`, the losses by update, which give the number of updates in all; and, if
    there are any, `snapshots`, a folder with a folder of weights for each step. Raises InputError as `measure_run`
    does, and for snapshots of another architecture.
    """
    settings = settings.model_copy(update={"kinds": ("encoder",)})
    model, tokenizer = load(folder_of(input.model))
    model.to(device).eval()
    text = input.source, input.target, input.trees
    batches, _ = analysis_batches(model, tokenizer, *text, settings)
    counts = read_frequencies(input.frequencies, tokenizer)
    # the final weights are in the model, so they come first
    weights = {int(pd.read_csv(input.history)["step"].iloc[-1]): None}
    if "snapshots" in input:
        # Snakemake puts a hidden file of its own beside them
        weights |= {int(folder.name): folder for folder in input.snapshots.glob("[0-9]*")}
    parts = {}
    for step, folder in weights.items():
        if folder is not None:
            start_from(model, folder)
        log.info("the heads after %d updates", step)
        _, functions = heads_of(model, tokenizer, batches, counts, settings)
        parts[step] = functions.assign(step=step)
    table = pd.concat([parts[step] for step in sorted(parts)], ignore_index=True)
    write_table(output.curve, table[["step", *table.columns.drop("step")]])
