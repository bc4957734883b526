"""The folder of a finished run: what every training ends with."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.models.loading.checkpoints import save
from headwork.models.training.resume import SNAPSHOTS
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
