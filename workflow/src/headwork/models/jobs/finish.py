"""The folder of a finished run: what every training ends with, or a model by name as it is."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.models.loading.checkpoints import WEIGHTS, save
from headwork.models.training.provenance import provenance
from headwork.models.training.resume import SNAPSHOTS
from headwork.models.training.train import HISTORY
from headwork.run.outputs import write_json, write_table


def finish(
    output: Path,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    history: pd.DataFrame,
    record: Mapping[str, Any],
    work: Path | None = None,
) -> None:
    """Write model, tokenizer, history.csv and run.json (`record`, see `provenance`) to `output`.

    `work` is the folder of the training's checkpoints: its snapshots of the weights move to `output`, the rest is
    removed.
    """
    output.mkdir(parents=True, exist_ok=True)
    save(output, model, tokenizer)
    write_table(output / "history.csv", history)
    write_json(output / "run.json", record)
    if work is None:
        return
    if (work / SNAPSHOTS).is_dir():
        shutil.copytree(work / SNAPSHOTS, output / SNAPSHOTS, dirs_exist_ok=True)
    shutil.rmtree(work, ignore_errors=True)


def finish_untrained(
    settings: Mapping[str, Any],
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    output: Path,
    model_folder: str | Path | None,
    counted: str,
) -> None:
    """Write a model by name as a run: nothing is trained, and its history has no rows.

    `model_folder` is where the model was fetched to, and `counted` what a history calls the tokens of its batches.
    """
    files = [Path(model_folder) / WEIGHTS] if model_folder else []
    history = pd.DataFrame(columns=["step", counted, *HISTORY])
    finish(output, model, tokenizer, history, provenance(settings, files))
